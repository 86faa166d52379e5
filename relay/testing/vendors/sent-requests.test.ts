import { expect, test } from 'vitest'
import { EXTREME_CONVERSATIONS } from './extreme-conversations.ts'
import { knownFailures, readKnownFailures } from './known-failures.ts'
import { brokenInConversations, brokenInFixtures, fixtureRequests } from './sent-requests.ts'

test('vendors accept the requests of the fixture pairs, except known failures', () => {
  expect(fixtureRequests().length).toBeGreaterThan(150)
  const found = brokenInFixtures()
  expect(found).toEqual(knownFailures('fixtures', found))
})

test('vendors accept generated conversations, except known failures', () => {
  const found = brokenInConversations()
  expect(found).toEqual(knownFailures('conversations', found))
})

test.each(Object.entries(EXTREME_CONVERSATIONS))('vendors get and accept %s', (_, given) => {
  const refusals: string[] = []
  expect(brokenInConversations({ samples: [given], refusals })).toEqual({})
  expect(refusals).toEqual([])
})

test('every known failure has a reason, and every reason a failure', () => {
  const { reasons, fixtures, conversations } = readKnownFailures()
  const broken = new Set([...Object.values(fixtures), ...Object.values(conversations)].flat())
  expect(Object.keys(reasons).toSorted()).toEqual([...broken].toSorted())
})
