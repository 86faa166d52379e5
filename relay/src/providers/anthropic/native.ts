import type { NativeCodec } from '../../codec/native-codec.ts'
import { messagesCall } from './request.ts'
import { decode, nativeReader } from './stream.ts'

export const anthropicNative: NativeCodec = {
  encode: messagesCall,
  decode,
  reader: nativeReader,
}
