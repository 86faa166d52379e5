import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runStep } from './test-step.mjs'

const node = process.execPath
let folder

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-step-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

function script(name, text) {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return file
}

function run(step) {
  return runStep({ name: 'probe', timeoutMs: 20_000, ...step }, { node, folder })
}

function testsReporting(report, code) {
  const file = script(
    'tests.mjs',
    `import { writeFileSync } from 'node:fs'
     writeFileSync(process.argv[2], ${JSON.stringify(JSON.stringify(report))})
     process.exit(${code})`,
  )
  return { countsTests: true, command: (resultFile) => [file, resultFile] }
}

test('a successful step is one passed, a failed one is one failed with its output', async () => {
  const good = script('good.mjs', '')
  const bad = script('bad.mjs', `console.log('the reason'); process.exit(3)`)
  expect(await run({ command: () => [good] })).toMatchObject({ passed: 1, failed: 0 })
  const failure = await run({ command: () => [bad] })
  expect(failure).toMatchObject({ passed: 0, failed: 1 })
  expect(failure.output).toContain('the reason')
})

test('a step has its own variables', async () => {
  const file = script('needs.mjs', `process.exit(process.env.PLANTED === '1' ? 0 : 3)`)
  const env = { PLANTED: '1' }
  expect(await run({ env, command: () => [file] })).toMatchObject({ passed: 1, failed: 0 })
})

test('a step in the background leaves the processor to others', async () => {
  const text = `import { getPriority } from 'node:os'; process.exit(getPriority() === 15 ? 0 : 3)`
  const file = script('nice.mjs', text)
  expect(await run({ niceness: 15, command: () => [file] })).toMatchObject({ passed: 1 })
  expect(await run({ command: () => [file] })).toMatchObject({ failed: 1 })
})

test('a hanging step is ended and failed', async () => {
  const endless = script('endless.mjs', 'setInterval(() => {}, 1000)')
  const failure = await run({ timeoutMs: 300, command: () => [endless] })
  expect(failure).toMatchObject({ passed: 0, failed: 1 })
  expect(failure.output).toContain('not finished')
})

test('a step that cannot start is failed', async () => {
  const failure = await run({
    command: () => {
      throw new Error('no such tool')
    },
  })
  expect(failure).toMatchObject({ passed: 0, failed: 1 })
})

test('each test counts, and a skipped one counts as failed, by its name', async () => {
  const report = { total: 5, passed: 4, leftOut: ['money is kept'], flaky: ['a page'], files: [] }
  const step = await run(testsReporting(report, 0))
  expect(step).toMatchObject({ passed: 4, failed: 1, flaky: ['a page'] })
  expect(step.output).toContain('Left out: money is kept')
})

test('a run that breaks although every test passed is failed', async () => {
  const report = { total: 5, passed: 5, leftOut: [], flaky: [], files: [] }
  expect(await run(testsReporting(report, 1))).toMatchObject({ passed: 5, failed: 1 })
})

test('a run without a report is failed', async () => {
  const silent = script('silent.mjs', '')
  const step = { countsTests: true, command: () => [silent] }
  expect(await run(step)).toMatchObject({ passed: 0, failed: 1 })
})
