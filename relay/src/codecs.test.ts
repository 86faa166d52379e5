import { expect, test } from 'vitest'
import { catalogue, isServable } from './catalogue.ts'
import { codecOf } from './codecs.ts'

test('what browsers are told is spoken is what is spoken', () => {
  for (const descriptor of catalogue) {
    const isSpoken = descriptor.dialect === 'openai' || codecOf(descriptor) !== undefined
    expect(isServable(descriptor.type), descriptor.name.en).toBe(isSpoken)
  }
})
