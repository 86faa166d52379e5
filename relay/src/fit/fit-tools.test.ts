import { expect, test } from 'vitest'
import { wireRulesOf } from '../cards/alphabets.ts'
import type { ProviderDescriptor } from '../provider.ts'
import { azureOpenai } from '../providers/azure-openai/descriptor.ts'
import { openai } from '../providers/openai-compatible/descriptor.ts'
import { Adaptations } from './adaptations.ts'
import { fitTools } from './fit-tools.ts'
import { chatOf, formIn } from './testing/chats.ts'

const question = { role: 'user', content: 'hi' }
const properties = { city: { type: 'string' }, zip: { type: 'string' } }
const anyOf = [{ required: ['city'] }, { required: ['zip'] }]
const withTool = (parameters: object) => ({
  messages: [question],
  tools: [{ type: 'function', function: { name: 'f', description: 'Weather.', parameters } }],
})
const union = withTool({ type: 'object', properties, anyOf })

function fitted(json: object, descriptor: ProviderDescriptor, model: string) {
  const rules = wireRulesOf({ ...descriptor, model })
  return chatOf(fitTools(formIn({ ...json }), rules, new Adaptations({})).form)
}

test.each([
  ['gpt-4.1', openai],
  ['my-deployment', azureOpenai],
  ['kimi-k3', openai],
])('%s gets an object without a union at its top', (model, descriptor) => {
  const description = `Weather.\n\nThe input must match at least one of these JSON schemas: ${JSON.stringify(anyOf)}`
  const definition = { name: 'f', description, parameters: { type: 'object', properties } }
  const tools = [{ type: 'function', function: definition }]
  expect(fitted(union, descriptor, model)['tools']).toEqual(tools)
  expect(fitted(withTool({ type: null }), descriptor, model)).toEqual(
    withTool({ type: 'object', properties: {} }),
  )
})

test('a model of another vendor gets the same object', () => {
  expect(fitted(union, openai, 'a-model-of-2027')).toEqual(union)
})
