import { headerText, upstreamUrl, bearer, jsonHeaders } from '../../addresses/upstream-request.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import { azureResponsesUrl, azureVersion } from '../../wires/azure-address.ts'
import type { NativeCodec } from '../../wires/native-codec.ts'
import { decode, decoder, nativeReader } from '../../wires/openai-responses/stream-decoder.ts'
import { responsesRequest } from '../../wires/openai-responses/write-request.ts'
import type {
  AnswerCodec,
  ProviderCodec,
  EncodedCall,
  ProviderCall,
} from '../../wires/provider-codec.ts'
import { azureOpenai } from '../azure-openai/descriptor.ts'

/*
 * OpenAI's Responses API (https://platform.openai.com/docs/api-reference/responses), for all
 * channels that offer it.
 *
 * | OpenAI's chat | Responses |
 * |---|---|
 * | the leading system and developer messages | `instructions`; with JSON mode, developer items |
 * | later system and developer messages | developer items |
 * | text, image_url, file, also in tool messages | input_text, input_image, input_file |
 * | tool_calls, tool messages | function_call and custom_tool_call, and their outputs |
 * | tools, tool_choice, parallel_tool_calls | the same, without nesting; `strict` is explicit |
 * | response_format, verbosity | `text` |
 * | reasoning_effort | `reasoning`, with a summary for clients of other dialects |
 * | max_completion_tokens, max_tokens | `max_output_tokens`, at least 16 |
 * | logprobs, top_logprobs | `include`, `top_logprobs` |
 * | temperature, top_p, user, metadata, service_tier | the same, if the model accepts them |
 *
 * Nothing is stored: `store` is false, and reasoning comes back encrypted. The answer has it in
 * `reasoning_details` (reasoning.ts), and its text as `reasoning_content`.
 *
 * Left out as hints: seed, logit_bias, penalties, prediction. Rejected: n above 1, `stop` where the
 * model's chat accepts it, modalities other than text, audio, web_search_options, functions, tools
 * that are neither functions nor custom.
 */
export const responsesCodec = (
  descriptor: ProviderDescriptor,
): ProviderCodec & { readonly answers: AnswerCodec } => ({
  encode: (call) => {
    const body = Buffer.from(JSON.stringify(responsesRequest(descriptor, call)))
    return responsesCall(descriptor, call, body)
  },
  answers: { decode, decoder },
})

/** Requests and answers of clients of the same API pass through. */
export const responsesNative = (descriptor: ProviderDescriptor): NativeCodec => ({
  encode: (call, { body, headers }) => {
    const encoded = responsesCall(descriptor, call, body)
    return { ...encoded, headers: { ...headers, ...encoded.headers } }
  },
  decode,
  skippedMembers: SKIPPED,
  reader: nativeReader,
})

/** Encrypted reasoning and images, which neither the price nor the observer of a stream needs. */
const SKIPPED: ReadonlySet<string> = new Set(['encrypted_content', 'result'])

const PATH = '/v1/responses'

/** Without a base URL the result is no URL, and a connection fails. */
function responsesCall(
  descriptor: ProviderDescriptor,
  { channel, model, stream }: Pick<ProviderCall, 'channel' | 'model' | 'stream'>,
  body: Buffer,
): EncodedCall {
  const { baseUrl, key, other } = channel
  if (descriptor.type === azureOpenai.type) {
    return {
      url: azureResponsesUrl(baseUrl, azureVersion(other)),
      headers: { 'api-key': headerText(key), ...jsonHeaders(stream) },
      body,
    }
  }
  return {
    url: upstreamUrl({ descriptor, baseUrl, path: PATH, model }) ?? '',
    headers: { ...bearer(key), ...jsonHeaders(stream) },
    body,
  }
}
