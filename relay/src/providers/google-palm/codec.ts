import type { AnswerCodec, ProviderCall, ProviderCodec } from '../../wires/provider-codec.ts'
import { geminiCodec } from '../google-gemini/codec.ts'
import { decode, decoder } from './answer.ts'
import { encode } from './request.ts'

/*
 * Google's PaLM API, which was shut down in 2024. Channels of this type still
 * work with the names of Gemini models, which use Gemini's codec.
 *
 * | OpenAI | PaLM |
 * |---|---|
 * | system and developer messages | `prompt.context` |
 * | user and assistant messages, text only | `prompt.messages` |
 * | temperature, top_p, top_k, n | the same |
 *
 * Left out, because PaLM has no equivalent: output limits, seed, penalties, logit_bias,
 * reasoning_effort, user. Rejected: tools, functions, stop, response_format, logprobs, parts that
 * are not text, n above 8. PaLM reports no usage, so the gateway counts tokens.
 */
export const palmCodec: ProviderCodec & { readonly answers: AnswerCodec } = {
  encode: (call) => (isGemini(call) ? geminiCodec.encode(call) : encode(call)),
  answers: {
    decode: (body, call) =>
      isGemini(call) ? geminiCodec.answers.decode(body, call) : decode(body, call),
    decoder: (call) => (isGemini(call) ? geminiCodec.answers.decoder(call) : decoder(call)),
    neverStreams: true,
  },
  inlinesImages: true,
}

const isGemini = ({ model }: ProviderCall) => /^(?:models\/)?gem(?:ini|ma)-/.test(model)
