import { expect, test } from 'vitest'
import { BALANCE_TYPES, balanceQuery, isMoneyBalance } from './balance.ts'
import { catalogue } from './catalogue.ts'

const NOW = Date.UTC(2026, 10, 21, 23, 30)
const KEY = 'sk-secret'

function run(type: number, answers: unknown[], baseUrl = '') {
  const query = balanceQuery({ type, baseUrl, key: KEY, now: NOW })
  if (query === null) return null
  const asked: string[] = []
  const headers: Readonly<Record<string, string>>[] = []
  let step = query.next()
  for (const answer of answers) {
    if (step.done) break
    asked.push(step.value.url)
    headers.push(step.value.headers)
    step = query.next(typeof answer === 'string' ? answer : JSON.stringify(answer))
  }
  expect(step.done).toBe(true)
  return { asked, headers, balance: step.value }
}

const HOST = 'https://api.openai.com/v1/dashboard/billing'

test("a postpaid account: its limit minus this month's cost", () => {
  const subscription = { hard_limit_usd: 120, has_payment_method: true }
  expect(run(1, [subscription, { total_usage: 1234.5 }])).toMatchObject({
    asked: [`${HOST}/subscription`, `${HOST}/usage?start_date=2026-11-01&end_date=2026-11-22`],
    balance: 107.655,
  })
})

test('a prepaid account: the cost of 100 days; the key is sent as a bearer token', () => {
  const ran = run(1, [{ hard_limit_usd: 5 }, { total_usage: 10 }])
  expect(ran?.asked[1]).toBe(`${HOST}/usage?start_date=2026-08-13&end_date=2026-11-22`)
  expect(ran?.headers[0]).toMatchObject({ authorization: `Bearer ${KEY}` })
  expect(ran?.balance).toBe(4.9)
})

const BASES: [string, string][] = [
  ['https://a.example', 'https://a.example/v1/dashboard/billing'],
  ['https://a.example/v1', 'https://a.example/v1/dashboard/billing'],
  ['https://a.example/openai/v1/chat/completions', 'https://a.example/openai/v1/dashboard/billing'],
]
test.each(BASES)('a custom channel is called at its own address %s', (base, billing) => {
  const ran = run(8, [{ hard_limit_usd: 1 }, { total_usage: 0 }], base)
  expect(ran?.asked[0]).toBe(`${billing}/subscription`)
  expect(ran?.asked[1]).toMatch(`${billing}/usage?start_date=`)
})

test('a query parameter of the base URL is kept with those of the time range', () => {
  const ran = run(8, [{ hard_limit_usd: 1 }, { total_usage: 0 }], 'https://a.example?x=1')
  expect(ran?.asked[1]).toBe(
    'https://a.example/v1/dashboard/billing/usage?x=1&start_date=2026-08-13&end_date=2026-11-22',
  )
})

const GRANTS = 'dashboard/billing/credit_grants'
const CREDITS = { data: { total_credits: 0.3, total_usage: 0.1 } }
const INFOS = { balance_infos: [{ currency: 'CNY', total_balance: '110.5' }] }
const SB = `https://api.openai-sb.com/sb-api/user/status?api_key=${KEY}`
const ONE_CALL: [number, unknown, string, number][] = [
  [4, { total_available: 12.5 }, `https://api.closeai-proxy.xyz/${GRANTS}`, 12.5],
  [5, { data: { credit: '98765' } }, SB, 98_765],
  [10, { data: { totalPoints: 7 } }, 'https://aiproxy.io/api/report/getUserOverview', 7],
  [12, { total_remaining: 3 }, `https://api.api2gpt.com/${GRANTS}`, 3],
  [13, { total_available: -1 }, `https://api.aigc2d.com/${GRANTS}`, -1],
  [20, CREDITS, 'https://openrouter.ai/api/v1/credits', 0.2],
  [36, INFOS, 'https://api.deepseek.com/user/balance', 110.5],
  [44, { data: { totalBalance: '88' } }, 'https://api.siliconflow.cn/v1/user/info', 88],
]
test.each(ONE_CALL)('type %i returns it in one answer', (type, answer, url, balance) => {
  expect(run(type, [answer])).toMatchObject({ asked: [url], balance })
  const own = run(type, [answer], 'https://a.example/v1')
  expect(new URL(own?.asked[0] ?? '').origin).toBe('https://a.example')
  expect(own?.asked[0]).not.toContain('/v1/dashboard')
})

test('the key is sent where each vendor reads it, and nowhere else', () => {
  const headersOf = (type: number) => run(type, [{}])?.headers[0]
  expect(headersOf(10)).toMatchObject({ 'api-key': KEY })
  expect(headersOf(10)).not.toHaveProperty('authorization')
  expect(JSON.stringify(headersOf(5))).not.toContain(KEY)
  for (const type of [4, 12, 13, 20]) {
    expect(headersOf(type)).toMatchObject({ authorization: `Bearer ${KEY}` })
  }
})

const NONE: [string, unknown][] = [
  ['nothing', ''],
  ['a page', '<html></html>'],
  ['another member', { total: 1 }],
  ['null', { total_available: null }],
  ['a word', { total_available: 'much' }],
  ['an empty text', { total_available: ' ' }],
  ['a list', { total_available: [1] }],
  ['a sum beyond all sums', { total_available: 1e300 }],
  ['no number', { total_available: 'NaN' }],
]
test.each(NONE)('%s is not a balance', (_, answer) => {
  expect(run(4, [answer])?.balance).toBeNull()
})

test('one of two answers is not a balance either', () => {
  expect(run(1, [{ hard_limit_usd: 1 }, { error: 'no' }])?.balance).toBeNull()
  expect(run(1, [{ has_payment_method: true }])?.balance).toBeNull()
  expect(run(20, [{ data: { total_credits: 1 } }])?.balance).toBeNull()
})

test('every type with a unit for its balance can be queried, and no other', () => {
  for (const { type } of catalogue) {
    const query = balanceQuery({ type, baseUrl: 'https://a.example', key: KEY, now: NOW })
    expect(query !== null).toBe(BALANCE_TYPES.includes(type))
  }
  expect(balanceQuery({ type: 8, baseUrl: '', key: KEY, now: NOW })).toBeNull()
})

test('points are not money, and an unknown balance is none either', () => {
  expect([1, 4, 5, 8, 12, 20].every(isMoneyBalance)).toBe(true)
  expect([10, 13, 29, 999].some(isMoneyBalance)).toBe(false)
})
