import { expect, test } from 'vitest'
import { findAvoided, findInProse, widthProblem } from './prose.mjs'

const POOR = [
  ['Of the prompt, what was cached.', 'Tokens of the prompt that were cached.'],
  ['Whose key is refused is disabled.', 'A channel whose key is refused is disabled.'],
  ['Those of the prompt.', 'Tokens of the prompt.'],
  ['So many tokens what is held pays for.', 'Output tokens the current hold pays for.'],
  ['That of the user.', 'The balance of the user.'],
  ['As the channel was disabled, it waits.', 'As a rule, a channel waits.'],
  ['As it arrived.', 'As soon as it arrives.'],
  ['Who pays.', 'The user who pays.'],
  ['Nobody was asked.', 'No channel was asked, as nobody waits.'],
  ['Where there is none, null.', 'Null where there is no proxy.'],
  ['The owner is told.', 'The two are told apart.'],
  ['A stream goes on.', 'A stream is going to end.'],
  ['A chunk as it came.', 'A chunk as it is.'],
  ['Drops what is none.', 'Drops what is not an event.'],
  ['Takes the rest, be it nothing.', 'Takes the rest, possibly nothing.'],
  ['Refused in words.', 'Refused in other words.'],
  ['Thinks unseen.', 'Seen by the user.'],
  ['Begins anew.', 'Begins a new day.'],
  ['Asked beside it.', 'Besides, one is asked.'],
  ['A browser that signed in.', 'See sign-in.md: a browser that logged in.'],
]

test.each(POOR)('"%s" is poor prose, "%s" is not', (poor, plain) => {
  expect(findAvoided(poor)).toMatchObject([{ index: expect.any(Number) }])
  expect(findAvoided(plain)).toEqual([])
})

const BLOCKS = [
  ['after a sentence', 'A key. Of a user.', 7],
  ['after a quotation', 'A "key." Of a user.', 9],
  ['in a new paragraph', 'A key\n\nOf a user', 7],
  ['in a list', 'Keys:\n* Of a user', 8],
  ['in a numbered list', 'Keys:\n10. Of a user', 10],
  ['in a heading', 'Keys:\n## Of a user', 9],
  ['in a cell', '| a | Of a user |', 6],
  ['in bold type', 'A key. **Of** a user.', 7],
]

test.each(BLOCKS)('a sentence begins %s', (_name, text, index) => {
  expect(findAvoided(text)).toMatchObject([{ index }])
})

test('a phrase may stand on two lines of a comment', () => {
  expect(findInProse('/**\n * Its owner is\n * told.\n */', 'comment')).toHaveLength(1)
  expect(findInProse('// Its owner is\n  // told.', 'comment')).toHaveLength(1)
})

test('a message names the phrase and what to write instead', () => {
  expect(findAvoided('(So\nmany tokens)')).toEqual([
    { index: 0, message: '"So many": say what is counted' },
  ])
})

test('the width is counted in characters', () => {
  expect(widthProblem(`${'é'.repeat(99)}👋`)).toBeUndefined()
  expect(widthProblem('x'.repeat(101))).toBe('101 columns, at most 100: break the line')
})
