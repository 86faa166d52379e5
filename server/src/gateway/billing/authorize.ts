import { moneyText, type OptionValues, type Quota, receiptDigits } from '@tollgate/contract'
import {
  isTextOnly,
  countPromptUpperBound,
  contextWindow,
  maxOutputTokens,
  type RelayRequest,
} from '@tollgate/relay'
import { nextPeriodStart } from '../../domain/budget-period.ts'
import type { AccountKind } from '../../ledger/account.ts'
import {
  type HoldAmount,
  type HoldOutcome,
  type Ledger,
  LedgerUnavailable,
  type LedgerRequest,
} from '../../ledger/ledger.ts'
import type { Arrival } from '../context.ts'
import { databaseUnavailable, invalidKey, Refusal } from '../errors.ts'
import type { Caller } from '../intake/authenticate.ts'
import { balanceOf } from '../intake/identify.ts'
import { areFeaturesPriced, termsWithFeatures } from './billed-features.ts'
import { countOptionsFor } from './counting.ts'
import type { ExpectedOutput } from './expected-output.ts'
import { mayHideOutput } from './hidden-output.ts'
import { holdAmount, OUTPUT_TOKENS_MIN, affordableOutput } from './hold-amount.ts'
import type { Authorization, PricedTarget, Terms } from './terms.ts'

/**
 * Largest share of a balance held as an extra. A larger one would block the user's other requests.
 */
const EXTRA_SHARE_MAX = 1 / 100
/**
 * A stream whose prompt, bounded by its bytes, takes more of the balance is counted first: a bound
 * four times too high would leave nothing to other requests of the same user.
 */
const UNCOUNTED_SHARE_MAX = 1 / 8

/**
 * Holds the worst case; for a stream with countable output, only the headroom. Prompt tokens are
 * bounded by the bytes of the prompt, which costs nothing. If the balance is too small for that,
 * the tokens of the texts are counted. Channels that are still too expensive are left out. If none
 * is left, the output limit set by the client is lowered.
 */
export function authorize(
  deps: AuthorizeDeps,
  request: RelayRequest,
  { context, terms }: { context: LedgerRequest; terms: Terms },
): Promise<Authorization> {
  const { targets } = terms
  const { ledger, caller } = deps
  const balance = balanceOf(caller)
  const amount = amountOf({ request, counted: null, balance }, terms, deps)
  const affordable = amount.headroomTokens === null ? balance : balance * UNCOUNTED_SHARE_MAX
  const isShort = request.task === undefined && amount.min > affordable
  if (isShort) {
    return authorizeLess(deps, request, { context, terms, refused: null })
  }
  return ledger.hold(context, amount).then((outcome) => {
    if (outcome.type === 'held') {
      const held = { hold: outcome.hold, targets, amount }
      return authorizationOf(held, { request, terms, balance })
    }
    const refused = { counted: null, targets, amount, outcome }
    return authorizeLess(deps, request, { context, terms, refused })
  }, rethrowAsRefusal)
}

async function authorizeLess(
  deps: AuthorizeDeps,
  request: RelayRequest,
  given: Parameters<typeof holdLess>[2],
): Promise<Authorization> {
  const held = await holdLess(deps, request, given)
  return authorizationOf(held, { request, terms: given.terms, balance: balanceOf(deps.caller) })
}

/**
 * Largest share of a balance that a request with the provider's own tools may hold. What they find
 * may fill the context window, and other requests of the user must find some balance too.
 */
const PROVIDER_TOOLS_SHARE_MAX = 1 / 4

/**
 * The request and its terms, with what its features cost. The provider's own tools are used if all
 * of them have a price and the balance pays for them; otherwise the request leaves them out.
 */
export function termsWithProviderTools(
  deps: AuthorizeDeps,
  request: RelayRequest,
  terms: Terms,
): { request: RelayRequest; terms: Terms } {
  const hosted = request.withProviderTools?.()
  if (hosted !== undefined && areFeaturesPriced(terms, hosted)) {
    const termsWithTools = termsWithFeatures(terms, hosted)
    const balance = balanceOf(deps.caller)
    const { min } = amountOf({ request: hosted, counted: null, balance }, termsWithTools, deps)
    if (min <= balance * PROVIDER_TOOLS_SHARE_MAX) return { request: hosted, terms: termsWithTools }
  }
  return { request, terms: termsWithFeatures(terms, request) }
}

