import { expect, test } from 'vitest'
import { countNodes, EVENT_NODES_MAX, hasTooManyNodes } from './json-limits.ts'

const MEGABYTE = 1024 * 1024

test.each([
  ['a picture', `{"b64_json":"${'A'.repeat(16 * MEGABYTE)}"}`, false],
  ['a text of punctuation', `{"text":"${'[,:{'.repeat(MEGABYTE)}"}`, false],
  ['as many numbers as may be', `[${'1,'.repeat(EVENT_NODES_MAX - 1)}1]`, false],
  ['one number more', `[${'1,'.repeat(EVENT_NODES_MAX)}1]`, true],
  ['an event of them', `event: x\ndata: [${'1,'.repeat(EVENT_NODES_MAX)}1]\n\n`, true],
  ['nothing but strings', `[${'"",'.repeat(MEGABYTE)}0]`, true],
  ['nothing but objects', `[${'{},'.repeat(MEGABYTE)}0]`, true],
  ['nothing but members', `{${'"":0,'.repeat(MEGABYTE)}"":0}`, true],
  ['nothing but commas', `[${','.repeat(4 * MEGABYTE)}`, true],
  ['nothing but space', `[${' '.repeat(9 * MEGABYTE)}]`, true],
  ['a page', `<html>${'<p>,</p>'.repeat(MEGABYTE)}`, false],
])('%s: %#', (_what, json, isTooMuch) => {
  expect(hasTooManyNodes(Buffer.from(json))).toBe(isTooMuch)
})

test.each([
  ['', 0],
  ['7', 0],
  ['[]', 1],
  ['{"a":[1,{"b":"c"}]}', 9],
  [String.raw`["\\\"","[{,:"]`, 4],
])('%s has %i nodes', (text, nodes) => {
  expect(countNodes(Buffer.from(text), 100)).toBe(nodes)
})
