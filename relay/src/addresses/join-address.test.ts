import { expect, test } from 'vitest'
import { joinAddress } from './upstream-request.ts'

const DEFAULT = 'https://api.vendor.example'

test.each([
  ['', '/v1/messages', `${DEFAULT}/v1/messages`],
  ['  ', '/v1/messages', `${DEFAULT}/v1/messages`],
  ['https://a.example//', '/v1/messages', 'https://a.example/v1/messages'],
  ['https://a.example/v1', '/v1/messages', 'https://a.example/v1/messages'],
  ['https://a.example/v1/messages/', '/v1/messages', 'https://a.example/v1/messages'],
  ['https://a.example/x/v1?k=1?2', '/v1/messages', 'https://a.example/x/v1/messages?k=1?2'],
  ['https://a.example/v1beta', '/v1/models', 'https://a.example/v1beta/v1/models'],
])('%j and %s are %s', (baseUrl, path, address) => {
  expect(joinAddress(baseUrl, DEFAULT, path)).toBe(address)
})
