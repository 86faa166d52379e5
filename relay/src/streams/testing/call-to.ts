import type { TaskEndpoint } from '../../provider.ts'
import type { ProviderCall, TaskCall } from '../../wires/provider-codec.ts'

const COMMON = { now: Date.UTC(2025, 0, 1), id: 'request-7' }

/** A plain call, made in January 2025. */
export function callTo(
  { key, model }: { key: string; model: string },
  parts: Partial<ProviderCall> = {},
): ProviderCall {
  const request = { model, messages: [{ role: 'user', content: 'hi' }] }
  const channel = { baseUrl: '', key, other: '' }
  return { ...COMMON, endpoint: 'chat', model, stream: false, channel, request, ...parts }
}

export function taskTo(
  endpoint: TaskEndpoint,
  { key, model, request }: { key: string; model: string; request: object },
): TaskCall {
  const channel = { baseUrl: '', key, other: '' }
  const body = Buffer.from(JSON.stringify({ model, ...request }))
  return { ...COMMON, endpoint, model, channel, body, contentType: 'application/json' }
}
