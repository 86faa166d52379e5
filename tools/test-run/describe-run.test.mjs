import { expect, test } from 'vitest'
import { describeResult, describeRun, FLAKY_MAX } from './describe-run.mjs'

const tests = (changes) => ({
  name: 'browser',
  countsTests: true,
  ms: 61_250,
  passed: 9,
  failed: 0,
  flaky: [],
  files: [],
  output: 'the reason\n',
  ...changes,
})

test('a step shows its time, its counts and what passed only on retry', () => {
  const build = tests({ name: 'build', countsTests: false })
  expect(describeResult(build)).toBe('ok   build (61.3 s)')
  expect(describeResult(tests())).toBe('ok   browser (61.3 s, 9 passed, 0 failed)')
  expect(describeResult(tests({ flaky: ['a menu opens', 'a page loads'] }))).toBe(
    'ok   browser (61.3 s, 9 passed, 0 failed, 2 flaky: a menu opens; a page loads)',
  )
})

test('a failed step shows its output first', () => {
  const failure = describeResult(tests({ failed: 1 }))
  expect(failure).toBe('the reason\nFAIL browser (61.3 s, 9 passed, 1 failed)')
})

test('more flaky tests than allowed fail a run, which names all of them', () => {
  const most = Array.from({ length: FLAKY_MAX - 1 }, (_, at) => `test ${at}`)
  const unit = tests({ flaky: ['first'] })
  const passing = describeRun([unit, tests({ flaky: most })])
  expect(passing).toEqual({ text: '18 passed, 0 failed', failed: 0 })
  const failing = describeRun([unit, tests({ flaky: [...most, 'last'] })])
  expect(failing.failed).toBe(1)
  expect(failing.text).toBe(
    `FAIL: ${FLAKY_MAX + 1} tests passed only on retry, ${FLAKY_MAX} may:\n` +
      `  first\n${most.map((name) => `  ${name}\n`).join('')}  last\n18 passed, 1 failed`,
  )
})

test('a stopped run is failed', () => {
  expect(describeRun([tests()], true)).toEqual({ text: '9 passed, 1 failed', failed: 1 })
})

test('the twenty slowest files of all steps are shown, the slowest first', () => {
  const files = Array.from({ length: 15 }, (_, index) => ({ name: `unit-${index}`, ms: index }))
  const slow = Array.from({ length: 15 }, (_, index) => ({
    name: `e2e-${index}`,
    ms: 9000 + index,
  }))
  const lines = describeRun([tests({ files }), tests({ files: slow })]).text.split('\n')
  expect(lines.slice(0, 3)).toEqual([
    'Slowest test files:',
    '    9.0 s  e2e-14',
    '    9.0 s  e2e-13',
  ])
  expect(lines).toHaveLength(1 + 20 + 1)
  expect(lines.at(-2)).toBe('    0.0 s  unit-10')
})
