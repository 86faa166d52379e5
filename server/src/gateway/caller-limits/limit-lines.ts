import type { OptionValues } from '@tollgate/contract'
import type { LimitLine } from './limit-store.ts'

/** Whose request it is, and which group serves it. */
export type LimitedCaller = {
  readonly user: number
  readonly token: number
  readonly group: string
}

export type CallerLine = LimitLine & { readonly scope: keyof LimitedCaller }

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

/** What the options limit for this caller; empty when they limit nothing. */
export function linesOf(
  options: Pick<OptionValues, (typeof LIMITS)[number]['option']>,
  caller: LimitedCaller,
  tokens: () => number,
): CallerLine[] {
  const lines: CallerLine[] = []
  for (const { scope, measure, option } of LIMITS) {
    const limit = options[option]
    const most = typeof limit === 'number' ? limit : ofGroup(limit, caller.group)
    if (most === 0) continue
    const amount = measure === 'tokens' ? tokens() : 1
    lines.push({ key: `${scope}:${caller[scope]}:${measure}`, scope, measure, most, amount })
  }
  return lines
}

const ofGroup = (limits: Readonly<Record<string, number>>, group: string): number =>
  Object.hasOwn(limits, group) ? (limits[group] ?? 0) : 0
