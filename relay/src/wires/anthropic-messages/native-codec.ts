import type { NativeCodec } from '../native-codec.ts'
import { decode, nativeReader } from './stream-decoder.ts'
import { messagesCall } from './write-request.ts'

export const anthropicNative: NativeCodec = {
  encode: messagesCall,
  decode,
  reader: nativeReader,
}
