import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord } from '../../bytes/json-value.ts'
import type { EncodedCall, ProviderCall, ProviderCodec } from '../../wires/provider-codec.ts'
import { decode, decoder, isLastFrame } from './answer.ts'
import { spark } from './descriptor.ts'
import { bodyFor } from './request.ts'
import { readKey, signedAddress } from './sign.ts'
import { versionOf } from './version.ts'

/*
 * iFlytek Spark: one request and its answer over a WebSocket at a signed URL.
 *
 * | OpenAI                                    | Spark                                             |
 * | ----------------------------------------- | ------------------------------------------------- |
 * | model                                     | path and domain (version.ts)                      |
 * | system, developer                         | the first message; question and answer for models |
 * |                                           | without system messages                           |
 * | text parts                                | joined by line ends; all other parts are rejected |
 * | the output limit                          | `max_tokens`, at most what the model takes        |
 * | temperature                               | more than 0 and at most 1: the nearest            |
 * | `top_k` (not OpenAI's)                    | 1 to 6: the nearest                               |
 * | tools                                     | `functions` (Max, Ultra, X), else rejected; names |
 * |                                           | that Spark rejects are changed and changed back   |
 * | `tool_choice` none, auto                  | no functions, functions; all others are rejected  |
 * | tool calls and results of earlier turns   | as text of the assistant, and of the role `tool`  |
 * | web_search_options, a tool `web_search`   | on; off unless requested (Pro, Max, Ultra)        |
 * | n, stop, audio, logprobs, response_format | rejected                                          |
 * | top_p, penalties, seed, logit_bias, user, | left out                                          |
 * | parallel_tool_calls, reasoning_effort     |                                                   |
 *
 * An answer calls at most one function; the call id is made from the request id. Spark does not
 * report that an answer was cut short: an answer that used all allowed tokens counts as cut short.
 */
export const sparkCodec = {
  encode: (call): EncodedCall => {
    const key = readKey(call.channel.key)
    const version = versionOf(call)
    const address = addressOf(call.channel.baseUrl, version.path)
    return {
      url: address === null ? '' : signedAddress(address, key, call.now),
      headers: {},
      body: Buffer.from(JSON.stringify(bodyFor(call, version, key.appId))),
      transport: 'websocket',
      isLastMessage: (message: Buffer) => {
        const json = jsonIn(message)
        return isRecord(json) && isLastFrame(json)
      },
    }
  },
  answers: {
    decode: (body: Buffer, call: ProviderCall) => decode(body, call),
    decoder: (call: ProviderCall) => decoder(call),
  },
} as const satisfies ProviderCodec

/** Null if the base is not a URL. */
function addressOf(baseUrl: string, path: string): URL | null {
  const base = (baseUrl.trim() || spark.baseUrl).replace(/^http/i, 'ws')
  if (!URL.canParse(base)) return null
  const address = new URL(base)
  const prefix = address.pathname.replace(/\/+$/, '')
  address.pathname = prefix.endsWith(path) ? prefix : prefix + path
  return address
}
