import { member } from './json-value.ts'

/** Cached and written tokens are part of the prompt; reasoning is part of the completion. */
export type Usage = {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number
}

/** No model reads or writes more for one request; who reports more is mistaken, and nobody shall pay it. */
const TOKENS_MAX = 2 ** 24

/** Null for anything that cannot be believed: then the gateway counts for itself. */
export function parseUsage(value: unknown): Usage | null {
  const prompt = tokenCount(member(value, 'prompt_tokens'))
  const completion = tokenCount(member(value, 'completion_tokens') ?? 0)
  if (prompt === null || completion === null || prompt + completion === 0) return null
  const total = tokenCount(member(value, 'total_tokens'))
  if (isPlaceholder(prompt, completion, total)) return null

  const reasoning = tokenCount(detail(value, 'completion_tokens_details', 'reasoning_tokens')) ?? 0
  // Some vendors (xAI) leave reasoning out of completion_tokens and show it only in the total.
  const apart = reasoning > 0 && total === prompt + completion + reasoning
  const completionTokens = apart ? completion + reasoning : completion
  const cachedTokens = Math.min(reportedCache(value), prompt)
  const written = tokenCount(promptDetail(value, 'cache_write_tokens')) ?? 0
  return {
    promptTokens: prompt,
    cachedTokens,
    cacheWriteTokens: Math.min(written, prompt - cachedTokens),
    completionTokens,
    reasoningTokens: Math.min(reasoning, completionTokens),
  }
}

/** FastGPT answers 1, 1 and 1, whatever it was asked; a true total would be 2. */
function isPlaceholder(prompt: number, completion: number, total: number | null): boolean {
  return prompt === 1 && completion === 1 && total === 1
}

function reportedCache(value: unknown): number {
  const reported = [
    promptDetail(value, 'cached_tokens'),
    member(value, 'cached_tokens'),
    member(value, 'num_cached_tokens'),
    member(value, 'prompt_cache_hit_tokens'),
  ]
  for (const candidate of reported) {
    const count = tokenCount(candidate)
    if (count !== null) return count
  }
  return 0
}

/** Mistral has written the name of the details both ways. */
function promptDetail(value: unknown, name: string): unknown {
  return detail(value, 'prompt_tokens_details', name) ?? detail(value, 'prompt_token_details', name)
}

function detail(value: unknown, group: string, name: string): unknown {
  return member(member(value, group), name)
}

function tokenCount(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isInteger(value)) return null
  return value >= 0 && value <= TOKENS_MAX ? value : null
}
