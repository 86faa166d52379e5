import { expect, test } from 'vitest'
import { finish, isRequestProblem, openaiDialect } from '@tollgate/relay'
import { summarize } from './read-whole.ts'

const ABOUT = { contentType: 'application/json', upstreamModel: 'm', readsChatCompletions: true }

const REQUEST = '{"model":"m","messages":[{"role":"user","content":"Hi"}]}'

test('a long answer that passes is counted as a whole', () => {
  const request = finish(openaiDialect.readRequest('chat', Buffer.from(REQUEST), {}))
  if (isRequestProblem(request)) throw new Error(request.message)
  const content = 'All words of an answer. '.repeat(100)
  const usage = { prompt_tokens: 7, completion_tokens: 600 }
  const json = { model: 'm-1', choices: [{ message: { content } }], usage }
  const { answer, decoded } = summarize(Buffer.from(JSON.stringify(json)), request, ABOUT)
  expect(answer).toMatchObject({ complete: true, model: 'm-1' })
  expect(answer.usage).toMatchObject({ promptTokens: 7, completionTokens: 600 })
  expect(answer.isEmpty?.()).toBe(false)
  expect(answer.outputText()).toBe(content)
  expect(decoded).toBeNull()
})
