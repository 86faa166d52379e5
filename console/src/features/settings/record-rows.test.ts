import { expect, test } from 'vitest'
import { findProblem } from './drafts.ts'
import { parseRows, textOfRows } from './record-rows.ts'

test('rows convert to text and back', () => {
  const text = '{\n  "default": 1,\n  "vip": 0.8\n}'
  const rows = parseRows(text)
  expect(rows).toEqual([
    ['default', '1'],
    ['vip', '0.8'],
  ])
  expect(textOfRows(rows ?? [], 'number')).toBe(text)
  expect(parseRows('{"tiny": 1e-7}')).toEqual([['tiny', '0.0000001']])
  expect(textOfRows([], 'number')).toBe('{}')
  expect(textOfRows([['docs', 'https://a.example/"x"']], 'text')).toBe(
    '{\n  "docs": "https://a.example/\\"x\\""\n}',
  )
})

test('a repeated name, an empty one and an invalid number are reported on saving', () => {
  const problemOf = (rows: [string, string][]) =>
    findProblem('GroupRatio', textOfRows(rows, 'number'), 'en')
  expect(
    problemOf([
      ['vip', '1'],
      ['vip', '2'],
    ]),
  ).toMatchObject({ kind: 'json', problem: { kind: 'twice', name: 'vip', line: 3 } })
  expect(problemOf([['', '1']])).toMatchObject({ kind: 'value' })
  expect(problemOf([['vip', '']])).toMatchObject({ kind: 'value', field: 'vip' })
  expect(problemOf([['vip', '1,5']])).toMatchObject({ kind: 'value', field: 'vip' })
  expect(problemOf([])).toMatchObject({ kind: 'value' })
})

test('an untouched new row changes nothing', () => {
  expect(textOfRows([['', '']], 'text')).toBe('{}')
  const rows: [string, string][] = [['vip', '2']]
  expect(textOfRows([...rows, ['', '']], 'number')).toBe(textOfRows(rows, 'number'))
})

test('a text that is no table of texts and numbers has no rows', () => {
  for (const text of ['', '[]', '{"a": {}}', '{"a": 1']) expect(parseRows(text)).toBeNull()
})
