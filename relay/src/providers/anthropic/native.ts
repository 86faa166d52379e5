import type { NativeCodec } from '../../codec/native-codec.ts'
import { decode } from './answer.ts'
import { messagesCall } from './request.ts'
import { nativeReader } from './stream.ts'

export const anthropicNative: NativeCodec = {
  encode: messagesCall,
  decode,
  reader: nativeReader,
}
