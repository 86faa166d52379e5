import { finish, asSteps } from '../../steps.ts'
import type { AnswerCodec, ProviderCall } from '../provider-codec.ts'

export const decodeWhole = (
  answers: Pick<AnswerCodec, 'decode'>,
  body: Buffer,
  call: ProviderCall,
): Buffer => finish(asSteps(answers.decode(body, call)))
