import type { ChargeBasis } from '@tollgate/contract'
import type { Usage } from '@tollgate/relay'

/** How a receipt shows reported usage that was not charged. */
export const overruledPart = ({
  promptTokens,
  completionTokens,
  reasoningTokens,
}: Usage): NonNullable<ChargeBasis['overruled']> => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  reasoning_tokens: reasoningTokens,
})
