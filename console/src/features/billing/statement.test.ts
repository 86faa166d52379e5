import { expect, test } from 'vitest'
import type { Statement } from '@tollgate/contract'
import { monthAt, monthsBetween, timeIn } from './months.ts'
import { statementCsv } from './statement-csv.ts'
import { decimalsOf, exactAmount, sumBy, totalOf, unlistedCredits } from './sums.ts'

const NOVEMBER = Date.UTC(2026, 9, 31, 16) / 1000
const ZONE = 'Asia/Shanghai'

const row = (day: string, model_name: string, quota: number) => ({
  day,
  model_name,
  requests: 1,
  prompt_tokens: 10,
  completion_tokens: 2,
  quota,
})

const STATEMENT: Statement = {
  month: '2026-11',
  first_month: '2026-09',
  time_zone: ZONE,
  start: NOVEMBER,
  end: NOVEMBER + 30 * 86_400,
  opening: 1_000_000,
  credited: 500_100,
  charged: 2052,
  closing: 1_498_048,
  usage: [
    row('2026-11-01', 'gpt-4o', 1),
    row('2026-11-01', 'o3', 50),
    row('2026-11-02', 'o3', 2001),
  ],
  credits: [{ created_at: NOVEMBER + 61, kind: 'topup', amount: 500_000, note: '=1+1' }],
  credit_count: 3,
}

test('months are listed from the newest to the first, in the zone of the site', () => {
  expect(monthsBetween('2025-11', '2026-02')).toEqual(['2026-02', '2026-01', '2025-12', '2025-11'])
  expect(monthsBetween('2026-03', '2026-02')).toEqual(['2026-02'])
  expect([monthAt(NOVEMBER - 1, ZONE), monthAt(NOVEMBER, ZONE)]).toEqual(['2026-10', '2026-11'])
  expect(timeIn(ZONE, NOVEMBER + 61)).toBe('2026-11-01 00:01:01')
})

test('amounts are exact, with cents at least', () => {
  const money = { quotaPerUnit: 500_000, inCurrency: true }
  const texts = [500_000, 50_000, 1, 2052, -25_000, 0].map((quota) => exactAmount(quota, money))
  expect(texts).toEqual(['$1.00', '$0.10', '$0.000002', '$0.004104', '-$0.05', '$0.00'])
  expect(exactAmount(2052, { ...money, inCurrency: false })).toBe('2,052')
  const column = [500_000, 510_000, -2050]
  const aligned = column.map((quota) => exactAmount(quota, money, decimalsOf(column, money)))
  expect(aligned).toEqual(['$1.0000', '$1.0200', '-$0.0041'])
})

test('sums by model and by day have the same total', () => {
  const { usage, charged } = STATEMENT
  const models = sumBy(usage, ({ model_name }) => model_name)
  const days = sumBy(usage, ({ day }) => day)
  expect(models.map(({ name, quota }) => [name, quota])).toEqual([
    ['gpt-4o', 1],
    ['o3', 2051],
  ])
  expect(days.map(({ name, quota }) => [name, quota])).toEqual([
    ['2026-11-01', 51],
    ['2026-11-02', 2001],
  ])
  expect(totalOf(models)).toEqual(totalOf(days))
  expect(totalOf(days)).toMatchObject({ quota: charged, requests: 3, prompt_tokens: 30 })
  expect(unlistedCredits(STATEMENT)).toEqual({ count: 2, amount: 100 })
})

test('the lines of the file add up to the closing balance; a remark is no formula', () => {
  const csv = statementCsv(STATEMENT, {
    texts: {
      head: ['date', 'type', 'what', 'requests', 'prompt', 'completion', 'usd', 'units'],
      opening: 'opening',
      usage: 'usage',
      credit: 'credit',
      kind: (kind) => kind,
      unlisted: (count) => `${count} earlier`,
    },
    quotaPerUnit: 500_000,
    timeOf: (at) => timeIn(ZONE, at),
  })
  const lines = csv.trimEnd().split('\r\n')
  expect(lines).toEqual([
    'date,type,what,requests,prompt,completion,usd,units',
    '2026-11-01 00:00:00,opening,,,,,2.000000,1000000',
    ',credit,2 earlier,,,,0.000200,100',
    '2026-11-01 00:01:01,credit,topup: =1+1,,,,1.000000,500000',
    '2026-11-01,usage,gpt-4o,1,10,2,-0.000002,-1',
    '2026-11-01,usage,o3,1,10,2,-0.000100,-50',
    '2026-11-02,usage,o3,1,10,2,-0.004002,-2001',
  ])
  const units = lines.slice(1).map((line) => Number(line.split(',').at(-1)))
  expect(units.reduce((sum, unit) => sum + unit, 0)).toBe(STATEMENT.closing)
})
