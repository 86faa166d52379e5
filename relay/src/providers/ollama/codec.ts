import { splitBase, bearer, jsonHeaders } from '../../addresses/upstream-request.ts'
import type { TextEndpoint } from '../../provider.ts'
import { openaiFormDecoder } from '../../wires/openai-chat/openai-form.ts'
import type { ProviderCall, ProviderCodec } from '../../wires/provider-codec.ts'
import { ollama } from './descriptor.ts'
import { chatBody, completionBody, embeddingBody } from './request.ts'
import { chatDecoder, decodeChat, decodeEmbeddings } from './stream.ts'

/*
 * Ollama: its own protocol for chats (lines of JSON) and embeddings, because only that protocol can
 * enlarge the context (`num_ctx`). Completions use its copy of OpenAI's endpoint.
 *
 * | OpenAI                                        | Ollama                                      |
 * | --------------------------------------------- | ------------------------------------------- |
 * | system, developer                             | system                                      |
 * | text parts, images as data                    | `content`, joined by line ends; `images`    |
 * | images by URL                                 | fetched by the server before; else rejected |
 * | audio, video, files                           | rejected                                    |
 * | `reasoning_content` of earlier turns          | `thinking`                                  |
 * | tool calls (arguments are text)               | `tool_calls` (arguments are an object)      |
 * | tool results                                  | with the function name of their call        |
 * | `tool_choice` none, auto                      | no tools, tools; all others are rejected    |
 * | the output limit                              | `options.num_predict`                       |
 * | temperature, top_p, seed, penalties, stop     | `options`                                   |
 * | `num_ctx`, `top_k`, `min_p` (not OpenAI's)    | `options`                                   |
 * | `response_format`                             | `format`: `json` or the schema              |
 * | `reasoning_effort`                            | `think`                                     |
 * | logprobs, top_logprobs                        | the same                                    |
 * | n, audio output, web search, other tools      | rejected                                    |
 * | logit_bias, user, parallel_tool_calls, names, | left out                                    |
 * | verbosity, metadata and other hints           |                                             |
 *
 * Tool calls without an id get one made from the request id. An answer whose prompt was cached has
 * no prompt count, so the gateway counts tokens.
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
      call.endpoint === 'completions' ? openaiFormDecoder() : chatDecoder(call),
  },
} as const satisfies ProviderCodec

const PATHS: Readonly<Record<TextEndpoint, string>> = {
  chat: '/api/chat',
  completions: '/v1/completions',
  embeddings: '/api/embed',
}

const BODIES = { chat: chatBody, completions: completionBody, embeddings: embeddingBody }

/** Base URLs are often written with the path of one of the two protocols. */
function urlOf({ endpoint, channel }: ProviderCall): string {
  const { address, query } = splitBase(channel.baseUrl.trim() || ollama.baseUrl)
  return address.replace(/(?<=[^/])\/(?:api|v1)$/, '') + PATHS[endpoint] + query
}

function headersOf({ endpoint, stream }: ProviderCall) {
  const headers = jsonHeaders(stream)
  return stream && endpoint === 'chat' ? { ...headers, accept: 'application/x-ndjson' } : headers
}
