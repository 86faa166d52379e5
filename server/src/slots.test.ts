import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

test('counts and visits the items that are in use, and uses free slots again', () => {
  const slots = new Slots<{ name: string }>()
  const names = () => [...slots].map(({ name }) => name)
  const [first, second] = [slots.add({ name: 'a' }), slots.add({ name: 'b' })]
  slots.remove(first)
  expect([slots.size, names()]).toEqual([1, ['b']])
  expect(slots.add({ name: 'c' })).toBe(first)
  slots.remove(second)
  expect([slots.size, names()]).toEqual([1, ['c']])
})

test('an item may be removed while the items are visited', () => {
  const slots = new Slots<{ slot: number }>()
  const items = [1, 2, 3].map(() => ({ slot: -1 }))
  for (const item of items) item.slot = slots.add(item)
  for (const { slot } of slots) slots.remove(slot)
  expect([slots.size, [...slots]]).toEqual([0, []])
})
