import type { OptionValues } from '@tollgate/contract'
import type { LimitedCaller, LimitLine, Measure } from './limit-store.ts'

const LIMITS = [
  { scope: 'user', measure: 'requests', option: 'UserRequestsPerMinute' },
  { scope: 'user', measure: 'tokens', option: 'UserTokensPerMinute' },
  { scope: 'user', measure: 'concurrent', option: 'UserConcurrentRequests' },
  { scope: 'token', measure: 'requests', option: 'TokenRequestsPerMinute' },
  { scope: 'token', measure: 'tokens', option: 'TokenTokensPerMinute' },
  { scope: 'token', measure: 'concurrent', option: 'TokenConcurrentRequests' },
  { scope: 'group', measure: 'requests', option: 'GroupRequestsPerMinute' },
  { scope: 'group', measure: 'tokens', option: 'GroupTokensPerMinute' },
  { scope: 'group', measure: 'concurrent', option: 'GroupConcurrentRequests' },
] as const

type LimitOptions = Readonly<Pick<OptionValues, (typeof LIMITS)[number]['option']>>

type Limit = Pick<LimitLine, 'scope' | 'measure'> & {
  /** For everybody, or by group. */
  readonly most: number | Readonly<Record<string, number>>
}

/** Most operators limit little. Options are never changed, but replaced. */
const limitsUnder = new WeakMap<LimitOptions, readonly Limit[]>()

function limitsOf(options: LimitOptions): readonly Limit[] {
  const known = limitsUnder.get(options)
  if (known !== undefined) return known
  const limits = LIMITS.map(({ scope, measure, option }) => ({
    scope,
    measure,
    most: options[option],
  })).filter(({ most }) => (typeof most === 'number' ? most > 0 : Object.keys(most).length > 0))
  limitsUnder.set(options, limits)
  return limits
}

/** What the options limit for this caller; empty when they limit nothing. `tokens` is asked at most once. */
export function linesOf(
  options: LimitOptions,
  caller: LimitedCaller,
  { measures, tokens }: { measures: readonly Measure[]; tokens: () => number },
): LimitLine[] {
  const lines: LimitLine[] = []
  let ofTokens: number | null = null
  for (const { scope, measure, most: given } of limitsOf(options)) {
    if (!measures.includes(measure)) continue
    const most = typeof given === 'number' ? given : ofGroup(given, caller.group)
    if (most === 0) continue
    const amount = measure === 'tokens' ? (ofTokens ??= tokens()) : 1
    lines.push({ scope, id: caller[scope], measure, most, amount })
  }
  return lines
}

const ofGroup = (limits: Readonly<Record<string, number>>, group: string): number =>
  Object.hasOwn(limits, group) ? (limits[group] ?? 0) : 0
