import { expect, test } from 'vitest'
import { matching } from './match.ts'

const entries = [
  { words: 'Add token 添加令牌 /token/add' },
  { words: 'Tokens 令牌 /token' },
  { words: 'Top up 充值 /topup' },
]

const found = (typed: string) => matching(entries, typed).map(({ words }) => words.split(' ')[0])

test('an empty query keeps every entry in its place', () => {
  expect(found('')).toEqual(['Add', 'Tokens', 'Top'])
  expect(found('  ')).toEqual(['Add', 'Tokens', 'Top'])
})

test('entries that begin with the query come before entries that contain it', () => {
  expect(found('TOK')).toEqual(['Tokens', 'Add'])
})

test('every word must match, in any order and language', () => {
  expect(found('token add')).toEqual(['Add'])
  expect(found('令牌')).toEqual(['Tokens', 'Add'])
  expect(found('token user')).toEqual([])
})
