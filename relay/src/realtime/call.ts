import { headerText, upstreamUrl } from '../addresses/upstream-request.ts'
import type { ProviderDescriptor } from '../provider.ts'
import { azureRealtimeUrl, azureVersion } from '../wires/azure-address.ts'

export type RealtimeCall = { readonly url: string; readonly headers: Record<string, string> }

/** URL and headers that open a session; null if the channel has no valid URL. */
export function realtimeCall(options: {
  descriptor: ProviderDescriptor
  baseUrl: string
  other: string
  key: string
  /** The provider's model name. */
  model: string
  /** The client speaks the preview version of the protocol. */
  isPreview: boolean
  /** A transcription session, whose model is named in the session settings. */
  isTranscription?: boolean
}): RealtimeCall | null {
  const { descriptor, baseUrl, other, model, isPreview, isTranscription = false } = options
  const key = headerText(options.key)
  const preview: Record<string, string> = isPreview ? { 'openai-beta': 'realtime=v1' } : {}
  const queryModel = isTranscription ? null : model
  if (descriptor.dialect === 'azure') {
    const url = webSocketUrl(azureRealtimeUrl(queryModel, baseUrl, azureVersion(other)))
    return url === null ? null : { url: url.href, headers: { 'api-key': key, ...preview } }
  }
  const address = upstreamUrl({ descriptor, baseUrl, path: '/v1/realtime', model })
  const url = address === null ? null : webSocketUrl(address)
  if (url === null) return null
  if (queryModel === null) url.searchParams.set('intent', 'transcription')
  else url.searchParams.set('model', queryModel)
  return { url: url.href, headers: { authorization: `Bearer ${key}`, ...preview } }
}

/** Null if the address is not an HTTP or WebSocket URL. */
function webSocketUrl(address: string): URL | null {
  const named = address.replace(/^http(?=s?:)/i, 'ws')
  const url = URL.canParse(named) ? new URL(named) : null
  return url?.protocol === 'ws:' || url?.protocol === 'wss:' ? url : null
}
