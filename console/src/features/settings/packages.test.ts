import { expect, test } from 'vitest'
import { DEFAULT_TOP_UP_PACKAGES } from '@tollgate/contract'
import { findProblem } from './drafts.ts'
import { newPromotion, parsePackages, textOfPackages } from './packages.ts'

test('packages convert to text and back, and the default is valid', () => {
  const text = JSON.stringify(DEFAULT_TOP_UP_PACKAGES, null, 2)
  const draft = parsePackages(text)
  expect(draft && textOfPackages(draft)).toBe(text)
  const promotion = newPromotion(1_800_000_000)
  const filled = textOfPackages({ packages: [{ usd: 1, cny: 7, link: '' }], promotion })
  expect(findProblem('TopUpPackages', filled, 'en')).toBeNull()
  expect(filled).not.toContain('link')
})

test('a missing number is reported on saving', () => {
  const text = textOfPackages({ packages: [{ usd: null, cny: 7 }], promotion: null })
  expect(findProblem('TopUpPackages', text, 'en')).toMatchObject({ field: 'packages.0.usd' })
})

test('any other text has no rows', () => {
  for (const text of ['', '[]', '{}', '{"packages": 1, "promotion": null}']) {
    expect(parsePackages(text)).toBeNull()
  }
})
