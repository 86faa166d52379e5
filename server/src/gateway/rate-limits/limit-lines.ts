import type { OptionValues } from '@tollgate/contract'
import type { ArrivingCaller, LimitLine } from './limit-store.ts'

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

type Kind = Pick<LimitLine, 'scope' | 'measure'>

type Limit = Kind & {
  /** A number applies to every caller, a record to groups by name. */
  readonly max: number | Readonly<Record<string, number>>
  readonly isPeek: boolean
}

type Share = 'take' | 'peek' | null

/**
 * What is taken at which step. A request takes `arrival` before its body is read, then `prompt`
 * (`promptAndGroup` if several groups could have served it). A realtime session takes its `place`
 * once. Each of its responses then takes `rates`, and `tokens` whenever its prompt grows.
 */
const ADMISSION_STEPS = {
  all: () => 'take',
  arrival: ({ measure }) => (measure === 'tokens' ? 'peek' : 'take'),
  prompt: ({ measure }) => (measure === 'tokens' ? 'take' : null),
  promptAndGroup: ({ scope, measure }) =>
    measure === 'tokens' || scope === 'group' ? 'take' : null,
  place: ({ measure }) => (measure === 'concurrent' ? 'take' : null),
  rates: ({ measure }) => (measure === 'concurrent' ? null : 'take'),
  tokens: ({ measure }) => (measure === 'tokens' ? 'take' : null),
} as const satisfies Record<string, (limit: Kind) => Share>

export type AdmissionStep = keyof typeof ADMISSION_STEPS

type Limits = Partial<Record<AdmissionStep, readonly Limit[]>>

/**
 * Cached per options object: options are replaced, never mutated. Most operators set few limits.
 */
const limitsByOptions = new WeakMap<LimitOptions, Limits>()

function limitsOf(options: LimitOptions, step: AdmissionStep): readonly Limit[] {
  const known = limitsByOptions.get(options)
  const found = known?.[step]
  if (found !== undefined) return found
  const limits = LIMITS.flatMap(({ scope, measure, option }) => {
    const max = options[option]
    const isSet = typeof max === 'number' ? max > 0 : Object.keys(max).length > 0
    const share = isSet ? ADMISSION_STEPS[step]({ scope, measure }) : null
    return share === null ? [] : [{ scope, measure, max, isPeek: share === 'peek' }]
  })
  limitsByOptions.set(options, { ...known, [step]: limits })
  return limits
}

const NONE: readonly LimitLine[] = []

/**
 * The limits that apply to this caller; empty if there are none. `tokens` is called at most once.
 */
export function linesOf(
  options: LimitOptions,
  caller: ArrivingCaller,
  { step, tokens }: { step: AdmissionStep; tokens: () => number },
): readonly LimitLine[] {
  const limits = limitsOf(options, step)
  if (limits.length === 0) return NONE
  const lines: LimitLine[] = []
  let tokenAmount: number | null = null
  for (const { scope, measure, max: given, isPeek } of limits) {
    const id = caller[scope]
    if (id === null) continue
    const max = typeof given === 'number' ? given : groupLimit(given, id)
    if (max === 0) continue
    const amount = measure === 'tokens' ? (tokenAmount ??= tokens()) : 1
    lines.push({ scope, id, measure, max, amount, isPeek })
  }
  return lines
}

const groupLimit = (limits: Readonly<Record<string, number>>, group: string | number): number =>
  Object.hasOwn(limits, group) ? (limits[group] ?? 0) : 0
