import {
  answerNodesMax,
  CALL_DETAILS,
  codecOf,
  isTaskEndpoint,
  MalformedKey,
  type NativeCodec,
  nativeCodecOf,
  type NativeForm,
  problemFromEncoding,
  problemFromSetup,
  type ProviderCall,
  type ProviderCodec,
  type ProviderDescriptor,
  refuseWrittenTranscript,
  RELAY_PATHS,
  type RelayEndpoint,
  type TaskCodec,
  taskCodecOf,
  UnsupportedParameterError,
  upstreamHeaders,
  upstreamUrl,
} from '@tollgate/relay'
import { CallProblem } from './call-problem.ts'
import type { UpstreamCall } from './exchange.ts'
import { hasRemoteImages, ImageAway, inlineImages } from './inline-images.ts'
import type { HeldToken } from './key-exchange.ts'
import { enterQueue } from './poll-async-task.ts'
import type { Upstream } from './send.ts'

export type SpokenChannel = {
  readonly descriptor: ProviderDescriptor
  readonly baseUrl: string
  readonly other: string
  readonly proxy: string | null
  /** Why the channel's addresses cannot be used; null if they can. */
  readonly addressFault: string | null
}

export type Asked = {
  endpoint: RelayEndpoint
  /** The provider's name for the model. */
  model: string
  stream: boolean
  hasExtensions?: boolean
  key: string
  siteUrl: string
  siteName: string
  /** Epoch milliseconds. */
  now: number
  /** The request id. */
  id: string
  /** The request in OpenAI's form, sent as is to providers that accept it. */
  bytes: () => Buffer
  contentType: string
  json: () => ProviderCall['request']
  /** The request in the client's own dialect; absent if every provider needs a translation. */
  native?: NativeAsked | undefined
}

type NativeAsked = Pick<NativeForm, 'dialect' | 'headers'> & {
  bytes: () => Buffer
  /** The request in OpenAI's form. */
  outline: ProviderCall['request']
}

/**
 * Encodes the request for the channel's provider; a promise if something must be fetched first.
 * Throws, or rejects with, a `CallProblem`.
 */
export function encodeCall(
  channel: SpokenChannel,
  asked: Asked,
  upstream: Pick<Upstream, 'exchangeKey' | 'fetchGuarded' | 'send' | 'limits'>,
): UpstreamCall | Promise<UpstreamCall> {
  if (channel.addressFault !== null) throw unreachable(channel.addressFault)
  const { native } = asked
  if (native !== undefined && native.dialect === channel.descriptor.dialect) {
    const nativeCodec = nativeCodecOf(channel.descriptor)
    if (nativeCodec !== undefined) return nativeCall(nativeCodec, channel, { asked, native })
  }
  const own = taskCodecOf(channel.descriptor, asked.endpoint)
  if (own !== undefined) {
    return codedTask(own, channel, { asked, key: { token: asked.key } }, upstream)
  }
  if (asked.endpoint === 'transcriptions' && channel.descriptor.transcribesToJson === true) {
    named(() => refuseWrittenTranscript(asked.bytes(), asked.contentType))
  }
  const codec = codecOf(channel.descriptor)
  if (codec === undefined) return plainCall(channel, asked)
  return named(() => {
    const { baseUrl, proxy } = channel
    const { exchange } = codec
    const key = exchange?.isNeeded(asked.key)
      ? upstream.exchangeKey(exchange, { baseUrl, key: asked.key, proxy })
      : { token: asked.key }
    if (isTaskEndpoint(asked.endpoint)) return codedTask(codec, channel, { asked, key }, upstream)
    const request = asked.json()
    const isReady = codec.inlinesImages !== true || !hasRemoteImages(request)
    return isReady && !(key instanceof Promise)
      ? codedCall(codec, channel, { asked, key, request })
      : prepared(codec, channel, { asked, key, request }, upstream)
  })
}

async function codedTask(
  codec: Partial<TaskCodec>,
  { baseUrl, other, proxy }: SpokenChannel,
  given: { asked: Asked; key: Key | Promise<Key> },
  upstream: Pick<Upstream, 'send' | 'limits'>,
): Promise<UpstreamCall> {
  const { endpoint, model, contentType, now, id, bytes } = given.asked
  if (codec.encodeTask === undefined || !isTaskEndpoint(endpoint)) {
    throw new Error(`a channel is asked for ${endpoint}, which it does not have`)
  }
  const key = await given.key
  const channel = { baseUrl, key: key.token, other }
  try {
    const call = { endpoint, model, channel, now, id, contentType, body: bytes() }
    const encoded = { ...codec.encodeTask(call), refused: key.refused, proxy }
    const { decodeTask, queue } = codec
    const decode = (body: Buffer) => decodeTask?.(body, call) ?? body
    const reader = { decode, decoder: null, decodesJson: false }
    const read = decodeTask === undefined ? {} : { reader }
    if (!queue?.isNeeded(call)) return { ...encoded, ...read }
    const ask = (ticket: string) => queue.ask(call, ticket)
    const askedWith = { key: key.token, baseUrl, proxy }
    const given = { ...queue, ask, askedWith, now }
    return {
      ...encoded,
      queue: async (stop, taken) => {
        const asking = await enterQueue(upstream, encoded, { ...given, taken }, stop)
        return { ...asking, ...read }
      },
    }
  } catch (error) {
    throw problemOf(error)
  }
}

