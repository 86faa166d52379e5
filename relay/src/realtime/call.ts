import type { ProviderDescriptor } from '../provider.ts'
import { azureRealtimeUrl, azureVersion } from '../providers/azure-openai/address.ts'
import { headerText, upstreamUrl } from '../upstream-request.ts'

export type RealtimeCall = { readonly url: string; readonly headers: Record<string, string> }

/** Where a session is opened, and with which headers; null for a channel without an address. */
export function realtimeCall(asked: {
  descriptor: ProviderDescriptor
  baseUrl: string
  other: string
  key: string
  /** As the provider names it. */
  model: string
  /** The client speaks the preview of the protocol. */
  isPreview: boolean
  /** It writes down what it hears, by a model that the session's settings name. */
  isTranscription?: boolean
}): RealtimeCall | null {
  const { descriptor, baseUrl, other, model, isPreview, isTranscription = false } = asked
  const key = headerText(asked.key)
  const preview: Record<string, string> = isPreview ? { 'openai-beta': 'realtime=v1' } : {}
  const named = isTranscription ? null : model
  if (descriptor.dialect === 'azure') {
    const url = webSocketUrl(azureRealtimeUrl(named, baseUrl, azureVersion(other)))
    return url === null ? null : { url: url.href, headers: { 'api-key': key, ...preview } }
  }
  const address = upstreamUrl({ descriptor, baseUrl, path: '/v1/realtime', model })
  const url = address === null ? null : webSocketUrl(address)
  if (url === null) return null
  if (named === null) url.searchParams.set('intent', 'transcription')
  else url.searchParams.set('model', named)
  return { url: url.href, headers: { authorization: `Bearer ${key}`, ...preview } }
}

/** Null for what is no address of the web. */
function webSocketUrl(address: string): URL | null {
  const named = address.replace(/^http(?=s?:)/i, 'ws')
  const url = URL.canParse(named) ? new URL(named) : null
  return url?.protocol === 'ws:' || url?.protocol === 'wss:' ? url : null
}
