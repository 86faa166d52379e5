import { expect, test } from 'vitest'
import { availabilityState, successShare } from './availability.ts'

const state = (requests: number, failures: number, hasChannel = true, wasAsked = true) =>
  availabilityState({ hasChannel, wasAsked, recent: { requests, failures } })

test('a few failures say nothing; more of them degrade a model or take it down', () => {
  expect([state(0, 0), state(2, 2), state(19, 3), state(100, 5)]).toEqual([
    'healthy',
    'healthy',
    'healthy',
    'healthy',
  ])
  expect([state(100, 6), state(20, 10)]).toEqual(['degraded', 'degraded'])
  expect([state(3, 3), state(20, 11)]).toEqual(['down', 'down'])
})

test('a model without a channel is down', () => expect(state(100, 0, false)).toBe('down'))

test('a model that nobody asked for is untested, unless it has no channel', () => {
  expect([state(0, 0, true, false), state(0, 0, false, false)]).toEqual(['untested', 'down'])
})

test('without requests there is no share', () => {
  expect([
    successShare({ requests: 0, failures: 0 }),
    successShare({ requests: 8, failures: 2 }),
  ]).toEqual([null, 0.75])
})
