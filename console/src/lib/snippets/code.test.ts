import { expect, test } from 'vitest'
import { MODEL_APIS } from '@tollgate/contract'
import { CODE_FORMS, codeOf, formsOf } from './code.ts'
import { exampleRequest } from './example.ts'
import { modelCommand } from './model-code.ts'

const body = {
  model: 'gpt-4o',
  messages: [{ role: 'user', content: `It's "quoted", \`ticked\` and \\ escaped\n$HOME` }],
  stream: true,
  stop: null,
  tools: [],
}
const request = {
  address: 'https://api.example.com',
  key: 'sk-1',
  path: '/v1/chat/completions',
  body,
}

test('Python has its own literals, and a stream is read part by part', () => {
  const code = codeOf('python', request)
  expect(code).toContain('base_url="https://api.example.com/v1", api_key="sk-1"')
  expect(code).toContain('    stream=True,\n    stop=None,\n    tools=[],\n')
  expect(code).toContain('for part in answer:')
  expect(codeOf('python', { ...request, body: { model: 'm' } })).toContain('print(answer)')
})

test('Go sends the body as one string', () => {
  const literal = /NewReader\((".*")\)/.exec(codeOf('go', request))?.[1] ?? ''
  expect(JSON.parse(JSON.parse(literal))).toEqual(body)
})

test('libraries are offered for the paths that they have a method for', () => {
  expect(formsOf('/v1/chat/completions')).toEqual(CODE_FORMS)
  expect(formsOf('/v1/rerank')).toEqual(['curl', 'go', 'json'])
})

test.each(MODEL_APIS)(
  'a model of %s has a command with its name, the address and the key',
  (api) => {
    const place = { address: 'https://api.example.com', key: 'sk-1' }
    const command = modelCommand({ id: 'some-model', api }, place)
    const { path: endpoint } = exampleRequest({ id: 'some-model', api })
    expect(command).toContain(`api.example.com${endpoint}`)
    expect(command).toContain('Bearer sk-1')
    expect(command).toContain('some-model')
  },
)
