import { expect, test } from 'vitest'
import { usageCsv } from './usage-csv.ts'

const head = ['Model', 'Value', 'Before', 'Requests'] as const
const money = { quotaPerUnit: 500_000, inCurrency: true }
const rows = [
  { key: 'a', label: '=a', value: 750_001, previous: null, requests: 3 },
  { key: 'b', label: 'b', value: 1, previous: 0, requests: 1 },
]
const nameOf = ({ label }: { label: string }) => label

test.each([
  ['quota', "'=a,1.500002,,3", 'b,0.000002,0.000000,1'],
  ['margin', "'=a,0.000750001,,3", 'b,0.000000001,0.000000000,1'],
  ['latency', "'=a,750001,,3", 'b,1,0,1'],
] as const)('%s is saved with exact values', (metric, ...lines) => {
  const text = ['Model,Value,Before,Requests', ...lines, ''].join('\r\n')
  expect(usageCsv(rows, { metric, money, head, nameOf })).toBe(text)
})

test('requests are saved once, and money in units where the site shows units', () => {
  const csv = usageCsv(rows, { metric: 'requests', money, head, nameOf })
  expect(csv).toBe("Model,Value,Before\r\n'=a,750001,\r\nb,1,0\r\n")
  const units = { ...money, inCurrency: false }
  const own = { metric: 'quota', money: units, head, nameOf } as const
  expect(usageCsv(rows, own)).toContain("'=a,750001,")
})
