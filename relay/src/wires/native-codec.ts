import type { Steps } from '../bytes/steps.ts'
import type { Decoded } from '../form/answer.ts'
import type { EventReader } from '../streams/event-reader.ts'
import type { EncodedCall, ProviderCall } from './provider-codec.ts'

/** A request in the provider's own dialect. */
export type NativeRequest = {
  /** The client headers that are passed on. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * Talks to a provider in its own dialect when the client uses that dialect too. Requests and
 * answers pass through unchanged. What the codec decodes serves only metering and `StreamObserver`.
 */
export type NativeCodec = {
  readonly encode: (call: ProviderCall, request: NativeRequest) => EncodedCall
  readonly decode: (body: Buffer, call: ProviderCall) => Decoded | Steps<Decoded>
  /**
   * Large members that neither metering nor `StreamObserver` needs: `SKIPPED_VALUE` may replace
   * them in `decode`.
   */
  readonly skippedMembers?: ReadonlySet<string>
  /**
   * Reads server-sent events. Emits `opaque` for content that has no event of its own.
   */
  readonly reader: (call: ProviderCall) => EventReader
}