type AuthorizeDeps = { ledger: Ledger; caller: Caller; expectedOutput: ExpectedOutput }

type HoldAttempt = {
  /** Tokens of the prompt; null uses the bound by bytes. */
  readonly counted: number | null
  readonly targets: readonly PricedTarget[]
  readonly amount: RequestAmount
  readonly outcome: HoldOutcome
}

type Held = Pick<HoldAttempt, 'targets' | 'amount'> & Pick<Authorization, 'hold'>

/** `refused`: the attempt to hold the whole amount; null if the balance cannot pay it. */
async function holdLess(
  deps: AuthorizeDeps,
  request: RelayRequest,
  {
    context,
    terms,
    refused,
  }: { context: LedgerRequest; terms: Terms; refused: HoldAttempt | null },
): Promise<Held> {
  const { ledger, caller } = deps
  const { targets, options } = terms
  const { outputLimit } = request
  const minOutputLimit = minOutputLimitOf(request)
  const balance = balanceOf(caller)
  const amountFor = (counted: number | null, candidates: readonly PricedTarget[]) =>
    amountOf({ request, counted, balance }, { ...terms, targets: candidates }, deps)
  const tryHold = async (
    counted: number | null,
    candidates = targets,
    amount = amountFor(counted, candidates),
  ): Promise<HoldAttempt> => {
    const outcome = await takeHold(ledger, context, amount)
    return { counted, targets: candidates, amount, outcome }
  }
  const count = () => countPromptUpperBound(request, countOptionsFor(options, caller.user.id))

  const isText = request.task === undefined
  const isFinal = refused !== null && (!isText || availableIn(refused.outcome) === null)
  let holdAttempt = isFinal ? refused : await tryHold(await count())
  const available = availableIn(holdAttempt.outcome)
  if (available !== null) {
    const { counted } = holdAttempt
    const payable = targets.filter((target) => amountFor(counted, [target]).min <= available)
    if (payable.length > 0 && payable.length < targets.length) {
      holdAttempt = await tryHold(counted, payable)
    }
  }
  if (
    holdAttempt.outcome.type === 'insufficient' &&
    minOutputLimit !== null &&
    outputLimit !== null
  ) {
    const { counted, outcome } = holdAttempt
    const reducedAmountFor = (candidates: readonly PricedTarget[]) => {
      const amount = amountFor(counted, candidates)
      return { ...amount, min: amount.reducedAmount }
    }
    const payable = targets.filter((target) => reducedAmountFor([target]).min <= outcome.balance)
    if (payable.length > 0) holdAttempt = await tryHold(counted, payable, reducedAmountFor(payable))
  }
  const { amount, outcome } = holdAttempt
  if (outcome.type !== 'held') throw refusalOf(outcome, context, options)
  return { hold: outcome.hold, targets: holdAttempt.targets, amount }
}

function authorizationOf(
  { hold, targets, amount }: Held,
  { request, terms, balance }: { request: RelayRequest; terms: Terms; balance: Quota },
): Authorization {
  const { groupRatio } = terms
  const { promptTokens, headroomTokens, hiddenAmount, fullAmount } = amount
  // The output limit stays as authorized, even if the hold changes later. Only the provider can
  // bound hidden reasoning exactly, so its limit is what the whole balance pays for.
  const held = hiddenAmount === null ? hold.amount : balance
  const isBounded = headroomTokens !== null && hiddenAmount === null
  const boundlessAmount = hiddenAmount ?? fullAmount
  return {
    hold,
    targets,
    promptTokens,
    headroomTokens,
    outputLimit: ({ price, upstreamModel, channel }) => {
      if (isBounded || held >= boundlessAmount) return null
      const { outputLimit, choices } = request
      const minOutputLimit = minOutputLimitOf(request)
      const modelMax = maxOutputTokens(upstreamModel, channel.overrides.cardOf)
      const affordable = affordableOutput(
        { promptTokens, outputLimit, minOutputLimit, choices },
        { price, groupRatio, held, modelMax },
      )
      // A reasoning budget may leave no room for a lower limit.
      return affordable < (outputLimit ?? Infinity) ? affordable : null
    },
  }
}

