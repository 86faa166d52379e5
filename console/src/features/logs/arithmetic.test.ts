import { expect, test } from 'vitest'
import type { ChargeBasis } from '@tollgate/contract'
import { productOf, sumOf, termsOf } from './arithmetic.ts'

const basis: ChargeBasis = {
  price_model: 'gpt-4o',
  price_version: '17',
  model_ratio: 1.25,
  completion_ratio: 4,
  cache_ratio: 0.5,
  cache_write_ratio: 1,
  group: 'vip',
  group_ratio: 0.8,
  prompt_tokens: 1204,
  cached_tokens: 800,
  cache_write_tokens: 0,
  completion_tokens: 312,
  reasoning_tokens: 0,
  usage_source: 'reported',
  held: 9500,
  cost: 2052,
}

test('shows the terms the charge was computed from, and they add up to it', () => {
  const terms = termsOf(basis)
  expect(terms.map(({ kind, weighted }) => [kind, weighted])).toEqual([
    ['prompt', 404],
    ['cached', 400],
    ['completion', 1248],
  ])
  const exact = sumOf(terms) * basis.model_ratio * basis.group_ratio
  expect(Math.ceil(exact)).toBe(basis.cost)
})

test('counts no fresh prompt when more was cached than was sent', () => {
  const terms = termsOf({ ...basis, cached_tokens: 2000 })
  expect(terms.map(({ kind }) => kind)).toEqual(['cached', 'completion'])
})

test('tells the exact product from the charge only where it was rounded', () => {
  expect(productOf({ ...basis, cost: 2052 })).toEqual({ exact: 2052, isRounded: false })
  const odd = { ...basis, completion_tokens: 0, cached_tokens: 0, prompt_tokens: 3, cost: 4 }
  expect(productOf({ ...odd, group_ratio: 1 })).toEqual({ exact: 3.75, isRounded: true })
  const thirds = { ...odd, prompt_tokens: 3, model_ratio: 0.1, group_ratio: 10, cost: 3 }
  expect(productOf(thirds).isRounded).toBe(false)
})
