import { expect, test } from 'vitest'
import { type AlertFigures, type Crossing, findCrossings } from './alert-rules.ts'

const OFF = {
  AlertErrorPercent: 0,
  AlertChannelErrorPercent: 0,
  AlertSpendDollars: 0,
  AlertBalanceBelow: 0,
}
const QUIET: AlertFigures = {
  total: { requests: 1000, failures: 10 },
  channels: [],
  day: '2026-11-27',
  spentDollars: 12.5,
}
const channel = {
  id: 7,
  name: 'main',
  requests: 40,
  failures: 30,
  balance: { amount: 4.2, currency: 'USD' },
}
const never = () => false
const always = () => true
const rulesOf = (crossings: readonly Crossing[]) => crossings.map(({ rule }) => rule)

test('a rule without a threshold never alerts', () => {
  const figures = { ...QUIET, total: { requests: 100, failures: 100 }, channels: [channel] }
  expect(findCrossings(figures, OFF, never)).toEqual([])
})

test('each rule names what crossed its threshold, with the figures', () => {
  const thresholds = {
    AlertErrorPercent: 1,
    AlertChannelErrorPercent: 75,
    AlertSpendDollars: 12.5,
    AlertBalanceBelow: 5,
  }
  const found = findCrossings({ ...QUIET, channels: [channel] }, thresholds, never)
  const recent = 'in the current and the previous hour'
  expect(found.map(({ rule, subject, name, detail }) => [rule, subject, name, detail.en])).toEqual([
    ['errors', '', '', `10 of 1000 ${recent} (1.0 %, alert from 1 %)`],
    ['spend', '2026-11-27', '2026-11-27', '$12.50 so far (alert from $12.50)'],
    ['channel_errors', '7', 'main', `30 of 40 ${recent} (75.0 %, alert from 75 %)`],
    ['balance', '7', 'main', '4.20 USD left (alert below 5.00 USD)'],
  ])
  expect(found.map(({ detail }) => detail.zh)).toEqual([
    '本小时和上一小时的 1000 次请求中 10 次失败（1.0 %，达到 1 % 时告警）',
    '目前为 $12.50（达到 $12.50 时告警）',
    '本小时和上一小时的 40 次请求中 30 次失败（75.0 %，达到 75 % 时告警）',
    '剩余 4.20 USD（低于 5.00 USD 时告警）',
  ])
})

test('a few requests say nothing, nor does a balance that is not known', () => {
  const thresholds = {
    ...OFF,
    AlertErrorPercent: 1,
    AlertChannelErrorPercent: 1,
    AlertBalanceBelow: 5,
  }
  const figures = {
    ...QUIET,
    total: { requests: 49, failures: 49 },
    channels: [{ ...channel, requests: 19, failures: 19, balance: null }],
  }
  expect(findCrossings(figures, thresholds, never)).toEqual([])
})

test.each([
  [{ AlertErrorPercent: 1.2 }, 'errors'],
  [{ AlertChannelErrorPercent: 80 }, 'channel_errors'],
  [{ AlertBalanceBelow: 4 }, 'balance'],
])('an open alert ends only clearly past its threshold: %o', (given, rule) => {
  const figures = { ...QUIET, channels: [channel] }
  const thresholds = { ...OFF, ...given }
  expect(rulesOf(findCrossings(figures, thresholds, never))).toEqual([])
  expect(rulesOf(findCrossings(figures, thresholds, always))).toEqual([rule])
})

test.each([
  [0.000_52, 0.0005, '$0.00052 so far (alert from $0.0005)'],
  [0.125_04, 0.125, '$0.125 so far (alert from $0.125)'],
  [1234.567, 1000, '$1,234.56 so far (alert from $1,000.00)'],
  [0.000_000_002, 1e-9, '$0.000000002 so far (alert from $0.000000001)'],
])('charges of $%d above a threshold of $%d read as such', (spentDollars, threshold, text) => {
  const thresholds = { ...OFF, AlertSpendDollars: threshold }
  const [spend] = findCrossings({ ...QUIET, spentDollars }, thresholds, never)
  expect(spend?.detail.en).toBe(text)
})

test.each([
  [0.004, 0.005, '0.004 USD left (alert below 0.005 USD)'],
  [4.998, 5, '4.99 USD left (alert below 5.00 USD)'],
  [-0.35, 0.01, '-0.35 USD left (alert below 0.01 USD)'],
])('a balance of %d below a threshold of %d reads as such', (amount, threshold, text) => {
  const balance = { amount, currency: 'USD' }
  const thresholds = { ...OFF, AlertBalanceBelow: threshold }
  const figures = { ...QUIET, channels: [{ ...channel, balance }] }
  expect(findCrossings(figures, thresholds, never)[0]?.detail.en).toBe(text)
})
