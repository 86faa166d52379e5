import {
  type Adaptations,
  answerNodesMax,
  CALL_DETAILS,
  type ChatForm,
  codecOf,
  type EncodedCall,
  isTaskEndpoint,
  MalformedKey,
  type NameRestorer,
  type NativeCodec,
  nativeCodecOf,
  type NativeForm,
  openaiFormDecoder,
  problemFromEncoding,
  problemFromSetup,
  type ProviderCall,
  type ProviderCodec,
  type ProviderDescriptor,
  rejectTextTranscript,
  RELAY_PATHS,
  type RelayEndpoint,
  siteHeaders,
  type TaskCodec,
  taskCodecOf,
  UnsupportedParameterError,
  upstreamHeaders,
  upstreamUrl,
} from '@tollgate/relay'
import { CallProblem } from './call-problem.ts'
import {
  type ChannelOverrides,
  NO_OVERRIDES,
  withHeaders,
  withOverrides,
} from './channel-overrides.ts'
import type { UpstreamCall } from './exchange.ts'
import { hasRemoteImages, ImageFetchError, inlineImages } from './inline-images.ts'
import type { CachedToken } from './key-exchange.ts'
import { submitAndPoll } from './poll-async-task.ts'
import type { Upstream } from './send.ts'

export type CallChannel = {
  readonly descriptor: ProviderDescriptor
  readonly baseUrl: string
  readonly other: string
  readonly proxy: string | null
  /** Why the channel's addresses cannot be used; null if they can. */
  readonly addressFault: string | null
  readonly overrides: ChannelOverrides
}

export type CallInput = {
  endpoint: RelayEndpoint
  /** The provider's name for the model. */
  model: string
  stream: boolean
  isTranslated?: boolean
  adaptations?: Adaptations
  key: string
  siteUrl: string
  siteName: string
  /** Epoch milliseconds. */
  now: number
  /** The request id. */
  id: string
  content: CallContent
  contentType: string
  /** The request in the client's own dialect; absent if every provider needs a translation. */
  native?: NativeRequest | undefined
}

export type CallContent = {
  /** The request in OpenAI's form, sent as is to providers that accept it. */
  bytes: () => Buffer
  json: () => ProviderCall['request']
  /** The chat for a provider of another wire; null if the provider gets what the client sent. */
  form?: () => ChatForm | null
  /** Null if the client's names of tools are the provider's. */
  nameRestorer?: () => NameRestorer | null
}

type NativeRequest = Pick<NativeForm, 'dialect' | 'headers'> & {
  bytes: () => Buffer
  /** The request in OpenAI's form. */
  outline: ProviderCall['request']
}

/**
 * Encodes the request for the channel's provider; a promise if something must be fetched first.
 * Throws, or rejects with, a `CallProblem`.
 */
export function encodeCall(
  channel: CallChannel,
  input: CallInput,
  upstream: EncodingUpstream,
): UpstreamCall | Promise<UpstreamCall> {
  const { overrides } = channel
  const call = encodePlainCall(channel, input, upstream)
  if (overrides === NO_OVERRIDES) return call
  const override = (encoded: UpstreamCall) => withOverrides(encoded, overrides, input.endpoint)
  return call instanceof Promise ? call.then(override) : override(call)
}

type EncodingUpstream = Pick<Upstream, 'exchangeKey' | 'fetchGuarded' | 'send' | 'limits' | 'clock'>

