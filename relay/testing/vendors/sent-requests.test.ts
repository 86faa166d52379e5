import { expect, test } from 'vitest'
import { knownFailures } from './known-failures.ts'
import { brokenInConversations, brokenInFixtures, fixtureRequests } from './sent-requests.ts'

test('vendors accept the requests of the fixture pairs, but for known failures', () => {
  expect(fixtureRequests().length).toBeGreaterThan(150)
  const found = brokenInFixtures()
  expect(found).toEqual(knownFailures('fixtures', found))
})

test('vendors accept generated conversations, but for known failures', () => {
  const found = brokenInConversations()
  expect(found).toEqual(knownFailures('conversations', found))
})
