import { outputTokensMost, type Usage } from '@tollgate/relay'
import type { Job } from './end-request.ts'
import type { PricedTarget } from './reserve.ts'

/** A prompt beyond what the request shows: a provider's own texts before it, and what a knowledge base added. */
const UNSHOWN_PROMPT_TOKENS = 32_768
/** Of one answer, of models that no list knows: twice what any of the listed ones writes (`output-most.ts`). */
const OUTPUT_TOKENS_MOST = 262_144
/** Above a limit that is heeded: the ends of turns, and the frames of calls. */
const OUTPUT_SLACK = 256

/** The most tokens that a request can have cost, in all its answers. */
export type UsageBounds = {
  readonly promptTokens: number
  /** Of what is limited; not every vendor limits thinking. */
  readonly writtenTokens: number
  readonly completionTokens: number
}

export function usageBounds(
  { asked, reservation }: Pick<Job, 'asked' | 'reservation'>,
  target: PricedTarget,
): UsageBounds {
  const { upstreamModel, channel } = target
  const { task, choices, unpriced, hasFiles = false, sumsUp = false } = asked
  const { promptTokensMost, outputLimit } = task?.boundsAt?.(upstreamModel) ?? asked
  const isHeeded = channel.descriptor.ignoresOutputLimit !== true && !sumsUp
  const limit = task === undefined ? (reservation.outputLimit(target) ?? outputLimit) : outputLimit
  return tokenBounds({
    // How long a file is, and what a provider's own tools find, is the provider's to say.
    promptTokens: unpriced || hasFiles ? Infinity : promptTokensMost,
    outputLimit: asked.endpoint === 'embeddings' ? 0 : isHeeded ? limit : null,
    upstreamModel,
    choices,
  })
}

/** `outputLimit` is that of each answer; null where the provider was told none. */
export function tokenBounds({
  promptTokens,
  outputLimit,
  upstreamModel,
  choices,
}: {
  promptTokens: number
  outputLimit: number | null
  upstreamModel: string
  choices: number
}): UsageBounds {
  const most = outputTokensMost(upstreamModel) ?? OUTPUT_TOKENS_MOST
  const inAll = (tokens: number) => (tokens + OUTPUT_SLACK) * choices
  const writtenTokens = inAll(outputLimit ?? most)
  return {
    promptTokens: promptTokens + UNSHOWN_PROMPT_TOKENS,
    writtenTokens,
    completionTokens: outputLimit === 0 ? writtenTokens : Math.max(writtenTokens, inAll(most)),
  }
}

/** Whether a report can be of this request; nobody shall pay one that cannot. */
export const isBelievable = (
  { promptTokens, completionTokens, reasoningTokens }: Usage,
  most: UsageBounds,
): boolean =>
  promptTokens <= most.promptTokens &&
  completionTokens - reasoningTokens <= most.writtenTokens &&
  completionTokens <= most.completionTokens
