import { expect, test } from 'vitest'
import { z } from 'zod'
import { lazily } from './lazily.ts'

test('a schema is created once, at its first use', () => {
  let created = 0
  const name = lazily(() => {
    created += 1
    return z.string().max(3)
  })
  const person = lazily(() => z.object({ name, nick: name.optional() }))
  expect(created).toBe(0)
  expect(person.safeParse({ name: 'Ada' }).data).toEqual({ name: 'Ada' })
  expect(person.safeParse({ name: 'Grace' }).success).toBe(false)
  expect(created).toBe(1)
})

test('the object of a schema that is created later has its members', () => {
  const size = lazily(() => z.enum(['small', 'large']))
  expect(size.options).toEqual(['small', 'large'])
  expect('options' in size).toBe(true)
  expect(lazily(() => z.object({ size }).extend({ id: z.int() })).shape.size.parse('small')).toBe(
    'small',
  )
})
