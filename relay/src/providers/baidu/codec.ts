import { versionedAddress, jsonHeaders, withQuery } from '../../addresses/upstream-request.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { openaiFormDecoder } from '../../wires/openai-chat/openai-form.ts'
import type {
  AnswerCodec,
  EncodedCall,
  ProviderCall,
  TaskCall,
} from '../../wires/provider-codec.ts'
import { baidu } from './descriptor.ts'
import { chatPath, embeddingsPath } from './endpoints.ts'
import { hasToken, tokenExchange } from './exchange.ts'
import { chatBody, embeddingsBody } from './request.ts'
import { decodeAnswer, wenxinDecoder } from './stream.ts'
import { secondVersionCall, secondVersionTask } from './v2.ts'

/*
 * Baidu Wenxin (sources: bce-qianfan-sdk, 2025-12, and cloud.baidu.com's error page for V2,
 * 2026-07). A two-part key is exchanged for an access token and uses V1, which has a URL per model.
 * A key `bce-v3/…` (optionally with `|appid`) uses V2, in OpenAI's format.
 *
 *   V1 translated  system messages (joined), adjacent messages of one role (joined), functions,
 *                  calls and results (parallel calls in sequence), tool_choice,
 *                  max_completion_tokens, stop, user, temperature and top_p (within limits),
 *                  frequency_penalty (as penalty_score), json_object; `disable_search`,
 *                  `enable_citation` and `penalty_score` by their own names
 *   V1 rejected    n, logprobs, json_schema, audio, images, files, tools that are not functions,
 *                  a forced choice among several functions, results without a call, tokens for
 *                  embeddings
 *   V1 left out    presence_penalty, logit_bias, seed, parallel_tool_calls, reasoning_effort,
 *                  dimensions
 *   V2 translated  developer messages, reasoning_effort, web_search_options, the model's name
 *                  (lower case)
 */

export const baiduCodec = {
  encode: (call: ProviderCall) =>
    isFirst(call) ? firstVersionCall(call) : secondVersionCall(call),
  encodeTask: (call: TaskCall) => {
    if (!hasToken(call.channel.key)) return secondVersionTask(call)
    throw parameterError('Keys of two parts have no such endpoint; it takes a key bce-v3/….')
  },
  answers: {
    decode: (body, call) => (isFirst(call) ? decodeAnswer(body, call) : body),
    decoder: (call) => (isFirst(call) ? wenxinDecoder(call) : openaiFormDecoder()),
  } satisfies AnswerCodec,
  tokenExchange,
}

const isFirst = ({ channel }: ProviderCall) => hasToken(channel.key)

function firstVersionCall(call: ProviderCall): EncodedCall {
  const { endpoint, channel, model, stream } = call
  const isChat = endpoint === 'chat'
  const path = isChat ? chatPath(model) : embeddingsPath(model)
  const url = versionedAddress(channel.baseUrl || baidu.baseUrl, '', path)
  return {
    url: withQuery(url, channel.key),
    headers: jsonHeaders(stream),
    body: Buffer.from(JSON.stringify(isChat ? chatBody(call) : embeddingsBody(call))),
  }
}
