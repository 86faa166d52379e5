import type { DifferenceKind } from '@tollgate/contract'
import type { BilledSum, RecordedUse } from './bill.ts'
import { type Bucket, createBuckets, type HourSpan, isCovered } from './buckets.ts'
import { comparableModel } from './model-name.ts'

/*
 * Compares a bill with the recorded use. Both sides are summed by the bill's interval (an hour or a
 * day), model and key. Vendors do not say whether a request counts at its start or at its end, so
 * two hours that agree together count as equal.
 */

export type CompareRules = {
  /** Dollars per unit of the bill's currency. */
  readonly rate: number
  readonly aliases: ReadonlyMap<string, string>
  /** Billed key → `channel`, `channel:fingerprint`, or `0` for keys of others. */
  readonly keys: ReadonlyMap<string, string>
  readonly channels: readonly number[]
  /** Largest rounding of a request's amount on the bill, in nano-dollars. */
  readonly roundingPerRequest: number
  /** What the imports cover; use outside is not compared. */
  readonly covered: readonly HourSpan[]
}

export type Sums = {
  readonly billed: number | null
  readonly recorded: number
  readonly billed_input: number | null
  readonly billed_output: number | null
  readonly recorded_input: number
  readonly recorded_output: number
  readonly billed_requests: number | null
  readonly recorded_attempts: number
  readonly unknown: number
}

export type Difference = Bucket & {
  readonly kind: DifferenceKind
  readonly model: string
  readonly channel: number
  readonly key: string
  readonly sums: Sums
}

export type Comparison = { readonly total: Sums; readonly differences: readonly Difference[] }

/** Both sides of one interval, model and key. */
type Group = Bucket & {
  readonly model: string
  readonly target: Target
  lines: number
  amount: number | null
  requests: number | null
  billedInput: number | null
  billedCached: number | null
  billedWritten: number | null
  billedOutput: number | null
  attempts: number
  unknown: number
  input: number
  cached: number
  /** Null if any of it was not recorded. */
  written: number | null
  output: number
  cost: number
}

/** What a key on the bill belongs to; `id` tells targets apart. */
type Target = { readonly id: string; readonly channel: number; readonly key: string }

export function compareBill(
  billed: readonly BilledSum[],
  recorded: readonly RecordedUse[],
  rules: CompareRules,
): Comparison {
  const own = billed.filter(({ key }) => rules.keys.get(key) !== FOREIGN)
  const buckets = createBuckets(own)
  const groups = new Map<string, Group>()
  const groupOf = (bucket: Bucket, name: string, target: Target) => {
    const model = comparableModel(name, rules.aliases)
    const id = `${bucket.start} ${bucket.end} ${target.id} ${model}`
    const group = groups.get(id) ?? { ...bucket, model, target, ...NOTHING }
    groups.set(id, group)
    return group
  }
  for (const sum of own) {
    addBilled(groupOf(buckets.ofBilled(sum), sum.model, targetOfKey(sum.key, rules)), sum, rules)
  }
  const names = new Map([...rules.keys].map(([key, id]) => [id, key]))
  for (const use of recorded) {
    if (!isCovered(rules.covered, use.hour)) continue
    const target = targetOfUse(use, names, rules)
    addRecorded(groupOf(buckets.ofHour(use.hour), use.model, target), use)
  }
  const all = [...groups.values()]
  return { total: sumOfGroups(all), differences: differencesOf(all, rules) }
}

const NOTHING = {
  lines: 0,
  amount: null,
  requests: null,
  billedInput: null,
  billedCached: null,
  billedWritten: null,
  billedOutput: null,
  attempts: 0,
  unknown: 0,
  input: 0,
  cached: 0,
  written: 0,
  output: 0,
  cost: 0,
}

const FOREIGN = '0'

function targetOfKey(key: string, { keys, channels }: CompareRules): Target {
  if (keys.size === 0) return pooled(channels)
  const id = keys.get(key)
  if (id === undefined) return { id: `key ${key}`, channel: 0, key }
  return { id, channel: Number(id.split(':')[0]), key }
}

/** `names`: the billed key of each target. */
function targetOfUse(
  { channel, key }: RecordedUse,
  names: ReadonlyMap<string, string>,
  { keys, channels }: CompareRules,
): Target {
  if (keys.size === 0) return pooled(channels)
  const precise = `${channel}:${key}`
  const id = names.has(precise) ? precise : String(channel)
  return { id, channel, key: names.get(id) ?? '' }
}

/** Keys are not told apart. */
const pooled = (channels: readonly number[]): Target => {
  const [only = 0] = channels.length === 1 ? channels : []
  return { id: '', channel: only, key: '' }
}

const both = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b)

const plus = (sum: number | null, value: number | null) =>
  value === null ? sum : (sum ?? 0) + value

function addBilled(group: Group, sum: BilledSum, { rate }: CompareRules) {
  group.lines += sum.lines
  group.amount = plus(group.amount, sum.amount === null ? null : Math.round(sum.amount * rate))
  group.requests = plus(group.requests, sum.requests)
  group.billedInput = plus(group.billedInput, sum.input)
  group.billedCached = plus(group.billedCached, sum.cached)
  group.billedWritten = plus(group.billedWritten, sum.written)
  group.billedOutput = plus(group.billedOutput, sum.output)
}

