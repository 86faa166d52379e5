import { isRecord, omit, parseJson } from '../../bytes/json-value.ts'
import { asSteps, finish } from '../../bytes/steps.ts'
import type { Decoded } from '../../form/answer.ts'
import { NO_USAGE } from '../../usage/usage.ts'
import { writeChatAnswer } from '../../wires/openai-chat/chat-answer.ts'
import type { AnswerCodec, ProviderCall } from '../../wires/provider-codec.ts'

/** What a client of chat completions gets, without usage that the provider does not report. */
export const decodeWhole = (
  answers: Pick<AnswerCodec, 'decode'>,
  body: Buffer,
  call: ProviderCall,
): Buffer => chatBytes(finish(asSteps<Decoded>(answers.decode(body, call))))

function chatBytes(decoded: Decoded): Buffer {
  if (Buffer.isBuffer(decoded)) return decoded
  const written = finish(writeChatAnswer(decoded, { usage: NO_USAGE, bytes: 0 }))
  const json = parseJson(written.toString())
  if (decoded.usage !== null || !isRecord(json)) return written
  return Buffer.from(JSON.stringify(omit(json, 'usage')))
}

/** What an answer in OpenAI's form becomes, whole and streamed. */
export function passedUnchanged(answers: AnswerCodec, call: ProviderCall) {
  const body = Buffer.from('{"choices":[]}')
  const decoder = answers.decoder(call)
  if (decoder.form !== 'chunks') throw new Error('the codec reads events')
  const chunks = decoder.push(Buffer.from('data: {"choices":[]}\n\ndata: [DONE]'))
  return {
    isSame: decodeWhole(answers, body, call) === body,
    events: [...chunks, ...decoder.end()].map(String),
  }
}

export const PASSED = {
  isSame: true,
  events: ['data: {"choices":[]}\n\n', 'data: [DONE]\n\n'],
}
