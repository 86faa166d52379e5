import { expect, test } from 'vitest'
import { slowReasonInBoth } from './slow-reason.ts'

test('the reason of a slow test has a Chinese form, and other reasons have none here', () => {
  const en = 'The test took 5.001 s, more than the 5 s allowed.'
  expect(slowReasonInBoth(en)).toEqual({ en, zh: '测试用时 5.001 秒，超过允许的 5 秒。' })
  expect(slowReasonInBoth('no')).toBeNull()
})