function encodePlainCall(
  channel: CallChannel,
  input: CallInput,
  upstream: EncodingUpstream,
): UpstreamCall | Promise<UpstreamCall> {
  if (channel.addressFault !== null) throw unreachable(channel.addressFault)
  if (channel.baseUrl.trim() === '' && channel.descriptor.baseUrl === '')
    throw unreachable(CALL_DETAILS.noBaseUrl.en)
  const { native } = input
  if (native !== undefined && native.dialect === channel.descriptor.dialect) {
    const nativeCodec = nativeCodecOf(channel.descriptor)
    if (nativeCodec !== undefined) return nativeCall(nativeCodec, channel, { input, native })
  }
  const taskCodec = taskCodecOf(channel.descriptor, input.endpoint)
  if (taskCodec !== undefined) {
    return taskCall(taskCodec, channel, { input, key: { token: input.key } }, upstream)
  }
  if (input.endpoint === 'transcriptions' && channel.descriptor.jsonTranscriptsOnly === true) {
    withCallProblem(() => rejectTextTranscript(input.content.bytes(), input.contentType))
  }
  const codec = codecOf(channel.descriptor)
  if (codec === undefined) return withCallProblem(() => plainCall(channel, input))
  return withCallProblem(() => {
    const { baseUrl, proxy, overrides } = channel
    const { tokenExchange } = codec
    const { headers } = overrides
    const key = tokenExchange?.isNeeded(input.key)
      ? upstream.exchangeKey(tokenExchange, { baseUrl, key: input.key, proxy, headers })
      : { token: input.key }
    if (isTaskEndpoint(input.endpoint)) return taskCall(codec, channel, { input, key }, upstream)
    const request = input.content.json()
    const form = input.content.form?.() ?? undefined
    const isReady = codec.inlinesImages !== true || !hasRemoteImages(form ?? request)
    return isReady && !(key instanceof Promise)
      ? translatedCall(codec, channel, { input, key, request, form })
      : prepareCall(codec, channel, { input, key, request, form }, upstream)
  })
}

async function taskCall(
  codec: Partial<TaskCodec>,
  { baseUrl, other, proxy, overrides }: CallChannel,
  given: { input: CallInput; key: Key | Promise<Key> },
  upstream: Pick<Upstream, 'send' | 'limits' | 'clock'>,
): Promise<UpstreamCall> {
  const { endpoint, model, contentType, now, id, content } = given.input
  if (codec.encodeTask === undefined || !isTaskEndpoint(endpoint)) {
    throw new Error(`a channel is asked for ${endpoint}, which it does not have`)
  }
  const key = await given.key
  const channel = { baseUrl, key: key.token, other }
  try {
    const call = { endpoint, model, channel, now, id, contentType, body: content.bytes() }
    const encoded = { ...codec.encodeTask(call), onTokenRefused: key.onTokenRefused, proxy }
    const { decodeTask, queue } = codec
    const decode = (body: Buffer) => decodeTask?.(body, call) ?? body
    const decoder = { decode, createStreamDecoder: null, decodesJson: false }
    const decoding = decodeTask === undefined ? {} : { decoder }
    if (!queue?.isNeeded(call)) return { ...encoded, ...decoding }
    const pollRequest = (taskId: string) => queue.pollRequest(call, taskId)
    const { headers } = overrides
    const channelSecrets = { key: key.token, baseUrl, proxy, headers }
    const pollOptions = { ...queue, pollRequest, channelSecrets, now }
    return {
      ...encoded,
      queue: async (stop, onAccepted) => {
        const submitted = { ...encoded, headers: withHeaders(encoded.headers, headers) }
        const resultCall = await submitAndPoll(
          upstream,
          submitted,
          { ...pollOptions, onAccepted },
          stop,
        )
        return { ...resultCall, ...decoding }
      },
    }
  } catch (error) {
    throw problemOf(error)
  }
}

type Key = Pick<CachedToken, 'token'> & Partial<CachedToken>

type Prepared = Required<Pick<ProviderCall, 'request' | 'form'>> & { input: CallInput; key: Key }

/** Sequential, so that no images are fetched for a wrong key. */
async function prepareCall(
  codec: ProviderCodec,
  channel: CallChannel,
  given: Omit<Prepared, 'key'> & { key: Key | Promise<Key> },
  { fetchGuarded }: Pick<Upstream, 'fetchGuarded'>,
): Promise<UpstreamCall> {
  const key = await given.key
  try {
    if (codec.inlinesImages !== true) return translatedCall(codec, channel, { ...given, key })
    const { request, form } = given
    const withImages =
      form === undefined
        ? { request: await inlineImages(request, fetchGuarded) }
        : { form: await inlineImages(form, fetchGuarded) }
    return translatedCall(codec, channel, { ...given, key, ...withImages })
  } catch (error) {
    throw problemOf(error)
  }
}

function plainCall(channel: CallChannel, input: CallInput): UpstreamCall {
  const { descriptor, baseUrl, proxy } = channel
  const { endpoint, model, key, stream, contentType, siteUrl, siteName } = input
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
  return withClientNames({ url, headers, body: input.content.bytes(), proxy }, input)
}

