import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkPair, findUnused, fixturesIn } from './fixture-pairs.ts'
import { formatJson } from './format-json.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pairs-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  vi.unstubAllEnvs()
})

function plant(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
}

/** Counts the bytes of each fixture. */
function run(updates = false) {
  for (const fixture of fixturesIn(folder, 'streams')) {
    checkPair(fixture, { size: fixture.bytes.length }, updates)
  }
}
const unused = () => findUnused(folder, { streams: () => null })

test('a pair passes together with its request', () => {
  plant({
    'about.json': '{}',
    'streams/text.sse': 'data: 1\n\n',
    'streams/text.expected.json': '{ "size": 9 }\n',
    'streams/text.request.json': '{ "a": 1 }',
  })
  run()
  expect(unused()).toEqual([])
  const pair = { name: 'streams/text.sse', form: 'sse', request: { a: 1 } }
  expect(fixturesIn(folder, 'streams')).toMatchObject([pair])
})

test('a wrong expected file fails', () => {
  plant({ 'streams/text.sse': 'data: 1\n\n', 'streams/text.expected.json': '{ "size": 8 }\n' })
  expect(() => run()).toThrow('streams/text.sse: expected')
})

test('a file without a test is found', () => {
  plant({
    'notes.txt': '',
    'stream/text.sse': '',
    'streams/Text.sse': '',
    'streams/two.json': '1',
    'streams/two.sse': '',
    'streams/lost.expected.json': '{}',
    'streams/lost.request.json': '{}',
  })
  expect(unused()).toEqual([
    'streams/Text.sse',
    'streams/lost.expected.json',
    'streams/lost.request.json',
    'streams/two.json',
    'streams/two.sse',
    'notes.txt',
    'stream',
  ])
})

test('a missing expected file fails, and is written on demand, but never in CI', () => {
  plant({ 'streams/text.sse': 'data: 1\n\n' })
  expect(() => run()).toThrow('streams/text.sse has no expected file')
  vi.stubEnv('CI', 'true')
  expect(() => run(true)).toThrow('does not run with CI')
  vi.stubEnv('CI', undefined)
  run(true)
  const written = readFileSync(path.join(folder, 'streams/text.expected.json'), 'utf8')
  expect(written).toBe('{ "size": 9 }\n')
})

test('JSON stands in one line if it fits', () => {
  const long = 'x'.repeat(100)
  expect(formatJson({ a: [], b: { c: [1, 'd', null] }, e: {}, long })).toBe(
    `{\n  "a": [],\n  "b": { "c": [1, "d", null] },\n  "e": {},\n  "long": "${long}"\n}\n`,
  )
})
