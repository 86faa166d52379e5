import { expect, test } from 'vitest'
import { finish } from '../../bytes/steps.ts'
import { NO_USAGE } from '../../usage/usage.ts'
import { withUsage } from './final-usage.ts'

const USAGE = { ...NO_USAGE, promptTokens: 5, completionTokens: 3 }
const TOLD = '"usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8}'

const told = (body: string) => finish(withUsage(Buffer.from(body), USAGE)).toString()

test('usage is added at the end of an answer without it, and nothing else changes', () => {
  expect(told('{"id":"ü", "n":1.0}\n')).toBe(`{"id":"ü", "n":1.0,${TOLD}}\n`)
  expect(told('{}')).toBe(`{${TOLD}}`)
})

test('implausible usage is replaced', () => {
  expect(told('{"usage": null,"id":1}')).toBe(`{${TOLD.replace(':', ': ')},"id":1}`)
  expect(told('{"usage":{"prompt_tokens":1}}')).toBe(`{${TOLD}}`)
})

test('a body that is not an object is unchanged', () => {
  for (const body of ['', '[]', 'null', '{"a":']) expect(told(body)).toBe(body)
})
