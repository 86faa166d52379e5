import { expect, test } from 'vitest'
import { createOAuthLimits } from './oauth-limits.ts'

const network = (number: number) => `2001:db8:0:${number.toString(16)}::1`

test('who owns many addresses guesses no more codes of WeChat than 200 in the time that one holds', () => {
  let now = 0
  const limits = createOAuthLimits(() => now)
  for (let tried = 0; tried < 200; tried++) limits.take('wechat', network(tried))
  expect(() => limits.take('wechat', network(200))).toThrow('too_many_requests')
  expect(() => limits.take('callback', network(200))).not.toThrow()
  now += 4 * 60 * 1000
  expect(() => limits.take('wechat', network(201))).not.toThrow()
})

test('codes that were right count for nobody', () => {
  const limits = createOAuthLimits(() => 0)
  for (let signedIn = 0; signedIn < 1000; signedIn++) limits.take('wechat', network(1))()
  expect(() => limits.take('wechat', network(1))).not.toThrow()
})
