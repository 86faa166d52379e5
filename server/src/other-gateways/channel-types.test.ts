import { expect, test } from 'vitest'
import { isServable } from '@tollgate/relay/catalogue'
import { mapChannelType } from './channel-types.ts'

const FAMILIES = ['oneApi', 'newApi', 'oneHub'] as const

test.each(FAMILIES)('every number of %s is served here, or left out with a reason', (family) => {
  for (let type = 0; type <= 100; type += 1) {
    const mapped = mapChannelType(family, type)
    if ('reason' in mapped) expect(mapped.reason).toContain(`type ${type}`)
    else expect(isServable(mapped.type)).toBe(true)
  }
})

test('numbers mean the vendor that they mean there', () => {
  const typeOf = (family: (typeof FAMILIES)[number], type: number) => {
    const mapped = mapChannelType(family, type)
    return 'reason' in mapped ? 'left out' : mapped.type
  }
  expect(FAMILIES.map((family) => typeOf(family, 14))).toEqual([14, 14, 14])
  // DeepSeek is 36, 43 and 28.
  expect([typeOf('oneApi', 36), typeOf('newApi', 43), typeOf('oneHub', 28)]).toEqual([36, 36, 36])
  // Number 36 is DeepSeek, Suno and Cohere.
  expect(FAMILIES.map((family) => typeOf(family, 36))).toEqual([36, 'left out', 35])
  // Number 2 is a reseller, and a proxy of Midjourney in New API.
  expect(FAMILIES.map((family) => typeOf(family, 2))).toEqual([2, 'left out', 2])
})
