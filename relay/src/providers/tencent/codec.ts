import { versionedAddress, jsonHeaders } from '../../addresses/upstream-request.ts'
import { MalformedKey } from '../../form/codec-errors.ts'
import { openaiFormCall, openaiFormDecoder } from '../../wires/openai-chat/openai-form.ts'
import type { AnswerCodec, EncodedCall, ProviderCall } from '../../wires/provider-codec.ts'
import { tencent } from './descriptor.ts'
import { chatBody, embeddingsBody } from './request.ts'
import { type Secret, signature } from './sign.ts'
import { decodeAnswer, nativeDecoder } from './stream.ts'

/*
 * Tencent Hunyuan (https://cloud.tencent.com/document/product/1729/101836, 2025-12, and the SDK's
 * types, 4.1.188). A three-part key uses the native API, signed with TC3-HMAC-SHA256. A plain key
 * uses the API in OpenAI's format.
 *
 *   translated  system messages (one, at the start), adjacent messages of one role (joined),
 *               images, tools, calls and results, tool_choice, stop (removed from the end), seed
 *               (mapped to 1 to 10000), reasoning_effort (on or off), web_search_options (on);
 *               Tencent's own members by their own names, such as `EnableEnhancement`
 *   rejected    n, logprobs, response_format, audio, video, files, tools that are not functions, a
 *               forced choice among several functions, tokens for embeddings
 *   left out    max_tokens (there is no such member), penalties, logit_bias, user,
 *               parallel_tool_calls, reasoning of earlier turns (the API rejects it), dimensions
 */

const OPENAI_FORM = {
  host: 'tencent',
  baseUrl: 'https://api.hunyuan.cloud.tencent.com',
  version: '/v1',
} as const

export const tencentCodec = {
  encode: (call: ProviderCall) => {
    const secret = secretOf(call.channel.key)
    return secret === null ? openaiFormCall(call, OPENAI_FORM) : signedCall(call, secret)
  },
  answers: {
    decode: (body, call) => (isNative(call) ? decodeAnswer(body, call) : body),
    decoder: (call) => (isNative(call) ? nativeDecoder(call) : openaiFormDecoder()),
  } satisfies AnswerCodec,
}

const isNative = ({ channel }: ProviderCall) => channel.key.includes('|')

/** Null for a key of the API in OpenAI's format. */
function secretOf(key: string): Secret | null {
  if (!key.includes('|')) return null
  const [, id = '', secretKey = '', ...more] = key.trim().split('|')
  if (id !== '' && secretKey !== '' && more.length === 0) return { id, key: secretKey }
  throw new MalformedKey(tencent.keyFormat)
}

function signedCall(call: ProviderCall, secret: Secret): EncodedCall {
  const { endpoint, channel, stream, now } = call
  const isChat = endpoint === 'chat'
  const url = versionedAddress(channel.baseUrl || tencent.baseUrl, '', '/')
  const body = Buffer.from(JSON.stringify(isChat ? chatBody(call) : embeddingsBody(call)))
  const action = isChat ? 'ChatCompletions' : 'GetEmbedding'
  const signed = signature({ secret, url, action, body, now })
  return { url, headers: { ...jsonHeaders(stream), ...signed }, body }
}
