import { expect, test } from 'vitest'
import { readFields } from './fields.ts'

const RULES = { countMax: 9, repeats: 'joined' } as const

const fieldsOf = (...lines: readonly string[]) =>
  readFields(lines.map((line) => `${line}\r\n`).join(''), RULES)

test.each(['content-type', 'Content-Type', 'CONTENT-TYPE', 'Content-type'])(
  '%s has the usual name in lower case',
  (name) => {
    expect(fieldsOf(`${name}: text/plain`)).toEqual({ 'content-type': 'text/plain' })
  },
)

test('names of the same length and names that only begin like a usual name stay apart', () => {
  expect(fieldsOf('Hosts: a', 'hos: b', 'Host: c', 'hose: d', 'X-Own-Name: e')).toEqual({
    hosts: 'a',
    hos: 'b',
    host: 'c',
    hose: 'd',
    'x-own-name': 'e',
  })
})
