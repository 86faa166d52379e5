import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countMembers,
  editMembers,
  foldName,
  hasInnerDuplicates,
  scanMembers,
  scanObjects,
  type Members,
} from './json-members.ts'
import { isRecord, parseJson } from './json-value.ts'

function scanned(text: string): Members {
  const members = scanMembers(Buffer.from(text))
  if ('reason' in members) throw new Error(`${members.reason} in ${text}`)
  return members
}

function edited(text: string, edits: Record<string, string | null>): string {
  return editMembers(Buffer.from(text), scanned(text), edits).toString()
}

/** Adds the space wherever JSON allows space at the top level. */
function spaced(object: Record<string, unknown>, space: string): string {
  const members = Object.entries(object).map(([name, value]) =>
    [JSON.stringify(name), ':', JSON.stringify(value)].join(space),
  )
  return `${space}{${space}${members.join(`${space},${space}`)}${space}}${space}`
}

const name = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('model', 'n', 'a"b', '\\', ''),
  )
  .filter((text) => text !== '__proto__')
const objects = fc
  .dictionary(name, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 })
  .filter(
    (object) => new Set(Object.keys(object).map(foldName)).size === Object.keys(object).length,
  )
  .map((object): Record<string, unknown> => ({ ...object }))
const spaces = fc.constantFrom('', ' ', '\n', '\t\r\n  ')

describe('scanMembers', () => {
  test('finds every member of any object, with the exact bytes of its value', () => {
    fc.assert(
      fc.property(objects, spaces, (object, space) => {
        const body = Buffer.from(spaced(object, space))
        const members = scanned(body.toString())
        expect(members.list.map((found) => found.name)).toEqual(Object.keys(object))
        for (const found of members.list) {
          const value = body.toString('utf8', found.valueStart, found.end)
          expect(value).toBe(JSON.stringify(object[found.name]))
          expect(body[found.start]).toBe(0x22)
        }
        expect(body[members.closeAt]).toBe(0x7d)
      }),
    )
  })

  test('never fails or hangs on any bytes, and accepts every body that JSON accepts', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        scanMembers(Buffer.from(bytes))
        scanMembers(Buffer.concat([Buffer.from('{"a":'), Buffer.from(bytes)]))
      }),
    )
  })

  test.each([
    ['', 'not_object'],
    ['[]', 'not_object'],
    ['"a"', 'not_object'],
    ['{', 'malformed'],
    ['{"a"', 'malformed'],
    ['{"a":', 'malformed'],
    ['{"a":}', 'malformed'],
    ['{"a":1', 'malformed'],
    ['{"a":1,}', 'malformed'],
    ['{"a":1 "b":2}', 'malformed'],
    ['{"a":"b}', 'malformed'],
    ['{"a":[1}', 'malformed'],
    ['{a:1}', 'malformed'],
    ['{"\\x":1}', 'malformed'],
    ['{"a":1}}', 'malformed'],
    ['{"a":1} x', 'malformed'],
  ])('refuses %j as %s', (text, reason) => {
    expect(scanMembers(Buffer.from(text))).toMatchObject({ reason })
  })

  test.each([
    ['{"model":"a","model":"b"}', 'model'],
    ['{"model":"a","x":{"model":1},"\\u006dodel":"b"}', 'model'],
    ['{"model":"a","Model":"b"}', 'Model'],
    ['{"stream":true,"\u017ftream":false}', '\u017ftream'],
    ['{"k":1,"\u212a":2}', '\u212a'],
  ])('refuses a name that an upstream could take for another: %s', (text, twice) => {
    expect(scanMembers(Buffer.from(text))).toEqual({ reason: 'duplicate', name: twice })
  })

  test('refuses nesting beyond the limit, also in a value that is never closed', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect(scanMembers(Buffer.from(nested(63)))).not.toHaveProperty('reason')
    expect(scanMembers(Buffer.from(nested(64)))).toEqual({ reason: 'too_deep' })
    expect(scanMembers(Buffer.from(`{"a":${'{"b":'.repeat(5000)}`))).toEqual({ reason: 'too_deep' })
    const shallow = scanMembers(Buffer.from('{"a":{"b":1}}'), { depthMax: 1 })
    expect(shallow).toEqual({ reason: 'too_deep' })
  })

  test('refuses more top-level members than any request has', () => {
    const members = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":1`).join()
    expect(scanned(`{${members(1000)}}`).list).toHaveLength(1000)
    expect(scanMembers(Buffer.from(`{${members(1001)}}`))).toEqual({ reason: 'too_many_members' })
  })

  test('reads each byte of a text with many escapes a few times at most', () => {
    const body = Buffer.from(JSON.stringify({ a: '"\n'.repeat(60_000), b: '\\'.repeat(120_000) }))
    const start = process.cpuUsage()
    expect(scanMembers(body)).not.toHaveProperty('reason')
    // Takes about 1 ms. Rescanning from each escape would take minutes.
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(5000)
  })
})