type RequestAmount = ReturnType<typeof holdAmount> &
  Pick<Authorization, 'promptTokens' | 'headroomTokens'> & {
    /** The worst case of a stream that may hide output; null for other requests. */
    readonly hiddenAmount: Quota | null
  }

/** `counted`: tokens of the prompt; null uses the bound by bytes. */
function amountOf(
  { request, counted, balance }: { request: RelayRequest; counted: number | null; balance: Quota },
  { targets, groupRatio, options }: Terms,
  { expectedOutput, caller }: Pick<AuthorizeDeps, 'expectedOutput' | 'caller'>,
): RequestAmount {
  const { promptTokensUpperBound, outputLimit } = boundsOf(request, targets)
  let addedTokens = 0
  for (const { channel } of targets) {
    addedTokens = Math.max(addedTokens, channel.overrides.promptTokensMax)
  }
  const promptTokens =
    Math.max(counted ?? promptTokensUpperBound, largestContextWindow(request, targets)) +
    addedTokens
  const mayHide = request.stream && targets.some((target) => mayHideOutput(request, target))
  const isWatched =
    request.stream && isTextOnly(request.outline) && !(mayHide && request.task !== undefined)
  const isHidden = isWatched && mayHide
  const headroomTokens = isWatched ? options.StreamHoldTokens : null
  const { model, choices } = request
  const expected = isHidden ? expectedOutput.tokens({ token: caller.token.id, model }) : null
  const minOutputLimit = minOutputLimitOf(request)
  const holdTerms = { writers: targets, groupRatio, extraTokens: options.PreConsumedQuota }
  const startTokens = headroomTokens && Math.max(headroomTokens, expected ?? 0)
  const work = {
    promptTokens,
    outputLimit,
    minOutputLimit,
    choices,
    headroomTokens: startTokens,
  }
  const amount = holdAmount(work, holdTerms)
  const hiddenAmount = isHidden
    ? holdAmount({ ...work, headroomTokens: null }, holdTerms).fullAmount
    : null
  const { min, reducedAmount, fullAmount } = amount
  const isExtraAffordable = amount.max - fullAmount <= balance * EXTRA_SHARE_MAX
  const max = isExtraAffordable ? amount.max : fullAmount
  return { min, reducedAmount, fullAmount, max, promptTokens, headroomTokens, hiddenAmount }
}

/**
 * The lowest limit per choice that may replace the client's; null if none may. Tasks other than
 * text cannot be shortened, and summarizing a conversation costs tokens beyond any limit.
 */
function minOutputLimitOf({
  task,
  endpoint,
  mayCompact = false,
  thinkingBudget = 0,
}: RelayRequest): number | null {
  const isLimited = task === undefined && endpoint !== 'embeddings' && !mayCompact
  return isLimited ? thinkingBudget + OUTPUT_TOKENS_MIN : null
}

/** A file may fill the whole context window. */
function largestContextWindow(
  { hasFiles }: RelayRequest,
  targets: readonly PricedTarget[],
): number {
  if (hasFiles !== true) return 0
  const windows = targets.flatMap(({ modelNames, channel }) =>
    modelNames.map((name) => contextWindow(name, channel.overrides.cardOf) ?? 0),
  )
  return Math.max(...windows)
}

/** The largest bounds of all targets, for tasks whose bounds depend on the provider's model. */
function boundsOf(
  { task, promptTokensUpperBound, outputLimit }: RelayRequest,
  targets: readonly PricedTarget[],
): Pick<RelayRequest, 'promptTokensUpperBound' | 'outputLimit'> {
  const { boundsFor } = task ?? {}
  if (boundsFor === undefined) return { promptTokensUpperBound, outputLimit }
  const bounds = targets.map(({ upstreamModel }) => boundsFor(upstreamModel))
  return {
    promptTokensUpperBound: Math.max(...bounds.map((bound) => bound.promptTokensUpperBound)),
    outputLimit: Math.max(...bounds.map((bound) => bound.outputLimit ?? 0)),
  }
}

