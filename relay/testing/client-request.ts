import { upstreamHeaders, upstreamUrl } from '../src/addresses/upstream-request.ts'
import { isRecord, type JsonRecord, parseJson } from '../src/bytes/json-value.ts'
import { finish } from '../src/bytes/steps.ts'
import { codecOf, nativeCodecOf, taskCodecOf } from '../src/codecs.ts'
import { isRequestProblem, problem, type RequestProblem } from '../src/errors/request-problem.ts'
import type { Adaptations } from '../src/fit/adaptations.ts'
import { MalformedKey, UnsupportedParameterError } from '../src/form/codec-errors.ts'
import {
  isTaskEndpoint,
  type ProviderDescriptor,
  RELAY_PATHS,
  type RelayEndpoint,
} from '../src/provider.ts'
import type { RelayRequest } from '../src/relay-request.ts'
import { readTask } from '../src/tasks/read-task.ts'
import type { ClientDialect } from '../src/wires/client-dialect.ts'
import { fitRequest } from '../src/wires/fit-request.ts'
import { encodeRequest, requestForCodec } from '../src/wires/openai-chat/encode-request.ts'
import { readRequest } from '../src/wires/openai-chat/read-head.ts'
import type { EncodedCall, ProviderCall, TaskCall } from '../src/wires/provider-codec.ts'

/** What a client sent, and the parts of the channel that differ from those of the provider. */
export type ClientRequest = {
  /** `/v1/chat/completions` if absent. */
  readonly path?: string
  /** The provider's name for the model; the client's if absent. */
  readonly model?: string
  readonly channel?: Partial<ProviderCall['channel']>
  readonly body: JsonRecord
}

export type Provider = {
  readonly descriptor: ProviderDescriptor
  readonly channel: ProviderCall['channel']
}

/** The request id in all fixtures; ids that codecs generate begin with it. */
const REQUEST_ID = 'request-7'
export const NOW = Date.UTC(2025, 0, 1)

type Call = ProviderCall | TaskCall

/** Reads the request as the gateway does, and makes the call that a codec gets. */
export function buildCall({ descriptor, channel }: Provider, given: ClientRequest) {
  const endpoint = endpointAt(given.path ?? RELAY_PATHS.chat)
  const bytes = Buffer.from(JSON.stringify(given.body))
  const request = isTaskEndpoint(endpoint)
    ? finish(readTask(endpoint, bytes, 'application/json'))
    : readRequest(endpoint, bytes)
  if (isRequestProblem(request)) return request
  const provider = { descriptor, channel: { ...channel, ...given.channel } }
  return { request, call: callFor(provider, request, { model: given.model ?? request.model }) }
}

type Sending = { readonly model: string; readonly adaptations?: Adaptations | undefined }

function callFor(
  { descriptor, channel }: Provider,
  request: RelayRequest,
  { model, adaptations }: Sending,
): Call {
  const { endpoint, stream, isTranslated = false } = request
  const target = { model, descriptor, baseUrl: channel.baseUrl, adaptations }
  const base = { model, channel, now: NOW, id: REQUEST_ID }
  const hasCodec = codecOf(descriptor) !== undefined
  const fitted = hasCodec ? fitRequest(request, target) : null
  return isTaskEndpoint(endpoint)
    ? {
        ...base,
        endpoint,
        contentType: request.task?.contentType ?? 'application/json',
        body: encodeRequest(request, target),
      }
    : {
        ...base,
        endpoint,
        stream,
        isTranslated,
        adaptations,
        request: hasCodec ? requestForCodec(request, target, fitted) : {},
        form: fitted?.form,
      }
}

type SentChat = {
  readonly model: string
  readonly body: JsonRecord
  readonly headers?: Readonly<Record<string, string>>
  readonly adaptations?: Adaptations
}

/** What the provider gets of a chat in a client's own dialect, or why it is refused. */
export const encodeChat = (
  dialect: ClientDialect,
  provider: Provider,
  { body, headers, ...sending }: SentChat,
): EncodedCall | RequestProblem => encodeRead(provider, readChat(dialect, body, headers), sending)

