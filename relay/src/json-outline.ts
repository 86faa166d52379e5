import type { Members } from './json-members.ts'
import { isSmall, parseInSteps } from './json-parse.ts'
import { parseJson } from './json-value.ts'
import { finish, type Steps } from './steps.ts'

/**
 * The parsed body with its long strings left empty, which is enough to forward the body. A prompt
 * of 200 kB is then neither decoded nor copied. The outline is valid JSON if, and only if, the body
 * is.
 */
export const outlineOf = (body: Buffer, members: Members): unknown =>
  finish(outlineInSteps(body, members))

export function* outlineInSteps(body: Buffer, { longTexts, nodes }: Members): Steps<unknown> {
  const leftOut = longTexts.reduce((sum, { start, end }) => sum + end - start, 0)
  if (!isSmall(body.length - leftOut, nodes)) {
    return yield* parseInSteps(
      longTexts.length === 0 ? body : Buffer.concat(withoutTexts(body, longTexts)),
    )
  }
  const pieces: string[] = []
  let from = 0
  for (const { start, end } of longTexts) {
    pieces.push(body.toString('utf8', from, start + 1))
    from = end - 1
  }
  pieces.push(body.toString('utf8', from))
  return parseJson(pieces.join(''))
}

function withoutTexts(body: Buffer, longTexts: Members['longTexts']): Buffer[] {
  const pieces: Buffer[] = []
  let from = 0
  for (const { start, end } of longTexts) {
    pieces.push(body.subarray(from, start + 1))
    from = end - 1
  }
  pieces.push(body.subarray(from))
  return pieces
}
