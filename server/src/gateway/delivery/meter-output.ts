import type { RunningAttempt } from '../attempts/running-attempt.ts'
import type { Metered } from '../billing/meter.ts'
import type { RelayContext, RelayDeps } from '../context.ts'

/** Only reported usage shows how much a model writes, and how fast. */
export function learnOutputSize(
  { expectedOutput }: Pick<RelayDeps, 'expectedOutput'>,
  { parsedRequest, caller }: RelayContext,
  { probe }: RunningAttempt,
  { source, usage }: Metered,
) {
  const { task, endpoint, model } = parsedRequest
  if (source !== 'reported' || task !== undefined || endpoint === 'embeddings') return
  expectedOutput.add({ token: caller.token.id, model }, usage.completionTokens)
  probe.addOutputTokens(usage.completionTokens / parsedRequest.choices)
}

/** Whether an answer without output is not charged. */
export const isFreeIfEmpty = ({ terms }: RelayContext) => terms.options.EmptyAnswers !== 'charge'
