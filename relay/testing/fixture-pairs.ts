import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { formatJson } from './format-json.ts'

/*
 * A fixture is a pair of files in a folder named after its kind: `text.json` (or `text.sse`,
 * `text.ndjson`) in the form of the wire, and `text.expected.json` with what the code makes of it.
 * `text.request.json` may name the request that the input answers.
 */

export type Fixture = {
  /** Within the folder of fixtures, such as `streams/text.sse`. */
  readonly name: string
  readonly form: 'json' | 'sse' | 'ndjson'
  readonly bytes: Buffer
  /** The contents of its `.request.json`; undefined if there is none. */
  readonly request: unknown
  readonly expectedPath: string
}

/** Returns what belongs in the expected file. */
export type Run = (fixture: Fixture) => unknown

const INPUT = /^([a-z0-9-]+)\.(json|sse|ndjson)$/
const PARTNER = /^([a-z0-9-]+)\.(?:expected|request)\.json$/

/** Rewrites the expected files instead of comparing them. */
const UPDATES = process.env['UPDATE_FIXTURES'] === '1'

/** Registers a test for each pair. Kinds are subfolders; files of other kinds are unused. */
export function testPairs(folder: string, kinds: Readonly<Record<string, Run>>): void {
  describe(path.relative(process.cwd(), folder), () => {
    test('has a partner for every file', () => expect(findUnused(folder, kinds)).toEqual([]))
    for (const [kind, run] of Object.entries(kinds)) {
      for (const fixture of fixturesIn(folder, kind)) {
        test(fixture.name, () => checkPair(fixture, run(fixture)))
      }
    }
  })
}

export function fixturesIn(folder: string, kind: string): Fixture[] {
  return filesIn(path.join(folder, kind)).flatMap((file) => {
    const [, name, form] = INPUT.exec(file) ?? []
    if (name === undefined) return []
    const partner = (suffix: string) => path.join(folder, kind, `${name}.${suffix}.json`)
    const request = partner('request')
    return {
      name: `${kind}/${file}`,
      // Safe because INPUT admits no other form.
      form: form as Fixture['form'],
      bytes: readFileSync(path.join(folder, kind, file)),
      request: existsSync(request) ? parseBuffer(readFileSync(request)) : undefined,
      expectedPath: partner('expected'),
    }
  })
}

export const parseBuffer = (json: Buffer): unknown => JSON.parse(json.toString())

/** Throws unless the expected file has exactly this value, members in this order. */
export function checkPair(fixture: Fixture, value: unknown, updates = UPDATES): void {
  const text = formatJson(JSON.parse(JSON.stringify(value)))
  if (updates) {
    if (process.env['CI'] !== undefined) throw new Error('UPDATE_FIXTURES does not run with CI')
    writeFileSync(fixture.expectedPath, text)
    return
  }
  if (!existsSync(fixture.expectedPath)) {
    throw new Error(`${fixture.name} has no expected file; UPDATE_FIXTURES=1 writes it`)
  }
  expect(text, fixture.name).toBe(readFileSync(fixture.expectedPath, 'utf8'))
}

/** Files and folders that no test reads. */
export function findUnused(folder: string, kinds: Readonly<Record<string, Run>>): string[] {
  const known = [ABOUT, ...Object.keys(kinds)]
  return [
    ...Object.keys(kinds).flatMap((kind) => unusedOf(folder, kind)),
    ...filesIn(folder).filter((name) => !known.includes(name)),
  ]
}

export const ABOUT = 'about.json'

function unusedOf(folder: string, kind: string): string[] {
  const files = filesIn(path.join(folder, kind))
  const named = files.flatMap((file) => INPUT.exec(file)?.[1] ?? [])
  const isUsed = (file: string) => {
    const name = INPUT.exec(file)?.[1]
    // Two inputs of one name would share an expected file.
    if (name !== undefined) return named.indexOf(name) === named.lastIndexOf(name)
    return named.includes(PARTNER.exec(file)?.[1] ?? '')
  }
  return files.filter((file) => !isUsed(file)).map((file) => `${kind}/${file}`)
}

const filesIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).toSorted() : []

/** Every place to cut at, or as many evenly spread ones. */
export function splitOffsets({ length }: Buffer, max: number): number[] {
  const step = Math.max(1, Math.ceil(length / max))
  const count = Math.max(0, Math.ceil((length - 1) / step))
  return Array.from({ length: count }, (_none, at) => 1 + at * step)
}
