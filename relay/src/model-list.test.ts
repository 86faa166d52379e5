import { expect, test } from 'vitest'
import { modelListRequest, readModelList } from './model-list.ts'

const written = (json: object) => Buffer.from(JSON.stringify(json))

const ask = (type: number, baseUrl = '') => modelListRequest({ type, baseUrl, key: 'k' })

test('every protocol with a model list is called at its address', () => {
  expect(ask(1)).toEqual({
    url: 'https://api.openai.com/v1/models',
    headers: { accept: 'application/json', authorization: 'Bearer k' },
  })
  expect(ask(20)?.url).toBe('https://openrouter.ai/api/v1/models')
  expect(ask(8, 'https://own.test/v1/')?.url).toBe('https://own.test/v1/models')
  expect(ask(14)).toMatchObject({
    url: 'https://api.anthropic.com/v1/models?limit=1000',
    headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
  })
  expect(ask(24)).toMatchObject({
    url: 'https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000',
    headers: { 'x-goog-api-key': 'k' },
  })
  const own = ask(14, 'https://own.test/v1?code=7')
  expect(own?.url).toBe('https://own.test/v1/models?code=7&limit=1000')
  expect(ask(30)?.url).toBe('http://localhost:11434/api/tags')
})

test('a provider without a list, without an address, or unknown is not called', () => {
  expect([ask(23), ask(8), ask(99)]).toEqual([null, null, null])
})

test('names are read from each form, sorted, each once', () => {
  const data = [{ id: 'b' }, { id: 'a' }, { id: 'b' }, { id: 7 }, { id: 'two,names' }, null]
  expect(readModelList(1, written({ data }))).toEqual(['a', 'b'])
  expect(readModelList(1, written(data))).toEqual(['a', 'b'])
  const models = [{ name: 'models/gemini-x' }]
  expect(readModelList(24, written({ models }))).toEqual(['gemini-x'])
  expect(readModelList(30, written({ models: [{ name: 'llama3:8b' }] }))).toEqual(['llama3:8b'])
})

test.each(['', '<html>', '{}', '{"data":7}', '[]x', 'null'])('%j is not a list', (body) => {
  expect(readModelList(1, Buffer.from(body))).toBeNull()
})
