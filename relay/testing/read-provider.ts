import { asSteps, finish } from '../src/bytes/steps.ts'
import { codecOf, taskCodecOf } from '../src/codecs.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import type { Answer, Decoded } from '../src/form/answer.ts'
import { decodeWhole } from '../src/streams/testing/decode-whole.ts'
import { ChatStream } from '../src/watch/chat-stream.ts'
import { StreamObserver } from '../src/watch/stream-observer.ts'
import { chunksOf } from '../src/wires/openai-chat/testing/chat.ts'
import type { AnswerCodec } from '../src/wires/provider-codec.ts'
import { buildCall, type ClientRequest, type Provider, requestOf } from './client-request.ts'
import type { Fixture } from './fixture-pairs.ts'

/** Reads what a provider answers to a fixture's own request, or else to the plain one. */
export function providerReader(provider: Provider, defaultRequest: ClientRequest) {
  const { descriptor } = provider
  const codec = codecOf(descriptor)
  const answers = (): AnswerCodec => {
    if (codec?.answers === undefined) throw new Error('the codec reads no answers')
    return codec.answers
  }
  const callFor = ({ body, ...rest }: ClientRequest, stream = false) => {
    const built = buildCall(provider, { ...rest, body: stream ? { ...body, stream } : body })
    if (isRequestProblem(built)) throw new Error(built.message)
    return built.call
  }
  const requested = ({ request }: Pick<Fixture, 'request'>) =>
    request === undefined ? defaultRequest : requestOf(request)
  const callOf = (fixture: Pick<Fixture, 'request'>) => {
    const call = callFor(requested(fixture), true)
    if ('body' in call) throw new Error('only texts are streamed')
    return call
  }
  return {
    callFor,
    whole: (fixture: Pick<Fixture, 'bytes' | 'request'>) => {
      const call = callFor(requested(fixture))
      const { endpoint } = call
      if (!('body' in call)) {
        return { endpoint, answer: decodeWhole(answers(), fixture.bytes, call) }
      }
      const { decodeTask } = taskCodecOf(descriptor, endpoint) ?? codec ?? {}
      return { endpoint, answer: decodeTask?.(fixture.bytes, call) ?? fixture.bytes }
    },
    /** The typed answer of a chat; null for answers in OpenAI's form, embeddings and tasks. */
    answer: (fixture: Pick<Fixture, 'bytes' | 'request'>): Answer | null => {
      const call = callFor(requested(fixture))
      if (codec?.answers === undefined || 'body' in call) return null
      const decoded = finish(asSteps<Decoded>(codec.answers.decode(fixture.bytes, call)))
      return Buffer.isBuffer(decoded) ? null : decoded
    },
    callOf,
    stream: (fixture: Pick<Fixture, 'request'>) => {
      const call = callOf(fixture)
      return (chunks: readonly Buffer[]): Replayed => {
        const decoder = answers().decoder(call)
        const observer = new StreamObserver()
        if (decoder.form === 'chunks') {
          const chat = new ChatStream(observer)
          const blocks = [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()]
          for (const block of blocks) chat.push(block)
          chat.end()
          return { chunks: Buffer.concat(blocks), observer }
        }
        const events = [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()]
        for (const event of events) observer.observe(event)
        return { chunks: chunksOf(events), observer }
      }
    },
  }
}

/** What a decoder makes of a stream, as chunks of chat completions, and what the gateway learns. */
export type Replayed = { readonly chunks: Buffer; readonly observer: StreamObserver }

export type Reader = ReturnType<typeof providerReader>