describe('editMembers', () => {
  test('produces the expected object and keeps the bytes of every other member', () => {
    const edits = fc.dictionary(name, fc.option(fc.jsonValue()), { maxKeys: 4 })
    fc.assert(
      fc.property(objects, edits, spaces, fc.nat(), (object, others, space, pick) => {
        const names = Object.keys(object)
        const chosen = names[pick % Math.max(names.length, 1)]
        const changes = { ...others, ...(chosen === undefined ? {} : { [chosen]: null }) }
        const raw = Object.entries(changes).map(([key, value]): [string, string | null] => [
          key,
          value === null ? null : JSON.stringify(value),
        ])
        // JSON has no -0.
        const expected = JSON.parse(JSON.stringify({ ...object, ...changes }))
        for (const [key, value] of raw) if (value === null) delete expected[key]

        const before = Buffer.from(spaced(object, space))
        const after = editMembers(before, scanned(before.toString()), Object.fromEntries(raw))
        expect(JSON.parse(after.toString())).toEqual(expected)
        for (const kept of scanned(before.toString()).list) {
          if (Object.hasOwn(changes, kept.name)) continue
          expect(after.includes(before.subarray(kept.start, kept.end))).toBe(true)
        }
      }),
    )
  })

  test('keeps big integers, spaces, order and unknown members byte for byte', () => {
    const text = '{ "seed": 9007199254740993,\n  "model" : "a", "x":1.0e5 , "y":"\\u00e9" }'
    expect(edited(text, { model: '"b"' })).toBe(text.replace('"a"', '"b"'))
    const body = Buffer.from(text)
    expect(editMembers(body, scanned(text), {})).toBe(body)
  })

  test.each([
    ['{"a":1,"b":2,"c":3}', { b: null }, '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', { a: null, c: null }, '{"b":2}'],
    ['{"a":1,"b":2}', { a: null, b: null }, '{}'],
    ['{"a":1,"b":2}', { a: null, b: null, d: '4' }, '{"d":4}'],
    ['{}', { a: '1', b: '2' }, '{"a":1,"b":2}'],
    ['{}', { a: null }, '{}'],
    ['{"a":1}', { 'q"': '1' }, '{"a":1,"q\\"":1}'],
    ['{"\\u0061":1}', { a: '2' }, '{"\\u0061":2}'],
    [' {"a":1} ', { b: '2' }, ' {"a":1,"b":2} '],
  ])('edits %s with %j to %s', (text, edits, expected) => {
    expect(edited(text, edits)).toBe(expected)
  })
})

describe('repeated members inside of values', () => {
  const hasDuplicates = (text: string) => hasInnerDuplicates(scanned(text), recordIn(text))
  const recordIn = (text: string) => {
    const json = parseJson(text)
    if (!isRecord(json)) throw new Error('no object')
    return json
  }

  test('never occur in JSON that JavaScript wrote', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        // Compares texts, since `__proto__` as a member name is special in JavaScript.
        const text = JSON.stringify(value)
        expect(hasDuplicates(`{"a":${text},"b":${text}}`)).toBe(false)
        expect(scanned(`{"value":${text}}`).count).toBe(countMembers(JSON.parse(text)) + 1)
      }),
    )
  })

  test.each([
    '{"a":{"b":1,"b":2}}',
    '{"a":[{"x":{"b":":","\\u0062":{}}}]}',
    '{"a":[[],{"b":1,"c":[{"d":1,"d":1}]}],"e":null}',
    '{"a":{"__proto__":1,"__proto__":2}}',
  ])('are found in %s', (text) => {
    expect(hasDuplicates(text)).toBe(true)
  })
})

describe('objects of a list', () => {
  test.each<[string, string[] | null]>([
    ['[]', []],
    [' [ {"a":"]}"} ,{}] ', ['{"a":"]}"}', '{}']],
    ['[{"a":[{}]},1]', null],
    ['[[{}]]', null],
    ['{}', null],
    ['[{}', null],
  ])('%s', (text, expected) => {
    const list = Buffer.from(text)
    const found = scanObjects(list)
    expect(found?.map(({ start, end }) => list.toString('utf8', start, end)) ?? null).toEqual(
      expected,
    )
  })
})
