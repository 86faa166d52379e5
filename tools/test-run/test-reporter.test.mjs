import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findCommand } from '../launcher/install.mjs'
import { pathInTools } from '../launcher/processes.mjs'

const PLANTED = `
let runs = 0
test('is always right', () => {})
test('is right the second time', () => expect(++runs).toBe(2))
describe('some', () => test('is never right', () => expect(1).toBe(2)))
test['skip']('is left out', () => {})
`

let folder

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-reporter-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

test('the report has the counts, the flaky and left out tests, and the time of each file', async () => {
  writeFileSync(path.join(folder, 'planted.test.mjs'), PLANTED)
  const file = path.join(folder, 'report.json')
  const reporter = pathInTools('test-run/test-reporter.mjs')
  const options = ['--globals', '--retry=1', `--root=${folder}`]
  const run = promisify(execFile)(process.execPath, [
    findCommand('vitest'),
    'run',
    ...options,
    `--reporter=${reporter}`,
    `--outputFile=${file}`,
  ])
  await expect(run).rejects.toMatchObject({ code: 1 })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    total: 4,
    passed: 2,
    leftOut: ['is left out'],
    flaky: ['is right the second time'],
    files: [{ name: 'planted.test.mjs', ms: expect.any(Number) }],
  })
})
