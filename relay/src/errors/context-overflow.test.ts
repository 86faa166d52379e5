import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { errorText } from '../wires/anthropic-messages/write-error.ts'
import { errorOf } from '../wires/gemini/write-error.ts'
import { errorBody } from '../wires/openai-chat/write-error.ts'
import { classifyUpstreamError } from './upstream-error.ts'

type Row = { from: string; body: object; numbers: readonly [number, number] | null }

const file = new URL('__fixtures__/context-overflow.json', import.meta.url)
const rows: Row[] = JSON.parse(readFileSync(file, 'utf8'))

describe.each(rows)('$from', ({ body, numbers }) => {
  const channelSecrets = { key: '', baseUrl: '', proxy: null }
  const read = { status: 400, headers: {}, body: JSON.stringify(body), channelSecrets }
  const problem = classifyUpstreamError(read)

  test('is recognized', () => {
    const overflow = { kind: 'context_length', code: 'context_length_exceeded' }
    expect(problem).toMatchObject({ ...overflow, status: 400, namesKey: false })
  })

  test('has the wording that clients of each dialect recognize', () => {
    const [tokens, max] = numbers ?? []
    const anthropic = errorText(problem)
    expect(anthropic).toContain('"invalid_request_error"')
    expect(anthropic).toMatch(
      numbers === null
        ? /"prompt is too long: /
        : `prompt is too long: ${tokens} tokens > ${max} maximum`,
    )
    expect(errorOf(problem).json.error.message).toContain(
      numbers === null
        ? 'exceeds the maximum number of tokens allowed'
        : `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${max})`,
    )
    expect(errorBody(problem)).toContain('"code":"context_length_exceeded"')
  })
})

test('a request id is not taken for a size', () => {
  const message = 'maximum context length is 8192 tokens, not 9000 (request id: 20261127084625900)'
  const error = { status: 400, message, type: 'x', code: 'context_length_exceeded' }
  expect(errorText(error)).toContain('"prompt is too long: 9000 tokens > 8192 maximum"')
})

test('other errors keep their messages', () => {
  const error = { status: 400, message: 'No. 9 > 8', type: 'x', code: 'invalid_request' }
  expect(errorText(error)).toContain('"No. 9 > 8"')
  expect(errorOf(error).json.error.message).toBe('No. 9 > 8')
  expect(errorBody(error)).toContain('"No. 9 > 8"')
})
