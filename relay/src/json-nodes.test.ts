import { expect, test } from 'vitest'
import { hasTooManyNodes } from './json-nodes.ts'

const MEGABYTE = 1024 * 1024

test.each([
  ['a picture', `{"b64_json":"${'A'.repeat(16 * MEGABYTE)}"}`, false],
  ['as many numbers as vectors have', `[${'0.01,'.repeat(4 * MEGABYTE)}0]`, false],
  ['nothing but objects', `[${'{},'.repeat(4 * MEGABYTE)}0]`, true],
  ['nothing but lists in lists', '['.repeat(4 * MEGABYTE), true],
])('%s: %#', (_what, json, isTooMuch) => {
  expect(hasTooManyNodes(Buffer.from(json))).toBe(isTooMuch)
})
