import { expect, test } from 'vitest'
import { parseJson } from '../../bytes/json-value.ts'
import { readAnswer } from './answer-summary.ts'

function read(value: unknown, endpoint: 'chat' | 'completions' | 'embeddings' = 'chat') {
  return readAnswer(endpoint, typeof value === 'string' ? parseJson(value) : value)
}

const usage = { prompt_tokens: 10, completion_tokens: 5 }
const chat = {
  model: 'gpt-x',
  choices: [
    { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hello' } },
    { index: 1, finish_reason: 'length', message: { content: ' you', reasoning_content: 'hm' } },
  ],
  usage,
}

const brokenOff = { index: 2, finish_reason: 'error', message: { content: 'Half an ans' } }

test('reads a chat answer', () => {
  const answer = read(chat)
  expect(answer).toMatchObject({
    complete: true,
    model: 'gpt-x',
    usage: { promptTokens: 10, completionTokens: 5 },
  })
  expect(answer.outputText()).toBe('hellohm you')
})

test('reads tool calls of every form', () => {
  const message = {
    content: null,
    tool_calls: [
      { function: { name: 'f', arguments: '{"a":1}' } },
      { function: { name: 'g', arguments: { b: 2 } } },
      { custom: { name: 'h', input: 'c' } },
      null,
    ],
  }
  expect(read({ choices: [{ message }] }).outputText()).toBe('f{"a":1}g{"b":2}hc')
})

test('reads a completion, and an embedding', () => {
  const completion = read({ choices: [{ text: 'abc', finish_reason: 'stop' }] }, 'completions')
  expect(completion).toMatchObject({ complete: true, usage: null })
  const vectors = { data: [{ embedding: [1] }], usage: { prompt_tokens: 4 } }
  const embedding = read(vectors, 'embeddings')
  const usage = { promptTokens: 4, completionTokens: 0 }
  expect(embedding).toMatchObject({ complete: true, usage })
  expect([completion.outputText(), embedding.outputText()]).toEqual(['abc', ''])
})

test.each([
  ['', false],
  ['<html>', false],
  ['[]', false],
  ['null', false],
  ['{"choices":5}', false],
  ['{"choices":[]}', false],
  ['{"choices":[5,null,"x"]}', false],
  ['{"choices":[{"message":5}],"error":null}', true],
])('does not fail on %j', (body, complete) => {
  const answer = read(body)
  expect(answer).toMatchObject({ complete, usage: null })
  expect(answer.outputText()).toBe('')
})

const ERRORS = [true, 1, 'no', {}, [], { message: '', code: null }]

test.each<object>([
  { error: { message: 'no' } },
  { error: 'no' },
  { message: 'no' },
  { response: { error: { message: 'no' } } },
  { ...chat, base_resp: { status_code: 1008, status_msg: 'no' } },
  { error_code: 17, error_msg: 'no' },
  { errCode: 5, message: 'no' },
  { ...chat, choices: [...chat.choices, { ...brokenOff, error: { code: 502, message: 'no' } }] },
  { ...chat, choices: [brokenOff] },
  ...ERRORS.map((error) => ({ ...chat, error })),
])('recognizes that %j is no answer, though its status was 200', (body) => {
  expect(read(body).complete).toBe(false)
})

test.each([[null], [false], [0], ['']])('does not take %j for an error', (error) => {
  expect(read({ ...chat, error }).complete).toBe(true)
  expect(read({ ...chat, response: { error } }).complete).toBe(true)
  expect(read({ ...chat, error, response: { error: { message: 'no' } } }).complete).toBe(false)
})

test('takes a success code for success', () => {
  expect(read({ ...chat, base_resp: { status_code: 0, status_msg: '' } }).complete).toBe(true)
})