function withClientNames(
  call: UpstreamCall,
  { content, stream }: Pick<CallInput, 'content' | 'stream'>,
): UpstreamCall {
  const restorer = content.nameRestorer?.() ?? null
  if (restorer === null) return call
  const { decoder } = call
  const createStreamDecoder = decoder?.createStreamDecoder ?? (stream ? openaiFormDecoder : null)
  return {
    ...call,
    decoder: {
      decodesJson: false,
      ...decoder,
      decode: (body) => restorer.answer(decoder?.decode(body) ?? body),
      createStreamDecoder: createStreamDecoder && (() => restorer.decoder(createStreamDecoder())),
    },
  }
}

const unreachable = (detail: string) => new CallProblem(problemFromSetup(detail), 0)

function acceptOf(endpoint: RelayEndpoint, stream: boolean): string {
  if (isTaskEndpoint(endpoint)) return '*/*'
  return stream ? 'text/event-stream' : 'application/json'
}

/** Client and provider share a dialect, so request and answer are not translated. */
function nativeCall(
  codec: NativeCodec,
  { descriptor, baseUrl, other, proxy, overrides }: CallChannel,
  { input, native }: { input: CallInput; native: NativeRequest },
): UpstreamCall {
  const { endpoint, model, stream, now, id, key } = input
  if (isTaskEndpoint(endpoint)) throw new Error(`${endpoint} is no endpoint of text`)
  const { headers, outline: request } = native
  const channel = { baseUrl, key, other, cardOf: overrides.cardOf }
  const call: ProviderCall = { endpoint, model, stream, channel, now, id, request }
  return {
    ...withSite(codec.encode(call, { headers, body: native.bytes() }), descriptor, input),
    proxy,
    tap: {
      decode: (body) => codec.decode(body, call),
      skippedMembers: codec.skippedMembers,
      createEventReader: () => codec.reader(call),
    },
  }
}

function withSite(
  call: EncodedCall,
  descriptor: ProviderDescriptor,
  site: Pick<CallInput, 'siteUrl' | 'siteName'>,
): EncodedCall {
  if (descriptor.headers === undefined) return call
  return { ...call, headers: { ...call.headers, ...siteHeaders(descriptor, site) } }
}

function translatedCall(
  codec: ProviderCodec,
  { descriptor, baseUrl, other, proxy, overrides }: CallChannel,
  { input, key, request, form }: Prepared,
): UpstreamCall {
  const { endpoint, model, stream, isTranslated = false, adaptations, now, id } = input
  if (isTaskEndpoint(endpoint)) throw new Error(`${endpoint} is no endpoint of text`)
  const channel = { baseUrl, key: key.token, other, cardOf: overrides.cardOf }
  const call: ProviderCall = {
    endpoint,
    model,
    stream,
    isTranslated,
    adaptations,
    channel,
    now,
    id,
    request,
    form,
  }
  const { answers } = codec
  const encoded = {
    ...withSite(codec.encode(call), descriptor, input),
    onTokenRefused: key.onTokenRefused,
    proxy,
  }
  if (answers === undefined) return withClientNames(encoded, input)
  // Without the messages, which would stay in memory as long as the stream.
  const answered: ProviderCall = { ...call, form: undefined }
  const decoder = {
    decode: (body: Buffer) => answers.decode(body, answered),
    nodesMax: answerNodesMax(endpoint),
    createStreamDecoder: stream ? () => answers.decoder(answered) : null,
    decodesJson: answers.neverStreams === true,
  }
  return withClientNames({ ...encoded, decoder }, input)
}

function withCallProblem<Result>(encode: () => Result): Result {
  try {
    return encode()
  } catch (error) {
    throw problemOf(error)
  }
}

function problemOf(error: unknown): unknown {
  if (error instanceof ImageFetchError) {
    const { message, param } = error
    return new CallProblem(problemFromEncoding(new UnsupportedParameterError(message, param)), 0)
  }
  const isOfCodec = error instanceof UnsupportedParameterError || error instanceof MalformedKey
  return isOfCodec ? new CallProblem(problemFromEncoding(error), 0) : error
}
