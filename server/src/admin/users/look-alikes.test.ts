import { expect, test } from 'vitest'
import { looksLike, mixesScripts } from './look-alikes.ts'

test.each([
  ['root', false],
  ['Jürgen Æ', false],
  ['иван-2', false],
  ['Ελένη', false],
  ['张伟 abc', false],
  ['ひろ カナ x', false],
  ['김철수 dev', false],
  ['นภา', false],
  ['محمد', false],
  ['rооt', true],
  ['аdmin', true],
  ['οскар', true],
  ['Ꭰavid', true],
  ['张а', true],
])('%s mixes scripts: %s', (name, expected) => {
  expect(mixesScripts(name)).toBe(expected)
})

test.each([
  ['сосо', 'coco'],
  ['СОСО', 'coco'],
  ['ΑΡΙ', 'api'],
  ['ɑpi', 'api'],
  ['root', null],
  ['张伟', null],
])('%s looks like %s', (name, expected) => {
  expect(looksLike(name)).toBe(expected)
})
