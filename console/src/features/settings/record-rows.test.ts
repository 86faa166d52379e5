import { expect, test } from 'vitest'
import { findProblem } from './drafts.ts'
import { parseRows, textOfRows } from './record-rows.ts'

test('rows and their text are the same thing', () => {
  const text = '{\n  "default": 1,\n  "vip": 0.8\n}'
  const rows = parseRows(text)
  expect(rows).toEqual([
    ['default', '1'],
    ['vip', '0.8'],
  ])
  expect(textOfRows(rows ?? [], 'number')).toBe(text)
  expect(textOfRows([], 'number')).toBe('{}')
  expect(textOfRows([['docs', 'https://a.example/"x"']], 'text')).toBe(
    '{\n  "docs": "https://a.example/\\"x\\""\n}',
  )
})

test('a name given twice, an empty one and a value that is no number are found on saving', () => {
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

test('a row that nothing was typed into yet changes nothing', () => {
  expect(textOfRows([['', '']], 'text')).toBe('{}')
  const rows: [string, string][] = [['vip', '2']]
  expect(textOfRows([...rows, ['', '']], 'number')).toBe(textOfRows(rows, 'number'))
})

test('a text that is no table of texts and numbers has no rows', () => {
  for (const text of ['', '[]', '{"a": {}}', '{"a": 1']) expect(parseRows(text)).toBeNull()
})
