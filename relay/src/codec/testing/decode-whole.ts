import { finish, steadied } from '../../steps.ts'
import type { AnswerCodec, ProviderCall } from '../provider-codec.ts'

export const decodeWhole = (
  answers: Pick<AnswerCodec, 'decode'>,
  body: Buffer,
  call: ProviderCall,
): Buffer => finish(steadied(answers.decode(body, call)))
