import type { Members } from './json-members.ts'
import { parseJson } from './json-value.ts'

/**
 * What a body says but for its long texts, which stand in it as empty ones: all that has to be known to pass
 * it on. A prompt of 200 kB is neither decoded nor copied for that. It is JSON if, and only if, the body is.
 */
export function outlineOf(body: Buffer, { longTexts }: Members): unknown {
  const pieces: string[] = []
  let from = 0
  for (const { start, end } of longTexts) {
    pieces.push(body.toString('utf8', from, start + 1))
    from = end - 1
  }
  pieces.push(body.toString('utf8', from))
  return parseJson(pieces.join(''))
}
