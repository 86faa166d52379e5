import type { TokenUsage } from '@tollgate/contract'

/** Tokens of a request, none of them from the cache. */
export const usageOf = (
  promptTokens: number,
  completionTokens = 0,
  parts: Partial<TokenUsage> = {},
) => ({
  promptTokens,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens,
  reasoningTokens: 0,
  ...parts,
})
