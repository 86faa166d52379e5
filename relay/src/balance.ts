import { upstreamUrl, splitBase } from './addresses/upstream-request.ts'
import { listOf, member, parseJson } from './bytes/json-value.ts'
import { catalogue, descriptorOf, moneyBalance } from './catalogue.ts'

export type BalanceRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A balance query: yields the requests to send and receives the body of each answer. Returns the
 * balance in the provider's own unit, or null when an answer holds none.
 */
export type BalanceQuery = Generator<BalanceRequest, number | null, string>

/** `baseUrl` is the channel's own and may be empty; `now` is in epoch milliseconds. */
type BalanceTarget = {
  readonly type: number
  readonly baseUrl: string
  readonly key: string
  readonly now: number
}

type SingleCallSource = readonly [
  path: string,
  read: (answer: unknown) => number | null,
  options?: {
    /** Absent if the provider's own address answers. */
    readonly host?: string
    /** Where the key is; absent for a bearer token. */
    readonly header?: string
    readonly parameter?: string
  },
]

const CREDIT_GRANTS = '/dashboard/billing/credit_grants'

/** Reads the amount that these members lead to. */
const amountAt =
  (...names: readonly string[]) =>
  (answer: unknown): number | null =>
    amount(names.reduce(member, answer))

const openrouterCredits = (answer: unknown) =>
  difference(amountAt('data', 'total_credits')(answer), amountAt('data', 'total_usage')(answer))

const deepseekYuan = (answer: unknown) =>
  amountAt('total_balance')(
    listOf(member(answer, 'balance_infos')).find((info) => member(info, 'currency') === 'CNY'),
  )

/** Providers that report the balance in a single answer, by channel type. */
const SINGLE_CALL_SOURCES: Readonly<Record<number, SingleCallSource>> = {
  4: [CREDIT_GRANTS, amountAt('total_available')],
  5: ['/sb-api/user/status', amountAt('data', 'credit'), { parameter: 'api_key' }],
  10: [
    '/api/report/getUserOverview',
    amountAt('data', 'totalPoints'),
    { host: 'https://aiproxy.io', header: 'api-key' },
  ],
  12: [CREDIT_GRANTS, amountAt('total_remaining')],
  13: [CREDIT_GRANTS, amountAt('total_available')],
  20: ['/v1/credits', openrouterCredits],
  36: ['/user/balance', deepseekYuan],
  44: ['/v1/user/info', amountAt('data', 'totalBalance')],
}

/** Channel types with OpenAI's billing endpoints: OpenAI and custom channels. */
const BILLING_API_TYPES: readonly number[] = [1, 8]

export const BALANCE_TYPES: readonly number[] = catalogue.flatMap(({ type, balanceUnit }) =>
  balanceUnit === null ? [] : [type],
)

/** Null when the provider reports no balance, or the channel has no address. */
export function balanceQuery(target: BalanceTarget): BalanceQuery | null {
  const call = SINGLE_CALL_SOURCES[target.type]
  if (call !== undefined) return querySingle(target, call)
  if (!BILLING_API_TYPES.includes(target.type)) return null
  const [subscription, usage] = [billingUrl(target, 'subscription'), billingUrl(target, 'usage')]
  return subscription && usage ? queryBilling(target, { subscription, usage }) : null
}

/** Whether the balance unit is money, so that a balance of 0 buys nothing. */
export const isMoneyBalance = (type: number): boolean => moneyBalance(type, 0) !== null

function* querySingle(
  { type, baseUrl, key }: BalanceTarget,
  [
    path,
    read,
    { host = descriptorOf(type)?.baseUrl ?? '', header, parameter } = {},
  ]: SingleCallSource,
): BalanceQuery {
  const { address, query } = splitBase(baseUrl.trim() || host)
  const url = new URL(address.replace(/\/v1$/, '') + path + query)
  if (parameter !== undefined) url.searchParams.set(parameter, key)
  const isBearer = header === undefined && parameter === undefined
  const authorization = isBearer ? { authorization: `Bearer ${key}` } : {}
  const keyHeader = header === undefined ? {} : { [header]: key }
  const headers = { ...COMMON_HEADERS, ...authorization, ...keyHeader }
  return read(parseJson(yield { url: url.href, headers }))
}

const COMMON_HEADERS = { accept: 'application/json', 'accept-encoding': 'identity' }

const DAY_MS = 86_400_000
/** The longest usage window, in days, that the API answers for prepaid accounts. */
const PREPAID_DAYS = 100
const CENTS = 100

function* queryBilling(
  { key, now }: BalanceTarget,
  urls: { subscription: URL; usage: URL },
): BalanceQuery {
  const headers = { ...COMMON_HEADERS, authorization: `Bearer ${key}` }
  const subscription = parseJson(yield { url: urls.subscription.href, headers })
  const limit = amount(member(subscription, 'hard_limit_usd'))
  if (limit === null) return null
  const isPostpaid = member(subscription, 'has_payment_method') === true
  const start = isPostpaid ? `${dayOf(now).slice(0, 7)}-01` : dayOf(now - PREPAID_DAYS * DAY_MS)
  urls.usage.searchParams.set('start_date', start)
  // The end date is exclusive.
  urls.usage.searchParams.set('end_date', dayOf(now + DAY_MS))
  const usage = parseJson(yield { url: urls.usage.href, headers })
  const cents = amount(member(usage, 'total_usage'))
  return difference(limit, cents === null ? null : cents / CENTS)
}

function billingUrl({ type, baseUrl }: BalanceTarget, resource: string): URL | null {
  const descriptor = descriptorOf(type)
  const path = `/v1/dashboard/billing/${resource}`
  const url = descriptor === undefined ? null : upstreamUrl({ descriptor, baseUrl, path })
  return url === null ? null : new URL(url)
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

const AMOUNT_MAX = 1e12

function amount(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Math.abs(number) <= AMOUNT_MAX ? number : null
}

const PRECISION = 1e6

function difference(all: number | null, used: number | null): number | null {
  if (all === null || used === null) return null
  return Math.round((all - used) * PRECISION) / PRECISION
}
