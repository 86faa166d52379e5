import { expect, test } from 'vitest'
import { mappedModel } from './model-mapping.ts'

test('a mapped name is replaced, any other stays, and an invalid map maps nothing', () => {
  expect(mappedModel('{"a":"b"}', 'a')).toBe('b')
  expect(mappedModel('{"a":"b"}', 'c')).toBe('c')
  for (const broken of ['', ' ', '{', 'null', '[]', '7', '{"a":1}', '{"a":""}']) {
    expect(mappedModel(broken, 'a')).toBe('a')
  }
  expect(mappedModel('{"a":"b"}', 'constructor')).toBe('constructor')
})
