import { expect, test } from 'vitest'
import { openApiSchema } from './write-schema.ts'

test('names of required properties that are no texts are left out', () => {
  const properties = { city: { type: 'string' } }
  const required = [{ toString: 1 }, 7, null, 'city']
  expect(openApiSchema({ type: 'object', properties, required })).toMatchObject({
    required: ['city'],
  })
})
