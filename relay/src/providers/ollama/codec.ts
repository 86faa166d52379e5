import { splitBase } from '../../base-address.ts'
import type { ProviderCall, ProviderCodec } from '../../codec/provider-codec.ts'
import { bearer, jsonHeaders } from '../../codec/request-url.ts'
import type { TextEndpoint } from '../../provider.ts'
import { decodeChat, decodeEmbeddings } from './answer.ts'
import { ollama } from './descriptor.ts'
import { chatBody, completionBody, embeddingBody } from './request.ts'
import { chatDecoder, passingDecoder } from './stream.ts'

/*
 * Ollama: its own protocol for chats (lines of JSON) and embeddings, since only there the context can be
 * made larger (`num_ctx`); completions go to its copy of OpenAI's endpoint.
 *
 * | OpenAI                                        | Ollama                                            |
 * | --------------------------------------------- | ------------------------------------------------- |
 * | system, developer                             | system                                            |
 * | text parts, images as data                    | `content`, joined by line ends; `images`          |
 * | images by address                             | fetched by the server before this; else refused   |
 * | audio, video, files                           | refused                                           |
 * | `reasoning_content` of earlier turns          | `thinking`                                        |
 * | tool calls (arguments are text)               | `tool_calls` (arguments are an object)            |
 * | tool results                                  | with the name that belongs to their id            |
 * | `tool_choice` none, auto                      | no tools, tools; all others are refused           |
 * | the output limit                              | `options.num_predict`                             |
 * | temperature, top_p, seed, penalties, stop     | `options`                                         |
 * | `num_ctx`, `top_k`, `min_p` (not OpenAI's)    | `options`                                         |
 * | `response_format`                             | `format`: `json` or the schema                    |
 * | `reasoning_effort`                            | `think`                                           |
 * | logprobs, top_logprobs                        | the same                                          |
 * | n, audio out, web search, tools of other types| refused                                           |
 * | logit_bias, user, parallel_tool_calls, names, | left out                                          |
 * | verbosity, metadata and other hints           |                                                   |
 *
 * Ids of tool calls that Ollama does not give are made of the request's. An answer whose prompt was cached
 * has no count of it: then the gateway counts.
 */
export const ollamaCodec = {
  inlinesImages: true,
  encode: (call) => ({
    url: urlOf(call),
    headers: {
      ...(call.channel.key.trim() === '' ? {} : bearer(call.channel.key)),
      ...headersOf(call),
    },
    body: Buffer.from(JSON.stringify(BODIES[call.endpoint](call))),
  }),
  answers: {
    decode: (body: Buffer, call: ProviderCall) => {
      if (call.endpoint === 'completions') return body
      return call.endpoint === 'chat' ? decodeChat(body, call) : decodeEmbeddings(body, call)
    },
    decoder: (call: ProviderCall) =>
      call.endpoint === 'completions' ? passingDecoder() : chatDecoder(call),
  },
} as const satisfies ProviderCodec

const PATHS: Readonly<Record<TextEndpoint, string>> = {
  chat: '/api/chat',
  completions: '/v1/completions',
  embeddings: '/api/embed',
}

const BODIES = { chat: chatBody, completions: completionBody, embeddings: embeddingBody }

/** Addresses are often written with the path of one of the two protocols. */
function urlOf({ endpoint, channel }: ProviderCall): string {
  const { address, query } = splitBase(channel.baseUrl.trim() || ollama.baseUrl)
  return address.replace(/(?<=[^/])\/(?:api|v1)$/, '') + PATHS[endpoint] + query
}

function headersOf({ endpoint, stream }: ProviderCall) {
  const headers = jsonHeaders(stream)
  return stream && endpoint === 'chat' ? { ...headers, accept: 'application/x-ndjson' } : headers
}
