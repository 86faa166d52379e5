import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../launcher/install.mjs'
import { findLost, namesTest, rowsOf, whyLost } from './named-tests.mjs'

const PAGE = readFileSync(path.join(ROOT, 'docs/reference/ledger.md'), 'utf8')
const FOLDER = 'server/src'
const CASE = /^\| (L\d|\d+) \|/
const LINE = /\| `([^`]+\.ts)`: `([^`]+)` \|/

const PROMISES = ['L1', 'L2', 'L3', 'L4', 'L5']
const CASES = Array.from({ length: 25 }, (_, index) => `${index + 1}`)

const rows = rowsOf(PAGE, (line) => !CASE.test(line))

function findLostLine(row) {
  const [, file, text] = LINE.exec(row) ?? []
  if (file === undefined) return [`no line: ${row}`]
  return whyLost(path.join(FOLDER, file), text)
}

test('every promise and every attack has a line and a test', () => {
  const named = rows.map((row) => CASE.exec(row)?.[1])
  expect([...new Set(named)]).toEqual([...PROMISES, ...CASES])
  expect(rows.filter((row) => !namesTest(row))).toEqual([])
})

test('every line and every test that the page on the ledger names is there', () => {
  expect(rows.flatMap(findLostLine)).toEqual([])
  expect(rows.flatMap((row) => findLost(row, FOLDER))).toEqual([])
})

test('a line that was changed is missed', () => {
  const row = '| L1 | x | `ledger/node/node.ts`: `no such line` | y |'
  expect(findLostLine(row)).toEqual(['server/src/ledger/node/node.ts has no no such line'])
})
