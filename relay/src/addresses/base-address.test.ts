import { expect, test } from 'vitest'
import { splitBase, joinAddress, versionedAddress } from './upstream-request.ts'

test.each([
  ['https://a.example', 'https://a.example', ''],
  [' https://a.example/v1// ', 'https://a.example/v1', ''],
  ['https://a.example/v1/?code=1?2', 'https://a.example/v1', '?code=1?2'],
  ['https://a.example/secret#', 'https://a.example/secret', ''],
  ['https://a.example/secret/#/x?y', 'https://a.example/secret', ''],
  ['https://a.example/secret?x=1#y', 'https://a.example/secret', '?x=1'],
  ['', '', ''],
])('%s is split into an address and a query', (base, address, query) => {
  expect(splitBase(base)).toEqual({ address, query })
})

test('a fragment does not replace the path', () => {
  const base = 'https://a.example/secret#'
  expect(joinAddress(base, '', '/v1/models')).toBe('https://a.example/secret/v1/models')
  expect(versionedAddress(base, '/v2', '/chat')).toBe('https://a.example/secret/v2/chat')
})
