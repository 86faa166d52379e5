import { expect, test } from 'vitest'
import { DEFAULT_TOP_UP_PACKAGES } from '@tollgate/contract'
import { newTransactionId, runningPromotion, shopAddress } from './shop.ts'

const BUYER = { username: '李 & co', id: 7 }

test('the shop learns who buys, in addition to the parameters of its address', () => {
  const address = shopAddress('https://shop.example/buy?lang=zh#top', BUYER, 'abc')
  const url = new URL(address ?? '')
  expect(Object.fromEntries(url.searchParams)).toEqual({
    lang: 'zh',
    username: '李 & co',
    user_id: '7',
    transaction_id: 'abc',
  })
  expect(url.origin + url.pathname + url.hash).toBe('https://shop.example/buy#top')
})

test('an unset or unusable address gives no link', () => {
  expect(shopAddress('', BUYER, 'abc')).toBeNull()
  expect(shopAddress('https://', BUYER, 'abc')).toBeNull()
  expect(shopAddress('javascript:alert(1)', BUYER, 'abc')).toBeNull()
})

test('transaction ids are random UUIDs', () => {
  const ids = new Set(Array.from({ length: 100 }, newTransactionId))
  expect(ids.size).toBe(100)
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
})

test('a promotion shows from its first to its last second and never after', () => {
  const { promotion } = DEFAULT_TOP_UP_PACKAGES
  const { from = 0, until = 0 } = promotion ?? {}
  const at = (now: number) => runningPromotion(DEFAULT_TOP_UP_PACKAGES, now)
  expect([from - 1, from, until, until + 1].map((now) => at(now) !== null)).toEqual([
    false,
    true,
    true,
    false,
  ])
  expect(runningPromotion({ packages: [], promotion: null }, from)).toBeNull()
})
