import { ifChanged, isRecord, type JsonRecord, member } from '../bytes/json-value.ts'

/*
 * Histories of the clients' own wire that the provider refuses: interrupted calls, results without
 * a call, empty texts. They are mended in place, and everything else stays as the client sent it.
 */

/** What a wire whose roles alternate demands. */
export type TurnRules = {
  /** The member of a message that has its blocks. */
  readonly listName: 'content' | 'parts'
  readonly blocksOf: (message: unknown) => readonly unknown[]
  readonly isModel: (message: unknown) => boolean
  /** What the provider accepts in place of a block; nothing if the block is left out. */
  readonly accepted: (block: unknown, isModel: boolean) => readonly unknown[]
  readonly isCall: (block: unknown) => boolean
  readonly isResult: (block: unknown) => boolean
  readonly answers: (result: unknown, call: unknown) => boolean
  /** Only the number of results is checked, and only before another answer. */
  readonly countsResults?: true
  /** The result of an interrupted call. */
  readonly aborted: (call: unknown) => JsonRecord
  /** A result without a call, as blocks of the user. */
  readonly told: (result: unknown) => readonly unknown[]
  readonly textBlock: (text: string) => JsonRecord
}

/** Stands in for a message of the user that has nothing else. */
const CONTINUE_TEXT = 'Continue.'

/** Messages of the same role are a turn. The same list if nothing changes. */
export function mendTurns(given: readonly unknown[], rules: TurnRules): readonly unknown[] {
  const { isModel, blocksOf, isCall } = rules
  const mended: unknown[] = []
  let calls: readonly unknown[] = []
  for (const turn of turnsOf(given, rules)) {
    if (isModel(turn[0])) {
      calls = turn.flatMap(blocksOf).filter(isCall)
      mended.push(...turn)
    } else {
      mended.push(...withResults(turn, calls, rules))
      calls = []
    }
  }
  if (calls.length > 0 && rules.countsResults !== true)
    mended.push(...withResults([{ role: 'user' }], calls, rules))
  return ifChanged(given, mended)
}

/** Without refused blocks, and without messages of the model that are empty. */
function turnsOf(messages: readonly unknown[], rules: TurnRules): unknown[][] {
  const turns: unknown[][] = []
  for (const given of messages) {
    const isModel = rules.isModel(given)
    const message = withAccepted(given, isModel, rules)
    if (isModel && isEmpty(message, rules)) continue
    const last = turns.at(-1)
    if (last !== undefined && rules.isModel(last[0]) === isModel) last.push(message)
    else turns.push([message])
  }
  return turns
}

function withAccepted(message: unknown, isModel: boolean, rules: TurnRules): unknown {
  const blocks = rules.blocksOf(message)
  const accepted = ifChanged(
    blocks,
    blocks.flatMap((block) => rules.accepted(block, isModel)),
  )
  return accepted === blocks ? message : withBlocks(message, accepted, rules)
}

/** A turn of the user that has a result for each call of the turn before, and no others. */
function withResults(
  turn: readonly unknown[],
  calls: readonly unknown[],
  rules: TurnRules,
): readonly unknown[] {
  const { blocksOf, isResult } = rules
  const blocks = turn.flatMap(blocksOf)
  const results = blocks.filter(isResult)
  const { missing, left } = unpaired(results, calls, rules)
  const isAccepted =
    rules.countsResults === true
      ? results.length === calls.length && (calls.length === 0 || blocksOf(turn[0]).some(isResult))
      : missing.length === 0 && left.length === 0 && !blocks.slice(results.length).some(isResult)
  if (isAccepted) return withoutEmpty(turn, rules)
  const first = [
    ...results.filter((result) => !left.includes(result)),
    ...missing.map(rules.aborted),
    ...left.flatMap(rules.told),
  ]
  const others = turn.map((message, at) => {
    const own = blocksOf(message)
    const kept = own.filter((block) => !isResult(block))
    if (at === 0) return withBlocks(message, [...first, ...kept], rules)
    return kept.length === own.length ? message : withBlocks(message, kept, rules)
  })
  return withoutEmpty(others, rules)
}

function unpaired(results: readonly unknown[], calls: readonly unknown[], { answers }: TurnRules) {
  const left = [...results]
  const missing = calls.filter((call) => {
    const found = left.findIndex((result) => answers(result, call))
    if (found !== -1) left.splice(found, 1)
    return found === -1
  })
  return { missing, left }
}

function withoutEmpty(turn: readonly unknown[], rules: TurnRules): readonly unknown[] {
  const filled = turn.filter((message) => !isEmpty(message, rules))
  if (filled.length > 0) return filled
  return [withBlocks(turn[0], [rules.textBlock(CONTINUE_TEXT)], rules)]
}

/** A model may have answered without any content. */
function isEmpty(message: unknown, { listName, isModel }: TurnRules): boolean {
  const content = member(message, listName) ?? (isModel(message) ? '' : null)
  return content === '' || (Array.isArray(content) && content.length === 0)
}

const withBlocks = (message: unknown, blocks: readonly unknown[], { listName }: TurnRules) => ({
  ...(isRecord(message) ? message : {}),
  [listName]: blocks,
})
