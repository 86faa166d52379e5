import type { NativeCodec } from '../native-codec.ts'
import { decodeEmbeddings, embeddingsCall } from './embeddings/provider.ts'
import { decodeChat, nativeReader } from './stream-decoder.ts'
import { generateCall } from './write-request.ts'

export const geminiNative: NativeCodec = {
  encode: (call, request) =>
    call.endpoint === 'embeddings' ? embeddingsCall(call, request) : generateCall(call, request),
  decode: (body, call) =>
    call.endpoint === 'embeddings' ? decodeEmbeddings(body, call) : decodeChat(body, call),
  skippedMembers: new Set(['logprobsResult']),
  reader: nativeReader,
}
