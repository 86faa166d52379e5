import type { Meter } from '@opentelemetry/api'
import type { EndRecord } from '../ledger/record.ts'
import { attemptErrorOf, errorTypeOf, operationOf } from './attributes.ts'
import { providerName } from './provider-names.ts'
import type { OpenTrace } from './request-traces.ts'

const MS = 1000
/** The bounds that the conventions recommend. */
const DURATION_SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]
const FIRST_TOKEN_SECONDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
]
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304]
/** Requests that no channel served may name any model. */
const OTHER_MODEL = 'other'

/** Returns a function that measures an ended request. The SDK bounds the number of series. */
export function createInstruments(meter: Meter): (record: EndRecord, open: OpenTrace) => void {
  const seconds = (name: string, boundaries: number[]) =>
    meter.createHistogram(name, { unit: 's', advice: { explicitBucketBoundaries: boundaries } })
  const requestDuration = seconds('gen_ai.server.request.duration', DURATION_SECONDS)
  const firstToken = seconds('gen_ai.server.time_to_first_token', FIRST_TOKEN_SECONDS)
  const attemptDuration = seconds('gen_ai.client.operation.duration', DURATION_SECONDS)
  const tokenUsage = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    advice: { explicitBucketBoundaries: TOKENS },
  })

  return (record, open) => {
    const { context, channel, elapsedMs, firstTokenMs, attempts } = record
    const operation = { 'gen_ai.operation.name': operationOf(open.endpoint) }
    const model = channel === 0 ? OTHER_MODEL : context.model
    const asked = { ...operation, 'gen_ai.request.model': model }
    requestDuration.record(elapsedMs / MS, { ...asked, ...errorAttribute(errorTypeOf(record)) })
    if (context.isStream && firstTokenMs > 0) firstToken.record(firstTokenMs / MS, asked)
    for (const [index, attempt] of attempts.entries()) {
      const started = open.attempts[index]
      if (started === undefined) return
      const called = {
        ...operation,
        'gen_ai.provider.name': providerName(started.channelType),
        'gen_ai.request.model': attempt.model ?? OTHER_MODEL,
      }
      const error = errorAttribute(attemptErrorOf(attempt))
      attemptDuration.record(attempt.milliseconds / MS, { ...called, ...error })
      const { prompt_tokens: input = 0, completion_tokens: output = 0 } = attempt
      if (input > 0) tokenUsage.record(input, { ...called, 'gen_ai.token.type': 'input' })
      if (output > 0) tokenUsage.record(output, { ...called, 'gen_ai.token.type': 'output' })
    }
  }
}

const errorAttribute = (type: string | undefined) =>
  type === undefined ? undefined : { 'error.type': type }
