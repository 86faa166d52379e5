import { expect, test } from 'vitest'
import type { CatalogModel } from '@tollgate/contract'
import { matches, NO_FILTER } from './catalog-filter.ts'

const model: CatalogModel = {
  id: 'gpt-4o',
  vendor: 'OpenAI',
  group: 'default',
  price: null,
  api: 'chat',
  context_tokens: null,
  output_tokens: null,
  inputs: ['text', 'image'],
  outputs: ['text'],
  requests: 0,
  failures: 0,
  first_token: null,
  shutdown: null,
}

test('every word of the keyword must occur in the name or the vendor', () => {
  expect(matches(model, NO_FILTER, '')).toBe(true)
  expect(matches(model, NO_FILTER, 'openai 4O')).toBe(true)
  expect(matches(model, NO_FILTER, 'openai claude')).toBe(false)
})

test.each([
  ['vendor', 'OpenAI', 'Google'],
  ['api', 'chat', 'embeddings'],
  ['reads', 'image', 'video'],
] as const)('%s keeps the models that have it', (name, fitting, other) => {
  expect(matches(model, { ...NO_FILTER, [name]: fitting }, '')).toBe(true)
  expect(matches(model, { ...NO_FILTER, [name]: other }, '')).toBe(false)
})
