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

/** What the options limit for this caller; empty when they limit nothing. `tokens` is asked at most once. */
export function linesOf(
  options: Pick<OptionValues, (typeof LIMITS)[number]['option']>,
  caller: LimitedCaller,
  { measures, tokens }: { measures: readonly Measure[]; tokens: () => number },
): LimitLine[] {
  const lines: LimitLine[] = []
  let ofTokens: number | null = null
  for (const { scope, measure, option } of LIMITS) {
    if (!measures.includes(measure)) continue
    const limit = options[option]
    const most = typeof limit === 'number' ? limit : ofGroup(limit, caller.group)
    if (most === 0) continue
    const amount = measure === 'tokens' ? (ofTokens ??= tokens()) : 1
    lines.push({ scope, id: caller[scope], measure, most, amount })
  }
  return lines
}

const ofGroup = (limits: Readonly<Record<string, number>>, group: string): number =>
  Object.hasOwn(limits, group) ? (limits[group] ?? 0) : 0
