import { expect, test } from 'vitest'
import type { CatalogModel } from '@tollgate/contract'
import { exampleModel } from './catalog.ts'

const row = (id: string, rest: Partial<CatalogModel> = {}): CatalogModel => ({
  id,
  vendor: '',
  group: 'default',
  price: { unit: 'call', each: 1 },
  api: 'chat',
  context_tokens: null,
  output_tokens: null,
  inputs: [],
  outputs: [],
  requests: 0,
  failures: 0,
  first_token: null,
  shutdown: null,
  ...rest,
})

const MODELS = [
  row('embedder', { api: 'embeddings', requests: 90 }),
  row('failing', { requests: 80, failures: 80 }),
  row('busy', { requests: 50, failures: 2 }),
  row('quiet'),
]

test('examples use the chat model with the most successes', () => {
  expect(exampleModel(MODELS).id).toBe('busy')
})

test('examples use a model that the token allows', () => {
  expect(exampleModel(MODELS, ['quiet', 'embedder']).id).toBe('quiet')
  expect(exampleModel(MODELS, ['embedder'])).toMatchObject({ id: 'embedder', api: 'embeddings' })
  expect(exampleModel(MODELS, ['gone'])).toEqual({ id: 'gone', api: 'chat' })
})

test('a model without a price, whose requests are rejected, is the last resort', () => {
  const unpriced = row('unpriced', { price: null, requests: 90 })
  expect(exampleModel([unpriced, row('embedder', { api: 'embeddings' })]).id).toBe('embedder')
  expect(exampleModel([unpriced]).id).toBe('unpriced')
})

test('a model that its vendor has shut down is no example while another is served', () => {
  const shut = row('shut', { shutdown: '2024-01-04', requests: 90 })
  expect(exampleModel([shut, ...MODELS]).id).toBe('busy')
  expect(exampleModel([shut]).id).toBe('shut')
})

test('without a model that the reader may see, examples name none', () => {
  expect(exampleModel(undefined)).toEqual({ id: 'your-model', api: 'chat' })
  expect(exampleModel([])).toEqual({ id: 'your-model', api: 'chat' })
})