/** What a hold that was refused for its amount could have taken; null for other outcomes. */
function availableIn(outcome: HoldOutcome): Quota | null {
  if (outcome.type === 'insufficient') return outcome.balance
  return outcome.type === 'in_use' ? outcome.balance - outcome.held : null
}

const MS = 1000

export function ledgerRequestOf(
  { user, token }: Caller,
  { model, isStream, endpoint }: Pick<LedgerRequest, 'model' | 'isStream'> & { endpoint: string },
  {
    requestId,
    arrivedAt,
    options,
  }: Pick<Arrival, 'requestId' | 'arrivedAt'> & { options: Pick<OptionValues, 'TimeZone'> },
): LedgerRequest {
  const request: LedgerRequest = {
    requestId,
    userId: user.id,
    username: user.username,
    tokenId: token.id,
    tokenName: token.name,
    model,
    isStream,
    endpoint,
    openedAt: Math.floor(arrivedAt / MS),
    tokenLimited: token.unlimited_quota === 0,
    budget: token.budget,
  }
  if (token.budget !== null) request.timeZone = options.TimeZone
  return request
}

export const takeHold = (
  ledger: Ledger,
  context: LedgerRequest,
  amount: HoldAmount,
): Promise<HoldOutcome> => ledger.hold(context, amount).catch(rethrowAsRefusal)

function rethrowAsRefusal(error: unknown): never {
  throw error instanceof LedgerUnavailable ? databaseUnavailable(error) : error
}

const IN_USE_RETRY_SECONDS = 2

export function refusalOf(
  outcome: Exclude<HoldOutcome, { type: 'held' }>,
  context: Pick<LedgerRequest, 'budget' | 'openedAt' | 'timeZone'>,
  display: Display,
): Refusal {
  const amount = (units: Quota) => formatAmount(units, display)
  switch (outcome.type) {
    case 'no_account':
      return invalidKey('The API key is no longer valid.')
    case 'insufficient':
      return new Refusal({
        status: 403,
        code: 'insufficient_user_quota',
        message:
          `Insufficient ${nameOf(outcome.account, context)}: ${amount(outcome.balance)} left` +
          `${needOf(outcome.needed, amount)}.${renewalOf(outcome.account, context)}`,
        isUnpaid: true,
      })
    case 'in_use':
      return new Refusal({
        status: 429,
        code: 'quota_in_use',
        message:
          `Insufficient ${nameOf(outcome.account, context)} for now: ${amount(outcome.balance)} left, ` +
          `running requests hold ${amount(outcome.held)} of it, this request needs up to ` +
          `${amount(outcome.needed)}. Try again when they have ended.`,
        retryAfterSeconds: IN_USE_RETRY_SECONDS,
      })
  }
}

/** A request whose body was not read needs a unit at least: its price is not known. */
const needOf = (needed: Quota, amount: (units: Quota) => string) =>
  needed > 1 ? `, this request needs up to ${amount(needed)}` : ''

type Display = Pick<OptionValues, 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'>

/** Dollars with the decimals that show each unit, and at least two: $0.00 and $0.000164. */
function formatAmount(units: Quota, { DisplayInCurrencyEnabled, QuotaPerUnit }: Display): string {
  if (!DisplayInCurrencyEnabled) return `${units} units`
  return `$${moneyText(units / QuotaPerUnit, receiptDigits(QuotaPerUnit))}`
}

const NAMES = { day: 'daily', week: 'weekly', month: 'monthly' } as const

function nameOf(account: AccountKind, { budget }: Pick<LedgerRequest, 'budget'>): string {
  if (account === 'user') return 'balance'
  if (account === 'token' || budget === null) return 'quota of the API key'
  return `${NAMES[budget]} budget of the API key`
}

function renewalOf(
  account: AccountKind,
  { budget, openedAt, timeZone }: Pick<LedgerRequest, 'budget' | 'openedAt' | 'timeZone'>,
): string {
  if (account !== 'budget' || budget === null) return ''
  const next = new Date(nextPeriodStart(budget, openedAt, timeZone) * 1000)
  return ` The budget resets at ${next.toISOString().slice(0, 16)}Z.`
}
