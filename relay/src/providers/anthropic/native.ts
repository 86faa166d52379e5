import type { NativeCodec } from '../../codec/native-codec.ts'
import { decode } from './answer.ts'
import { messagesCall } from './request.ts'
import { nativeReader } from './stream.ts'

/** For clients that speak Anthropic's Messages API. */
export const anthropicNative: NativeCodec = {
  encode: messagesCall,
  decode,
  reader: nativeReader,
}