function addRecorded(group: Group, use: RecordedUse) {
  group.attempts += use.attempts
  group.unknown += use.unknown
  group.input += use.input
  group.cached += use.cached
  group.written = both(group.written, use.written)
  group.output += use.output
  group.cost += use.cost
}

function mergeGroups(a: Group, b: Group): Group {
  return {
    ...a,
    end: b.end,
    lines: a.lines + b.lines,
    amount: plus(a.amount, b.amount),
    requests: plus(a.requests, b.requests),
    billedInput: plus(a.billedInput, b.billedInput),
    billedCached: plus(a.billedCached, b.billedCached),
    billedWritten: plus(a.billedWritten, b.billedWritten),
    billedOutput: plus(a.billedOutput, b.billedOutput),
    attempts: a.attempts + b.attempts,
    unknown: a.unknown + b.unknown,
    input: a.input + b.input,
    cached: a.cached + b.cached,
    written: both(a.written, b.written),
    output: a.output + b.output,
    cost: a.cost + b.cost,
  }
}

const sumsOf = (group: Group): Sums => ({
  billed: group.amount,
  recorded: group.cost,
  billed_input: group.billedInput,
  billed_output: group.billedOutput,
  recorded_input: group.input,
  recorded_output: group.output,
  billed_requests: group.requests,
  recorded_attempts: group.attempts,
  unknown: group.unknown,
})

function sumOfGroups(groups: readonly Group[]): Sums {
  const none: Group = { start: 0, end: 0, model: '', target: pooled([]), ...NOTHING }
  return sumsOf(groups.reduce(mergeGroups, none))
}

const CENT = 10_000_000
/** What a vendor's own arithmetic with fractions may be off by, per line of the bill. */
const LINE_ROUNDING = 1000

/** Bills in whole cents are rounded by up to half a cent per line. */
function toleranceOf(group: Group, { roundingPerRequest }: CompareRules): number {
  const perLine = (group.amount ?? 0) % CENT === 0 ? CENT / 2 : LINE_ROUNDING
  const requests = Math.max(group.requests ?? 0, group.attempts)
  return group.lines * perLine + requests * (roundingPerRequest + 1)
}

/** Null if both sides agree. */
function kindOf(group: Group, rules: CompareRules): DifferenceKind | null {
  const tolerance = toleranceOf(group, rules)
  const { amount } = group
  if (group.lines === 0) {
    return group.cost === 0 && group.input + group.output === 0 ? null : 'unbilled'
  }
  if (group.attempts === 0) {
    const isEmpty = (group.billedInput ?? 0) + (group.billedOutput ?? 0) === 0
    return isEmpty && Math.abs(amount ?? 0) <= LINE_ROUNDING * group.lines ? null : 'unrecorded'
  }
  if (hasOtherTokens(group)) return 'tokens'
  if (amount === null) return null
  if (group.unknown > 0) return 'cost_unknown'
  return Math.abs(amount - group.cost) > tolerance ? 'price' : null
}

const hasOtherTokens = (group: Group) =>
  (
    [
      [group.billedInput, group.input],
      [group.billedCached, group.cached],
      [group.billedWritten, group.written],
      [group.billedOutput, group.output],
    ] as const
  ).some(([billed, recorded]) => billed !== null && recorded !== null && billed !== recorded)

/** The largest amounts first. */
function differencesOf(groups: readonly Group[], rules: CompareRules): Difference[] {
  const found = groups
    .map((group) => ({ group, kind: kindOf(group, rules) }))
    .filter((entry): entry is { group: Group; kind: DifferenceKind } => entry.kind !== null)
  const sorted = found.toSorted(
    ({ group: a }, { group: b }) =>
      compareText(a.target.id, b.target.id) || compareText(a.model, b.model) || a.start - b.start,
  )
  return withoutSlips(sorted, rules)
    .map(({ group, kind }) => ({
      start: group.start,
      end: group.end,
      kind,
      model: group.model,
      channel: group.target.channel,
      key: group.target.key,
      sums: sumsOf(group),
    }))
    .toSorted((a, b) => weightOf(b) - weightOf(a) || a.start - b.start)
}

type Found = { readonly group: Group; readonly kind: DifferenceKind }

/** Drops neighbouring hours that agree together: a request at their border counts in either. */
function withoutSlips(sorted: readonly Found[], rules: CompareRules): Found[] {
  const kept: Found[] = []
  for (let index = 0; index < sorted.length; index += 1) {
    const [entry, next] = [sorted[index], sorted[index + 1]]
    if (entry === undefined) break
    if (next !== undefined && isNextHour(entry.group, next.group)) {
      if (kindOf(mergeGroups(entry.group, next.group), rules) === null) {
        index += 1
        continue
      }
    }
    kept.push(entry)
  }
  return kept
}

const isNextHour = (a: Group, b: Group) =>
  a.target.id === b.target.id &&
  a.model === b.model &&
  a.end === b.start &&
  a.end - a.start === 1 &&
  b.end - b.start === 1

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** By money; a difference without any comes after all others. */
const weightOf = ({ kind, sums: { billed, recorded, ...tokens } }: Difference) => {
  const money = kind === 'unbilled' ? recorded : billed === null ? 0 : Math.abs(billed - recorded)
  const input = Math.abs((tokens.billed_input ?? tokens.recorded_input) - tokens.recorded_input)
  const output = Math.abs((tokens.billed_output ?? tokens.recorded_output) - tokens.recorded_output)
  return money + (input + output) / 1e6
}
