import type { NativeCodec } from '../../codec/native-codec.ts'
import { decodeChat } from './answer.ts'
import { generateCall } from './request.ts'
import { nativeReader } from './stream.ts'

/** For clients that speak Google's Gemini API. */
export const geminiNative: NativeCodec = {
  encode: generateCall,
  decode: decodeChat,
  reader: nativeReader,
}
