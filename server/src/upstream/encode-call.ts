import {
  codecOf,
  MalformedKey,
  problemFromEncoding,
  problemFromTransport,
  type ProviderCall,
  type ProviderCodec,
  type ProviderDescriptor,
  RELAY_PATHS,
  type RelayEndpoint,
  Untranslatable,
  upstreamHeaders,
  upstreamUrl,
} from '@tollgate/relay'
import { CallProblem } from './call-problem.ts'
import type { ExchangeKey, HeldToken } from './key-exchange.ts'
import type { UpstreamCall } from './send.ts'

/** What of a channel decides how it is spoken to. */
export type SpokenChannel = {
  readonly descriptor: ProviderDescriptor
  readonly baseUrl: string
  readonly other: string
}

export type Asked = {
  endpoint: RelayEndpoint
  /** As the provider names it. */
  model: string
  stream: boolean
  key: string
  siteUrl: string
  siteName: string
  /** Epoch milliseconds. */
  now: number
  /** Of the request. */
  id: string
  /** In OpenAI's form: as it is sent to those who speak it, and for codecs. */
  bytes: () => Buffer
  json: () => ProviderCall['request']
}

/**
 * The request as the channel's provider takes it; a promise where something has to be asked for first.
 * Throws, or rejects with, a `CallProblem`.
 */
export function encodeCall(
  channel: SpokenChannel,
  asked: Asked,
  exchangeKey: ExchangeKey,
): UpstreamCall | Promise<UpstreamCall> {
  const codec = codecOf(channel.descriptor)
  if (codec === undefined) return plainCall(channel, asked)
  return named(() => {
    const { baseUrl } = channel
    const { exchange } = codec
    if (!exchange?.isNeeded(asked.key)) return codedCall(codec, channel, asked)
    const withToken = ({ token, refused }: HeldToken) =>
      named(() => ({ ...codedCall(codec, channel, { ...asked, key: token }), refused }))
    const held = exchangeKey(exchange, { baseUrl, key: asked.key })
    return held instanceof Promise ? held.then(withToken) : withToken(held)
  })
}

function plainCall({ descriptor, baseUrl }: SpokenChannel, asked: Asked): UpstreamCall {
  const { endpoint, model, key, stream, siteUrl, siteName } = asked
  const url = upstreamUrl({ descriptor, baseUrl, path: RELAY_PATHS[endpoint], model })
  if (url === null) {
    const problem = problemFromTransport('connect')
    throw new CallProblem({ ...problem, detail: 'The channel has no base URL.' }, 0)
  }
  const headers = upstreamHeaders({ descriptor, key, stream, siteUrl, siteName })
  return { url, headers, body: asked.bytes() }
}

function codedCall(
  codec: ProviderCodec,
  { baseUrl, other }: SpokenChannel,
  { endpoint, model, stream, key, now, id, json }: Asked,
): UpstreamCall {
  const channel = { baseUrl, key, other }
  const call: ProviderCall = { endpoint, model, stream, channel, now, id, request: json() }
  const { answers } = codec
  const encoded = codec.encode(call)
  if (answers === undefined) return encoded
  const decoder = stream ? () => answers.decoder(call) : null
  return { ...encoded, reader: { decode: (body) => answers.decode(body, call), decoder } }
}

function named<Result>(encode: () => Result): Result {
  try {
    return encode()
  } catch (error) {
    const isOfCodec = error instanceof Untranslatable || error instanceof MalformedKey
    throw isOfCodec ? new CallProblem(problemFromEncoding(error), 0) : error
  }
}
