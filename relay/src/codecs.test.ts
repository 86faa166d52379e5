import { expect, test } from 'vitest'
import { catalogue, isServable } from './catalogue.ts'
import { codecOf } from './codecs.ts'

test('the catalogue for browsers names the implemented endpoints', () => {
  for (const descriptor of catalogue) {
    const isSpoken = descriptor.dialect === 'openai' || codecOf(descriptor) !== undefined
    expect(isServable(descriptor.type), descriptor.name.en).toBe(isSpoken)
  }
})
