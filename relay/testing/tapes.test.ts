import { expect, test } from 'vitest'
import { brokenInTapes, readTapes } from './tapes.ts'
import { knownFailures } from './vendors/known-failures.ts'

const tapes = readTapes()
const { translated, ownWire } = brokenInTapes(tapes)

/** Why the gateway sends what a vendor refuses, or refuses what an agent asks. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^VLLM-00[25]$/, "the gateway does not know the chat template of an operator's own server"],
]

test('vendors accept what the gateway makes of the tapes, but for known failures', () => {
  expect(new Set(tapes.map(({ agent }) => agent)).size).toBeGreaterThan(2)
  expect(translated).toEqual(knownFailures('tapes', translated))
})

test('every known failure has a reason', () => {
  const faults = Object.values(translated).flat()
  expect(faults.filter((fault) => !REASONS.some(([pattern]) => pattern.test(fault)))).toEqual([])
  expect(REASONS.filter(([pattern]) => !faults.some((fault) => pattern.test(fault)))).toEqual([])
})

/** The vendor gets the bytes of the agent, which may not know the model. */
test('vendors accept what agents send in the own form of the vendor, but for known failures', () => {
  expect(ownWire).toEqual(knownFailures('tapesOnOwnWire', ownWire))
})
