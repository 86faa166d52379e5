import type { AnswerCodec } from '../src/codec/provider-codec.ts'
import { codecOf, taskCodecOf } from '../src/codecs.ts'
import { isRequestProblem } from '../src/request-problem.ts'
import { finish, asSteps } from '../src/steps.ts'
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
  return {
    callFor,
    whole: (fixture: Pick<Fixture, 'bytes' | 'request'>) => {
      const call = callFor(requested(fixture))
      const { endpoint } = call
      if (!('body' in call)) {
        return { endpoint, answer: finish(asSteps(answers().decode(fixture.bytes, call))) }
      }
      const { decodeTask } = taskCodecOf(descriptor, endpoint) ?? codec ?? {}
      return { endpoint, answer: decodeTask?.(fixture.bytes, call) ?? fixture.bytes }
    },
    stream: (fixture: Pick<Fixture, 'request'>) => {
      const call = callFor(requested(fixture), true)
      if ('body' in call) throw new Error('only texts are streamed')
      return (chunks: readonly Buffer[]) => {
        const decoder = answers().decoder(call)
        return Buffer.concat([...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()])
      }
    },
  }
}

export type Reader = ReturnType<typeof providerReader>
