import { singleStep, type Steps, type Usage, withCost, withUsage } from '@tollgate/relay'
import { scheduler } from '../../scheduler/fair-scheduler.ts'
import type { AttemptOutcome } from '../attempts/attempt-outcome.ts'
import type { Metered } from '../billing/meter.ts'
import type { RelayContext } from '../context.ts'

export type Answered = AttemptOutcome & { type: 'answered' }

/** The answers of tasks other than text need not be JSON; a header is all that they get. */
export function withCostIn(
  { client, parsedRequest, user }: RelayContext,
  body: Buffer,
  cost: number,
) {
  if (parsedRequest.task !== undefined) return body
  const steps = withCost(body, client.dialect.usagePaths.answer, cost)
  return scheduler.runSized(user, steps, body.length)
}

/** The body in the client's dialect, with the charged usage if the provider did not report that. */
export function answerBody(context: RelayContext, answered: Answered, metered: Metered) {
  const { client, parsedRequest, user } = context
  const { decoded, isNative } = answered
  const body = isNative ? client.dialect.passed(answered.body) : answered.body
  const lacksUsage = metered.source !== 'reported' && parsedRequest.task === undefined
  const isPassed = isNative || (decoded === null && client.dialect.readsChatCompletions)
  if (isPassed && !lacksUsage) return body
  const steps = isPassed
    ? completed(context, { body, isNative }, metered.usage)
    : writtenBody(context, { body, decoded }, metered)
  return scheduler.runSized(user, steps, body.length)
}

function completed(
  { parsedRequest }: RelayContext,
  { body, isNative }: Pick<Answered, 'body' | 'isNative'>,
  usage: Usage,
): Steps<Buffer> {
  if (!isNative) return withUsage(body, usage)
  return parsedRequest.native?.withUsage(body, usage) ?? singleStep(body)
}

function writtenBody(
  { client: { dialect } }: RelayContext,
  { body, decoded }: Pick<Answered, 'body' | 'decoded'>,
  { usage, source }: Metered,
): Steps<Buffer> {
  if (decoded === null) return dialect.embeddings(body)
  const charged = source === 'reported' ? decoded : { ...decoded, usage: null }
  return dialect.answer(charged, { usage, bytes: body.length })
}
