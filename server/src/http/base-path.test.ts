import { expect, test } from 'vitest'
import { withoutBasePath } from './base-path.ts'

test.each([
  ['/gate', '/'],
  ['/gate/', '/'],
  ['/gate?lang=zh', '/?lang=zh'],
  ['/gate/v1/models?a=b', '/v1/models?a=b'],
  ['/gateway', '/gateway'],
  ['/v1/models', '/v1/models'],
])('%s means %s', (url, expected) => {
  expect(withoutBasePath(url, '/gate')).toBe(expected)
  expect(withoutBasePath(url, '')).toBe(url)
})
