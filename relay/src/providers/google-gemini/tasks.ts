import type { EncodedCall, TaskCall } from '../../wires/provider-codec.ts'
import { decodeContentImage, isContentImage, encodeContentImage } from './content-images.ts'
import { decodeImages, encodeImages } from './images.ts'
import { decodeSpeech, encodeSpeech } from './speech.ts'

export function encodeTask(call: TaskCall): EncodedCall {
  if (call.endpoint === 'speech') return encodeSpeech(call)
  return isContentImage(call) ? encodeContentImage(call) : encodeImages(call)
}

export function decodeTask(body: Buffer, call: TaskCall): Buffer {
  if (call.endpoint === 'speech') return decodeSpeech(body, call)
  return isContentImage(call) ? decodeContentImage(body, call) : decodeImages(body, call)
}
