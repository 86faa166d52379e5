import { expect, test } from 'vitest'
import { channelReasonInBoth, emptyReason } from './channel-reason.ts'

test('reasons of a slow test and of an empty account have a Chinese form, others none here', () => {
  const slow = 'The test took 5.001 s, more than the 5 s allowed.'
  expect(channelReasonInBoth(slow)).toEqual({
    en: slow,
    zh: '测试用时 5.001 秒，超过允许的 5 秒。',
  })
  const empty = emptyReason('-0.004 CNY')
  expect(channelReasonInBoth(empty)).toEqual({ en: empty, zh: '服务商报告的余额为 -0.004 CNY。' })
  expect(channelReasonInBoth('no')).toBeNull()
})
