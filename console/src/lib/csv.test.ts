import { expect, test } from 'vitest'
import { csvOf } from './csv.ts'

const cell = (value: string | number) => csvOf([[value]]).replace(/\r\n$/, '')

test('ends each line with CR LF and separates with commas', () => {
  expect(
    csvOf([
      ['ID', 'Name'],
      [1, 'web shop'],
    ]),
  ).toBe('ID,Name\r\n1,web shop\r\n')
})

test('quotes what holds commas, quotes, line breaks or outer blanks', () => {
  expect(['a,b', 'say "hi"', 'two\nlines', ' padded ', '李伟'].map(cell)).toEqual([
    '"a,b"',
    '"say ""hi"""',
    '"two\nlines"',
    '" padded "',
    '李伟',
  ])
})

test('no spreadsheet runs a cell as a formula', () => {
  expect(
    ['=1+1', '+1', '-1+cmd', '@SUM(A1)', '\tx', '\rx', '＝1', '=HYPERLINK("u","x")'].map(cell),
  ).toEqual([
    "'=1+1",
    "'+1",
    "'-1+cmd",
    "'@SUM(A1)",
    "'\tx",
    '"\'\rx"',
    "'＝1",
    '"\'=HYPERLINK(""u"",""x"")"',
  ])
})

test('negative numbers stay numbers, also as text', () => {
  expect([-5, '-5', '-0.25', 1.5, Number.NaN].map(cell)).toEqual(['-5', '-5', '-0.25', '1.5', ''])
})