type Key = Pick<HeldToken, 'token'> & Partial<HeldToken>

type Prepared = { asked: Asked; key: Key; request: ProviderCall['request'] }

/** Sequential, so that no images are fetched for a wrong key. */
async function prepared(
  codec: ProviderCodec,
  channel: SpokenChannel,
  given: Omit<Prepared, 'key'> & { key: Key | Promise<Key> },
  { fetchGuarded }: Pick<Upstream, 'fetchGuarded'>,
): Promise<UpstreamCall> {
  const key = await given.key
  try {
    const request = codec.inlinesImages
      ? await inlineImages(given.request, fetchGuarded)
      : given.request
    return codedCall(codec, channel, { asked: given.asked, key, request })
  } catch (error) {
    throw problemOf(error)
  }
}

function plainCall(channel: SpokenChannel, asked: Asked): UpstreamCall {
  const { descriptor, baseUrl, proxy } = channel
  const { endpoint, model, key, stream, contentType, siteUrl, siteName } = asked
  const url = upstreamUrl({ descriptor, baseUrl, path: RELAY_PATHS[endpoint], model })
  if (url === null) throw unreachable(CALL_DETAILS.noBaseUrl.en)
  const headers = upstreamHeaders({
    descriptor,
    key,
    contentType,
    accept: acceptOf(endpoint, stream),
    siteUrl,
    siteName,
  })
  return { url, headers, body: asked.bytes(), proxy }
}

const unreachable = (detail: string) => new CallProblem(problemFromSetup(detail), 0)

function acceptOf(endpoint: RelayEndpoint, stream: boolean): string {
  if (isTaskEndpoint(endpoint)) return '*/*'
  return stream ? 'text/event-stream' : 'application/json'
}

/** Client and provider share a dialect, so request and answer are not translated. */
function nativeCall(
  codec: NativeCodec,
  { baseUrl, other, proxy }: SpokenChannel,
  { asked, native }: { asked: Asked; native: NativeAsked },
): UpstreamCall {
  const { endpoint, model, stream, now, id, key } = asked
  if (isTaskEndpoint(endpoint)) throw new Error(`${endpoint} is no endpoint of text`)
  const { headers, outline: request } = native
  const channel = { baseUrl, key, other }
  const call: ProviderCall = { endpoint, model, stream, channel, now, id, request }
  return {
    ...codec.encode(call, { headers, body: native.bytes() }),
    proxy,
    native: {
      decode: (body) => codec.decode(body, call),
      unread: codec.unread,
      reader: () => codec.reader(call),
    },
  }
}

function codedCall(
  codec: ProviderCodec,
  { baseUrl, other, proxy }: SpokenChannel,
  { asked, key, request }: Prepared,
): UpstreamCall {
  const { endpoint, model, stream, hasExtensions = false, now, id } = asked
  if (isTaskEndpoint(endpoint)) throw new Error(`${endpoint} is no endpoint of text`)
  const channel = { baseUrl, key: key.token, other }
  const call: ProviderCall = { endpoint, model, stream, hasExtensions, channel, now, id, request }
  const { answers } = codec
  const encoded = { ...codec.encode(call), refused: key.refused, proxy }
  if (answers === undefined) return encoded
  const decoder = stream ? () => answers.decoder(call) : null
  const decodesJson = answers.answersWhole === true
  return {
    ...encoded,
    reader: {
      decode: (body) => answers.decode(body, call),
      nodesMax: answerNodesMax(endpoint),
      decoder,
      decodesJson,
    },
  }
}

function named<Result>(encode: () => Result): Result {
  try {
    return encode()
  } catch (error) {
    throw problemOf(error)
  }
}

function problemOf(error: unknown): unknown {
  if (error instanceof ImageAway) {
    const { message, param } = error
    return new CallProblem(problemFromEncoding(new UnsupportedParameterError(message, param)), 0)
  }
  const isOfCodec = error instanceof UnsupportedParameterError || error instanceof MalformedKey
  return isOfCodec ? new CallProblem(problemFromEncoding(error), 0) : error
}
