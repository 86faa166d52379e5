import { editAnswer, scanAnswer } from '../bytes/json-members.ts'
import { blockData } from '../bytes/sse.ts'
import { finish, type Steps } from '../bytes/steps.ts'

/** The members that lead from an answer to its usage. */
export type UsagePath = readonly [string, ...string[]]

const OPENING_BRACE = 0x7b

/**
 * Sets `cost` in the usage of an answer; all other bytes stay. An answer without usage, or one that
 * is not a JSON object, is returned unchanged.
 */
export function* withCost(
  answer: Buffer,
  [name, ...inner]: UsagePath,
  cost: number,
): Steps<Buffer> {
  const members = yield* scanAnswer(answer)
  if ('reason' in members) return answer
  const found = members.list.find((member) => member.name === name)
  const value = found && answer.subarray(found.valueStart, found.end)
  if (found === undefined || value?.[0] !== OPENING_BRACE) return answer
  const [next, ...rest] = inner
  const edited =
    next === undefined
      ? yield* editAnswer(value, { cost: JSON.stringify(cost) })
      : yield* withCost(value, [next, ...rest], cost)
  if (edited === value) return answer
  return Buffer.concat([answer.subarray(0, found.valueStart), edited, answer.subarray(found.end)])
}

/** Between the items of an array of answers, and after events. */
const PIECES = /(?<=\n\n|\r\n\r\n|\n,\n|^\[)|(?=\n,\n|\n\]$)/

/** Sets `cost` in the usage of the last event, or item of an array, that has any. */
export function withCostAtEnd(
  bytes: Buffer | string,
  path: UsagePath,
  cost: number,
): Buffer | string {
  const pieces = bytes.toString().split(PIECES)
  for (const [index, piece] of [...pieces.entries()].toReversed()) {
    const bytesOfPiece = Buffer.from(piece)
    const data = piece.startsWith('{') ? bytesOfPiece : blockData(bytesOfPiece)
    if (data === null) continue
    const edited = finish(withCost(data, path, cost))
    if (edited === data) continue
    return pieces
      .with(
        index,
        piece.replace(data.toString(), () => edited.toString()),
      )
      .join('')
  }
  return bytes
}