/** A chat as the gateway reads it, for any number of providers. */
export const readChat = (
  dialect: ClientDialect,
  body: JsonRecord,
  headers: SentChat['headers'] = {},
): RelayRequest | RequestProblem =>
  finish(dialect.readRequest('chat', Buffer.from(JSON.stringify(body)), headers))

export function encodeRead(
  { descriptor, channel }: Provider,
  request: RelayRequest | RequestProblem,
  { model, adaptations }: Pick<SentChat, 'model' | 'adaptations'>,
): EncodedCall | RequestProblem {
  if (isRequestProblem(request)) return request
  const provider = { descriptor, channel }
  const { native, outline, stream } = request
  const nativeCodec = nativeCodecOf(descriptor)
  if (native?.dialect === descriptor.dialect && nativeCodec !== undefined) {
    const { headers: forwarded } = native
    const call = { model, channel, now: NOW, id: REQUEST_ID, endpoint: 'chat', stream } as const
    const sent = { headers: forwarded, body: native.encode({ model, adaptations }) }
    return nativeCodec.encode({ ...call, request: outline }, sent)
  }
  if (native?.obstacle) return native.obstacle
  try {
    return encode(provider, { request, call: callFor(provider, request, { model, adaptations }) })
  } catch (error) {
    if (error instanceof UnsupportedParameterError) return problem(error.message, error.param)
    throw error
  }
}

/** What the provider gets, or why the request is refused. */
export function describeUpstreamRequest(provider: Provider, given: ClientRequest): JsonRecord {
  try {
    const built = buildCall(provider, given)
    if (isRequestProblem(built)) return refusalOf(built)
    const { transport, url, headers, body } = encode(provider, built)
    const text = body.toString()
    const described = { url, headers, body: parseJson(text) ?? text }
    return transport === undefined ? { method: 'POST', ...described } : { transport, ...described }
  } catch (error) {
    if (error instanceof UnsupportedParameterError) return refusalOf(error)
    if (error instanceof MalformedKey) return { malformedKey: error.message }
    throw error
  }
}

const refusalOf = ({ param, message }: Pick<RequestProblem, 'param' | 'message'>) => ({
  refused: param,
  message,
})

function encode(
  { descriptor }: Provider,
  { request, call }: { request: RelayRequest; call: Call },
): EncodedCall {
  const codec = codecOf(descriptor)
  const encoded =
    'body' in call
      ? (taskCodecOf(descriptor, call.endpoint) ?? codec)?.encodeTask?.(call)
      : codec?.encode(call)
  if (encoded !== undefined) return encoded
  const { endpoint, model, channel } = call
  const url = upstreamUrl({
    descriptor,
    baseUrl: channel.baseUrl,
    path: RELAY_PATHS[endpoint],
    model,
  })
  const contentType = 'application/json'
  const site = { siteUrl: '', siteName: '' }
  const headers = upstreamHeaders({
    descriptor,
    key: channel.key,
    contentType,
    accept: '*/*',
    ...site,
  })
  const { baseUrl } = channel
  const { adaptations } = 'body' in call ? {} : call
  const target = { model, descriptor, baseUrl, adaptations }
  return { url: url ?? '', headers, body: encodeRequest(request, target) }
}

function endpointAt(path: string): RelayEndpoint {
  const found = Object.entries(RELAY_PATHS).find(([, known]) => known === path)
  if (found === undefined) throw new Error(`${path} is no path of the API`)
  // Safe because the entries are those of RELAY_PATHS.
  return found[0] as RelayEndpoint
}

export function requestOf(value: unknown): ClientRequest {
  if (!isRecord(value) || !isRecord(value['body'])) throw new Error('a request has a body')
  // Safe because nothing but `body` is needed; a wrong value of another member shows in the result.
  return value as ClientRequest
}
