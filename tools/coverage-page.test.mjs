import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './install.mjs'

const PAGE = readFileSync(path.join(ROOT, 'docs/console-coverage.md'), 'utf8')
const PROOF = /`([^`]+\.(?:test|e2e)\.(?:tsx?|mjs))`: \*([^*]+)\*/g

const rows = PAGE.split('\n').filter((line) => /^\| (?!Rule|Instead|---)/.test(line))

/** What the page says of tests that are not there. */
function findLost(line) {
  return [...line.matchAll(PROOF)].flatMap(([, file, name]) => {
    const full = path.join(ROOT, file)
    if (!existsSync(full)) return [`${file} is gone`]
    return readFileSync(full, 'utf8').includes(`'${name}'`) ? [] : [`${file} has no "${name}"`]
  })
}

test('every test that the page on the console names is there', () => {
  expect(rows.length).toBeGreaterThan(40)
  expect(rows.flatMap(findLost)).toEqual([])
  expect(rows.filter((line) => [...line.matchAll(PROOF)].length === 0)).toEqual([])
})

test('a test that was renamed is missed', () => {
  const line = '| x | `tools/coverage-page.test.mjs`: *no such* + *name* |'
  expect(findLost(line)).toEqual(['tools/coverage-page.test.mjs has no "no such"'])
})
