import { upstreamUrl, bearer, jsonHeaders } from '../../addresses/upstream-request.ts'
import { jsonIn } from '../../bytes/json-parse.ts'
import { type JsonRecord, member, textOf } from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import { embeddingsAnswer } from '../../wires/encode-vectors.ts'
import type { ProviderCall, ProviderCodec } from '../../wires/provider-codec.ts'
import { minimax } from './descriptor.ts'
import { chatBody, embeddingBody } from './request.ts'
import { chatDecoder, decodeChat } from './stream.ts'
import { decodeTask, taskRequest } from './tasks.ts'

/*
 * MiniMax: OpenAI's format with limits of its own (request.ts), failures in `base_resp` of answers
 * with status 200, and streams that end with the whole message repeated. Old keys need
 * `?GroupId=…`, which an operator appends to the base URL.
 */
export const minimaxCodec = {
  encode: (call) => {
    const request =
      call.endpoint === 'embeddings'
        ? { path: '/v1/embeddings', body: embeddingBody(call) }
        : { path: '/v1/text/chatcompletion_v2', body: chatBody(call) }
    return encoded(call.channel, request, call.stream)
  },
  encodeTask: (call) => encoded(call.channel, taskRequest(call), false),
  decodeTask,
  answers: {
    decode: (body: Buffer, call: ProviderCall) =>
      call.endpoint === 'embeddings' ? decodeEmbeddings(body, call) : decodeChat(body),
    decoder: chatDecoder,
  },
} as const satisfies ProviderCodec

const encoded = (
  { baseUrl, key }: ProviderCall['channel'],
  { path, body }: { readonly path: string; readonly body: JsonRecord },
  stream: boolean,
) => ({
  url: upstreamUrl({ descriptor: minimax, baseUrl, path }) ?? '',
  headers: { ...bearer(key), ...jsonHeaders(stream) },
  body: Buffer.from(JSON.stringify(body)),
})

function decodeEmbeddings(body: Buffer, { request, model }: ProviderCall): Buffer | Steps<Buffer> {
  const json = jsonIn(body)
  const vectors = member(json, 'vectors')
  if (!Array.isArray(vectors) || vectors.length === 0) return body
  const tokens = member(json, 'total_tokens')
  const counted = typeof tokens === 'number' && tokens > 0 ? tokens : null
  const named = textOf(member(json, 'model')) || model
  return embeddingsAnswer({ request, model: named }, vectors, counted)
}
