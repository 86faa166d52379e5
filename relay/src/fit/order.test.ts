import { expect, test } from 'vitest'
import { inOrder } from './order.ts'

type Said = { readonly role: string; readonly text: string }

const RULES = {
  roleOf: ({ role }: Said) => role,
  asUser: (message: Said) => ({ ...message, role: 'user' }),
  joined: (first: Said, second: Said) => ({
    ...first,
    text: [first.text, second.text].join(','),
  }),
  acknowledgement: { role: 'assistant', text: 'OK.' },
}
const ALTERNATING = {
  system: 'first' as const,
  takesUserAfterTool: true,
  takesRepeatedRoles: false,
}

test('thousands of messages of a role are joined in order, and copied a few times each', () => {
  const count = 20_001
  const numbers = Array.from({ length: count }, (_, at) => String(at))
  let copied = 0
  const joined = (first: Said, second: Said) => {
    copied += first.text.length + second.text.length
    return RULES.joined(first, second)
  }
  const messages = [
    { role: 'system', text: 'a' },
    ...numbers.map((text) => ({ role: 'user', text })),
    { role: 'assistant', text: 'b' },
  ]
  const text = numbers.join(',')
  expect(inOrder(messages, ALTERNATING, { ...RULES, joined })).toEqual([
    { role: 'system', text: 'a' },
    { role: 'user', text },
    { role: 'assistant', text: 'b' },
  ])
  expect(copied).toBeLessThan(text.length * 20)
})
