import type { EncodedCall, TaskCall } from '../../codec/provider-codec.ts'
import { decodeDrawn, draws, encodeDrawn } from './drawn-images.ts'
import { decodeImages, encodeImages } from './images.ts'
import { decodeSpeech, encodeSpeech } from './speech.ts'

export function encodeTask(call: TaskCall): EncodedCall {
  if (call.endpoint === 'speech') return encodeSpeech(call)
  return draws(call) ? encodeDrawn(call) : encodeImages(call)
}

export function decodeTask(body: Buffer, call: TaskCall): Buffer {
  if (call.endpoint === 'speech') return decodeSpeech(body, call)
  return draws(call) ? decodeDrawn(body, call) : decodeImages(body, call)
}
