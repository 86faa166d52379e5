import { ifChanged, isRecord, type JsonRecord, mapItems, member } from '../bytes/json-value.ts'
import { CONTINUE_TEXT } from '../form/request.ts'

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
  /** The same block, or what the provider accepts in its place. */
  readonly accepted: (block: unknown, isModel: boolean) => unknown
  readonly isCall: (block: unknown) => boolean
  readonly isResult: (block: unknown) => boolean
  /** A result answers the first call that has its key among its own. */
  readonly callKeys: (call: unknown) => readonly string[]
  readonly resultKey: (result: unknown) => string
  /**
   * Only the number of results in one message is checked, and only before another answer. All calls
   * of a turn stand in one message (pipecat-ai/pipecat#3420).
   */
  readonly countsResults?: true
  /** The result of an interrupted call. */
  readonly aborted: (call: unknown) => JsonRecord
  /** A result without a call, as blocks of the user. */
  readonly told: (result: unknown) => readonly unknown[]
  readonly textBlock: (text: string) => JsonRecord
}

/** Messages of the same role are a turn. The same list if nothing changes. */
export function mendTurns(given: readonly unknown[], rules: TurnRules): readonly unknown[] {
  if (given.every((message) => isPlain(message, rules))) return given
  const { isModel, isCall } = rules
  const mended: unknown[] = []
  let calls: readonly unknown[] = []
  for (const turn of turnsOf(given, rules)) {
    if (isModel(turn[0])) {
      const blocks = blocksIn(turn, rules)
      calls = blocks.filter(isCall)
      const isSplit = turn.length > 1 && calls.length > 0 && rules.countsResults === true
      mended.push(...(isSplit ? [withBlocks(turn[0], blocks, rules)] : turn))
    } else {
      mended.push(...withResults(turn, calls, rules))
      calls = []
    }
  }
  if (calls.length > 0 && rules.countsResults !== true)
    mended.push(...withResults([{ role: 'user' }], calls, rules))
  return ifChanged(given, mended)
}

/** Whether nothing of a message can change: it has neither calls nor results. */
function isPlain(message: unknown, rules: TurnRules): boolean {
  const isModel = rules.isModel(message)
  const isKept = (block: unknown) =>
    !rules.isCall(block) && !rules.isResult(block) && rules.accepted(block, isModel) === block
  return !isEmpty(message, rules) && rules.blocksOf(message).every(isKept)
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
  const accepted = mapItems(blocks, (block) => rules.accepted(block, isModel))
  return accepted === blocks ? message : withBlocks(message, accepted.flat(), rules)
}

/** A turn of the user that has a result for each call of the turn before, and no others. */
function withResults(
  turn: readonly unknown[],
  calls: readonly unknown[],
  rules: TurnRules,
): readonly unknown[] {
  const { blocksOf, isResult } = rules
  const blocks = blocksIn(turn, rules)
  const results = blocks.filter(isResult)
  if (calls.length === 0 && results.length === 0) return withoutEmpty(turn, rules)
  const { missing, left } = unpaired(results, calls, rules)
  const isAccepted =
    rules.countsResults === true
      ? results.length === calls.length &&
        blocksOf(turn[0]).filter(isResult).length === calls.length
      : missing.length === 0 && left.size === 0 && !blocks.slice(results.length).some(isResult)
  if (isAccepted) return withoutEmpty(turn, rules)
  const first = [
    ...results.filter((result) => !left.has(result)),
    ...missing.map(rules.aborted),
    ...[...left].flatMap(rules.told),
  ]
  const others = turn.map((message, at) => {
    const own = blocksOf(message)
    const kept = own.filter((block) => !isResult(block))
    if (at === 0) return withBlocks(message, [...first, ...kept], rules)
    return kept.length === own.length ? message : withBlocks(message, kept, rules)
  })
  return withoutEmpty(others, rules)
}

/** Calls without a result, and results without a call. */
function unpaired(results: readonly unknown[], calls: readonly unknown[], rules: TurnRules) {
  /** The first call of a key is the last of its list. */
  const open = new Map<string, unknown[]>()
  for (const call of calls.toReversed()) {
    for (const key of rules.callKeys(call)) {
      const same = open.get(key)
      if (same === undefined) open.set(key, [call])
      else same.push(call)
    }
  }
  const answered = new Set<unknown>()
  const left = new Set<unknown>()
  for (const result of results) {
    const same = open.get(rules.resultKey(result)) ?? []
    let call = same.pop()
    while (answered.has(call)) call = same.pop()
    ;(call === undefined ? left : answered).add(call ?? result)
  }
  return { missing: calls.filter((call) => !answered.has(call)), left }
}

const blocksIn = (turn: readonly unknown[], { blocksOf }: TurnRules): readonly unknown[] =>
  turn.length === 1 ? blocksOf(turn[0]) : turn.flatMap(blocksOf)

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
