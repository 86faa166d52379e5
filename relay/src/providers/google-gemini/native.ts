import type { NativeCodec } from '../../codec/native-codec.ts'
import { decodeEmbeddings, embeddingsCall } from './embeddings.ts'
import { generateCall } from './request.ts'
import { decodeChat, nativeReader } from './stream.ts'

export const geminiNative: NativeCodec = {
  encode: (call, request) =>
    call.endpoint === 'embeddings' ? embeddingsCall(call, request) : generateCall(call, request),
  decode: (body, call) =>
    call.endpoint === 'embeddings' ? decodeEmbeddings(body, call) : decodeChat(body, call),
  skippedMembers: new Set(['logprobsResult']),
  reader: nativeReader,
}
