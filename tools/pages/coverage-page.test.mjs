import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../launcher/install.mjs'
import { findLost, namesTest, rowsOf } from './named-tests.mjs'

const PAGE = readFileSync(path.join(ROOT, 'docs/reference/console-coverage.md'), 'utf8')

const rows = rowsOf(PAGE, (line) => /^\| (?:Rule|Instead)/.test(line))

test('every test that the page on the console names is there', () => {
  expect(rows.length).toBeGreaterThan(40)
  expect(rows.flatMap((line) => findLost(line))).toEqual([])
  expect(rows.filter((line) => !namesTest(line))).toEqual([])
})

test('a test that was renamed is missed', () => {
  const line = '| x | `tools/pages/coverage-page.test.mjs`: *no such* + *name* |'
  expect(findLost(line)).toEqual(['tools/pages/coverage-page.test.mjs has no "no such"'])
})
