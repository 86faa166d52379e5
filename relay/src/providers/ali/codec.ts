import {
  headerText,
  bearer,
  versionedAddress,
  jsonHeaders,
} from '../../addresses/upstream-request.ts'
import type { JsonRecord } from '../../bytes/json-value.ts'
import type {
  AnswerCodec,
  EncodedCall,
  ProviderCall,
  TaskCall,
} from '../../wires/provider-codec.ts'
import { ali } from './descriptor.ts'
import { chatRequest, embeddingsRequest } from './request.ts'
import { dashscopeDecoder, decodeAnswer } from './stream.ts'
import { aliQueue, decodeTask, taskRequest } from './tasks.ts'

/*
 * Alibaba's DashScope in its native format (sources: dashscope-sdk-python, 2026-07, and the
 * Model Studio pages "DashScope API reference", 2026-03), because only that format supports
 * plugins. Requests to vision and audio models, and messages with non-text content, use a URL of
 * their own.
 *
 *   translated  developer messages, images, audio, video, tools, calls and results, tool_choice,
 *               parallel_tool_calls, n, seed, stop, presence_penalty, temperature and top_p (open
 *               intervals), max_completion_tokens, response_format, logprobs, cache_control,
 *               reasoning_effort, web_search_options, the model suffix `-internet` (searches),
 *               encoding_format; DashScope's own members by their own names, such as
 *               `enable_search` and `top_k`
 *   rejected    audio output, files, tools that are not functions, a forced choice among several
 *               functions, tokens for embeddings
 *   left out    frequency_penalty, logit_bias, user, service_tier, store, metadata, prediction,
 *               verbosity
 */

const VERSION = '/api/v1'
/** Path of the OpenAI-compatible API, which is not used here but which operators often copy. */
const OTHER_FORM = /\/compatible-mode\/v1\/*$/

export const aliCodec = {
  encode: (call: ProviderCall) => {
    const request = call.endpoint === 'chat' ? chatRequest(call) : embeddingsRequest(call)
    return encoded(call, request, call.stream ? { 'x-dashscope-sse': 'enable' } : {})
  },
  encodeTask: (call: TaskCall) => {
    const request = taskRequest(call)
    return encoded(call, request, request.isQueued ? { 'x-dashscope-async': 'enable' } : {})
  },
  decodeTask,
  queue: aliQueue(addressOf),
  answers: { decode: decodeAnswer, decoder: dashscopeDecoder } satisfies AnswerCodec,
}

function encoded(
  call: ProviderCall | TaskCall,
  { path, body }: { readonly path: string; readonly body: JsonRecord },
  mode: Readonly<Record<string, string>>,
): EncodedCall {
  const { url, headers } = addressOf(call, path)
  return {
    url,
    headers: { ...jsonHeaders('stream' in call && call.stream), ...headers, ...mode },
    body: Buffer.from(JSON.stringify(body)),
  }
}

function addressOf({ channel }: ProviderCall | TaskCall, path: string) {
  const plugin = headerText(channel.other)
  const base = channel.baseUrl.trim().replace(OTHER_FORM, '') || ali.baseUrl
  return {
    url: versionedAddress(base, VERSION, path),
    headers: {
      ...bearer(channel.key),
      ...(plugin === '' ? {} : { 'x-dashscope-plugin': plugin }),
    },
  }
}
