import { expect, test } from 'vitest'
import { brokenInTapes, readTapes } from './tapes.ts'
import { knownFailures } from './vendors/known-failures.ts'

const tapes = readTapes()
const { translated, ownWire } = brokenInTapes(tapes)

test('vendors accept what the gateway makes of the tapes, but for known failures', () => {
  expect(new Set(tapes.map(({ agent }) => agent)).size).toBeGreaterThan(2)
  expect(translated).toEqual(knownFailures('tapes', translated))
})

/** The vendor gets the bytes of the agent, which may not know the model. */
test('vendors accept what agents send in the own form of the vendor, but for known failures', () => {
  expect(ownWire).toEqual(knownFailures('tapesOnOwnWire', ownWire))
})
