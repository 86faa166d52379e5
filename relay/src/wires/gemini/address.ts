import {
  addressPart,
  headerText,
  splitBase,
  joinAddress,
  jsonHeaders,
} from '../../addresses/upstream-request.ts'
import type { JsonRecord } from '../../bytes/json-value.ts'
import { googleGemini } from '../../providers/google-gemini/descriptor.ts'
import type { EncodedCall, ProviderCall, TaskCall } from '../provider-codec.ts'

const VERSION = 'v1beta'
const IS_VERSION = /^v\d\w*$/

/**
 * URL of a method of the call's model. The version is taken from the base URL, or else from the
 * channel, or else it is `version`.
 */
export function methodAddress(
  { channel, model }: Pick<ProviderCall, 'channel' | 'model'>,
  method: string,
  version = VERSION,
): string {
  const baseVersion = /\/(v\d\w*)$/.exec(splitBase(channel.baseUrl).address)?.[1]
  const given = channel.other.trim()
  const used = baseVersion ?? (IS_VERSION.test(given) ? given : version)
  const path = `/${used}/${resourceOf(model)}:${method}`
  return joinAddress(channel.baseUrl, googleGemini.baseUrl, path)
}

/** `models/x`. Also accepts names with that prefix, and tuned models. */
export function resourceOf(model: string): string {
  const [kind, name] = /^(models|tunedModels)\/([^/]+)$/.exec(model)?.slice(1) ?? ['models', model]
  return `${kind}/${addressPart(name ?? model)}`
}

export const googleHeaders = ({ channel, stream }: Pick<ProviderCall, 'channel' | 'stream'>) => ({
  'x-goog-api-key': headerText(channel.key),
  ...jsonHeaders(stream),
})

/** A request whose answer comes at once. */
export const jsonCall = (call: TaskCall, method: string, json: JsonRecord): EncodedCall => ({
  url: methodAddress(call, method),
  headers: googleHeaders({ channel: call.channel, stream: false }),
  body: Buffer.from(JSON.stringify(json)),
})
