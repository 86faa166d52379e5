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
