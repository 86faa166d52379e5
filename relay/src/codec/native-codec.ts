import type { Steps } from '../steps.ts'
import type { EventReader } from './event-decoder.ts'
import type { EncodedCall, ProviderCall } from './provider-codec.ts'

/** What a client wrote in the provider's own dialect. */
export type NativeRequest = {
  /** Of its headers those that are told. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * How a provider is spoken to whose dialect the client speaks: its words go there and back as they are, and
 * what is read of the answer, for the meter and the watch over streams, goes nowhere.
 */
export type NativeCodec = {
  readonly encode: (call: ProviderCall, request: NativeRequest) => EncodedCall
  /** A whole answer in OpenAI's form, as `AnswerCodec` has it. */
  readonly decode: (body: Buffer, call: ProviderCall) => Buffer | Steps<Buffer>
  /** Members of a large answer that neither meter nor watch needs: `LEFT_OUT` may stand for them in `decode`. */
  readonly unread?: ReadonlySet<string>
  /** Of server-sent events; says `wordless` to what OpenAI's form has no words for. */
  readonly reader: (call: ProviderCall) => EventReader
}
