import { expect, test } from 'vitest'
import { finish } from '../../steps.ts'
import { readInputTokensRequest } from './request.ts'

test.each([
  ['is no object', '[]'],
  ['is no JSON', '{"model":'],
  ['is no UTF-8', Buffer.from([0x22, 0xff])],
  ['is nested too deeply', `{"metadata":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
])('a body that %s is refused', (_, body) => {
  expect(
    finish(readInputTokensRequest(Buffer.from(body), { now: () => 0, items: null })),
  ).toMatchObject({
    type: 'invalid_request_error',
    param: null,
  })
})
