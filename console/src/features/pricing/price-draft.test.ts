import { expect, test } from 'vitest'
import { draftOf, readDraft } from './price-draft.ts'

const row = {
  model: 'gpt-6-sol',
  vendor: 'OpenAI',
  layer: 'built_in' as const,
  version: '2026-11-26',
  price: { input: 2, output: 10, cached: 0.2 },
  list: null,
  planned: [],
}

test('the form shows the price in use, and empty parts stay away', () => {
  const draft = draftOf(row)
  expect(draft).toMatchObject({ model: 'gpt-6-sol', input: '2', cached: '0.2', audio_input: '' })
  expect(readDraft({ ...draft, cached: ' ', from: '2027-01-01' })).toEqual({
    price: { model: 'gpt-6-sol', price: { input: 2, output: 10 }, from: '2027-01-01' },
    problems: [],
  })
})

test('the form of a model without a price has its name alone', () => {
  expect(draftOf({ model: 'new', price: null })).toEqual({ ...draftOf(null), model: 'new' })
})

test('a price of a call needs no other price', () => {
  expect(readDraft({ ...draftOf(null), model: 'm', per_call: '0.05' }).price).toEqual({
    model: 'm',
    price: { per_call: 0.05 },
  })
})

test.each([
  [{ input: '' }, ['input']],
  [{ output: '-1' }, ['output']],
  [{ input: '0' }, ['input']],
  [{ cached: 'x' }, ['cached']],
  [{ cached: '0.123456789' }, ['cached']],
])('%j is no price', (change, problems) => {
  expect(readDraft({ ...draftOf(row), ...change })).toEqual({ price: null, problems })
})

test('a tiny price is a number that can be saved again', () => {
  const draft = draftOf({ ...row, price: { input: 1e-7, output: 1e-8 } })
  expect(draft).toMatchObject({ input: '0.0000001', output: '0.00000001' })
  expect(readDraft(draft).price?.price).toEqual({ input: 1e-7, output: 1e-8 })
})
