/*
 * A request that is longer than its model's context. Agents shorten their conversation and try
 * again if the error has the words that their own provider uses.
 */

export const CONTEXT_OVERFLOW = 'context_length_exceeded'

export type Overflow = { readonly tokens: number; readonly tokensMax: number }

/** How providers write the limit. The size of the request is the largest number in the message. */
const LIMITS: readonly RegExp[] = [
  /(\d+) maximum/,
  /max(?:imum)? (?:context|prompt|model|input) (?:length|size|window)(?: is| of|:)? (\d+)/,
  /tokens allowed \((\d+)/,
  /should be \[\d+, ?(\d+)\]/,
  /token limit: ?(\d+)/,
  /context (?:size|length|window)(?: is| of)? ?\(?(\d+)/,
  /(?:limit of|cannot exceed|must be <=) (\d+)/,
  /> (\d+)/,
]

/** Larger counts are ids of requests. */
const EXCESS_MAX = 100

/** Longer numbers are ids of requests too. */
const COUNTS = /(?<!\d)\d{1,9}(?!\d)/g

/** Null if the message does not have both numbers. */
export function overflowIn(message: string): Overflow | null {
  const text = message.toLowerCase().replaceAll(/(?<=\d)[,_](?=\d{3})/g, '')
  const limit = LIMITS.map((pattern) => pattern.exec(text)?.[1]).find(
    (found) => found !== undefined,
  )
  const tokensMax = Number(limit)
  const counts = (text.match(COUNTS) ?? []).map(Number)
  const tokens = Math.max(...counts.filter((count) => count <= tokensMax * EXCESS_MAX))
  return tokensMax > 0 && tokens > tokensMax && Number.isSafeInteger(tokens)
    ? { tokens, tokensMax }
    : null
}
