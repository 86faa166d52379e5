import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../launcher/install.mjs'

const PAGE = readFileSync(path.join(ROOT, 'docs/reference/console-coverage.md'), 'utf8')
const NAMED_TEST = /`([^`]+\.(?:test|e2e)\.(?:tsx?|mjs))`: \*([^*]+)\*/g

const rows = PAGE.split('\n').filter((line) => /^\| (?!---|Rule|Instead)/.test(line))

/** Missing tests that a line names. */
const findLost = (line) => [...line.matchAll(NAMED_TEST)].flatMap(whyLost)

function whyLost([, file, name]) {
  const full = path.join(ROOT, file)
  if (!existsSync(full)) return [`${file} is gone`]
  const title = new RegExp(String.raw`\(\s*(['"])${RegExp.escape(name)}\1,`)
  return title.test(readFileSync(full, 'utf8')) ? [] : [`${file} has no "${name}"`]
}

test('every test named by the page on the console exists', () => {
  expect(rows.length).toBeGreaterThan(40)
  expect(rows.flatMap(findLost)).toEqual([])
  expect(rows.filter((line) => line.match(NAMED_TEST) === null)).toEqual([])
})

test('a renamed test is found missing', () => {
  const line = '| x | `tools/pages/coverage-page.test.mjs`: *no such* + *name* |'
  expect(findLost(line)).toEqual(['tools/pages/coverage-page.test.mjs has no "no such"'])
})
