import { nativeCodecOf, codecOf } from '../src/codecs.ts'
import type { StreamEvent } from '../src/form/events.ts'
import type { ProviderDescriptor } from '../src/provider.ts'
import { ChatStream } from '../src/watch/chat-stream.ts'
import { NativeStream } from '../src/watch/native-stream.ts'
import { StreamObserver } from '../src/watch/stream-observer.ts'
import type { ClientDialect } from '../src/wires/client-dialect.ts'
import type { ProviderCall } from '../src/wires/provider-codec.ts'

/** What the gateway learns of a stream, and the bytes that the client gets. */
export type Relayed = {
  readonly bytes: string
  readonly observer: StreamObserver
}

/** What the gateway charges where the provider reports no usage. */
export const METERED = {
  promptTokens: 10,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 3,
  reasoningTokens: 0,
}

type Upstream = { readonly descriptor: ProviderDescriptor; readonly call: ProviderCall }

/** Relays a stream as the gateway does. `upstream` is null for one of chat completions. */
export function relayStream(
  upstream: Upstream | null,
  client: ClientDialect,
  chunks: readonly Buffer[],
): Relayed {
  const n = upstream?.call.request['n']
  const observer = new StreamObserver({ choices: typeof n === 'number' ? n : 1 })
  const decoder = upstream && codecOf(upstream.descriptor)?.answers?.decoder(upstream.call)
  const encoder = client.createEncoder()
  const out: (Buffer | string)[] = []
  const chat = new ChatStream(observer)
  const pass = (chunk: Buffer) => {
    if (client.readsChatCompletions) out.push(...chat.push(chunk))
    else out.push(encoder.write(chat.read(chunk)))
  }
  if (decoder?.form === 'events') {
    const hear = (events: readonly StreamEvent[]) =>
      out.push(encoder.write(events.filter((event) => observer.observe(event))))
    for (const chunk of chunks) hear(decoder.push(chunk))
    hear(decoder.end())
  } else {
    for (const chunk of chunks) {
      for (const block of decoder?.push(chunk) ?? [chunk]) pass(block)
    }
    for (const block of decoder?.end() ?? []) pass(block)
    if (client.readsChatCompletions) out.push(...chat.end())
    else out.push(encoder.write(chat.readEnd()))
  }
  const isReported = observer.usageInStandardField && observer.usage !== null
  const usage = {
    head: { ...observer.head, model: observer.model ?? 'm' },
    ...METERED,
    reported: isReported ? observer.withheldUsage : null,
  }
  const end = isReported && observer.withheldUsage === null ? null : usage
  return { bytes: out.map(String).join('') + encoder.end(end), observer }
}

/** Relays a stream to a client of the same dialect. */
export function passStream(
  { descriptor, call }: Upstream,
  client: ClientDialect,
  chunks: readonly Buffer[],
): Relayed | null {
  const codec = nativeCodecOf(descriptor)
  const encoder = client.createEncoder()
  if (codec === undefined || encoder.native === undefined) return null
  const { n } = call.request
  const observer = new StreamObserver({ choices: typeof n === 'number' ? n : 1 })
  const stream = new NativeStream(observer, codec.reader(call))
  const out: Buffer[] = []
  for (const chunk of chunks) {
    if (stream.isDelta(chunk)) out.push(encoder.native.passDelta(chunk))
    else out.push(...encoder.native.passThrough(stream.push(chunk)))
  }
  out.push(...encoder.native.passThrough(stream.end()))
  const isMissing = !observer.usageInStandardField || observer.usage === null
  out.push(encoder.native.end(stream.ending, isMissing ? METERED : null))
  return { bytes: Buffer.concat(out).toString(), observer }
}
