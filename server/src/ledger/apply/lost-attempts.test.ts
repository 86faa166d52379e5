import { expect, test } from 'vitest'
import { channelsThatLost } from './lost-attempts.ts'

const tried = (channel: number, reason: string) => ({ channel, status: 0, reason, milliseconds: 1 })

test('each attempt that failed before another answered counts as lost for its channel', () => {
  const attempts = [
    tried(1, 'auth: wrong key'),
    tried(1, 'rate_limit: slow down'),
    tried(2, 'overtaken'),
    tried(3, ''),
  ]
  expect(channelsThatLost({ channel: 3, attempts })).toEqual([1, 1, 2])
})

test('the attempt that the request itself counts for does not count as lost too', () => {
  const attempts = [tried(1, 'timeout: gone'), tried(1, 'upstream_fault: gone')]
  expect(channelsThatLost({ channel: 1, attempts })).toEqual([1])
  expect(channelsThatLost({ channel: 1, attempts: attempts.slice(1) })).toEqual([])
})

test.each([
  'invalid_request: no such field',
  'context_length: too long',
  'content_policy: no',
  'late_one_spoke',
  'stream_went_on',
  'client_left',
  'departed',
  'unfinished',
])('%s does not count against the channel', (reason) => {
  expect(channelsThatLost({ channel: 2, attempts: [tried(1, reason), tried(2, '')] })).toEqual([])
})
