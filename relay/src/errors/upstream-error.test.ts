import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  classifyUpstreamError,
  problemFromTransport,
  type TransportFailure,
  type UpstreamProblem,
} from './upstream-error.ts'

const channelSecrets = { key: '', baseUrl: '', proxy: null }

function classify(status: number, json: unknown, headers: Record<string, string> = {}) {
  const body = Buffer.from(typeof json === 'string' ? json : JSON.stringify(json))
  return classifyUpstreamError({ channelSecrets, status, headers, body, now: NOW })
}

const NOW = Date.parse('2026-11-21T12:00:00Z')
const openai = (code: string | null, message = 'x') => ({
  error: { message, type: 'invalid_request_error', param: null, code },
})

describe('kinds', () => {
  test.each([
    [400, 'invalid_request'],
    [401, 'auth'],
    [402, 'quota'],
    [403, 'permission'],
    [404, 'model_missing'],
    [408, 'timeout'],
    [413, 'invalid_request'],
    [422, 'invalid_request'],
    [429, 'rate_limit'],
    [500, 'upstream_fault'],
    [502, 'upstream_fault'],
    [503, 'overloaded'],
    [504, 'timeout'],
    [524, 'timeout'],
    [529, 'overloaded'],
    [599, 'upstream_fault'],
    [302, 'upstream_fault'],
    [200, 'upstream_fault'],
  ])('status %i without a message is %s', (status, kind) => {
    expect(classify(status, '').kind).toBe(kind)
  })

  test('the page of a firewall or proxy does not concern the key', () => {
    const page = '<!doctype html><h1>403 Forbidden</h1><p>invalid api key, quota exceeded'
    expect(classify(403, page)).toMatchObject({ kind: 'permission', namesKey: false })
    expect(classify(401, page)).toMatchObject({ kind: 'auth', namesKey: false })
    expect(classify(403, page).detail).toBe('The upstream answered with status 403.')
  })
})

describe('messages', () => {
  test.each([
    [400, "Invalid value: 'invalid api key'"],
    [400, "Unknown model 'insufficient balance'"],
    [422, 'Bad name: permission denied'],
    [500, 'quota exceeded'],
    [200, 'You said: incorrect api key'],
    [400, 'You gave credit to the balance of violation of our policies'],
  ])('that a client may have caused never disable a channel: %i %s', (status, message) => {
    expect(classify(status, { error: { message } }).namesKey).toBe(false)
  })
})

describe('the client', () => {
  test("never receives the upstream's message or status about the operator's account", () => {
    for (const status of [401, 402, 403]) {
      const seen = classify(status, openai(null, 'Incorrect API key provided: sk-abc123'))
      expect(seen.status).toBe(502)
      expect(seen.message).not.toMatch(/key|sk-/)
      expect(seen.type).toBe('server_error')
    }
  })

  test('receives the message about its own request', () => {
    const error = { message: 'No: 3', param: 'temperature', code: 'unsupported_value' }
    const type = 'invalid_request_error'
    const expected = { ...error, status: 400, type, isTransient: false }
    expect(classify(400, { error })).toMatchObject(expected)
  })

  test.each([
    [429, '', 429, true],
    [503, '', 503, true],
    [500, '', 502, true],
    [504, '', 504, true],
    [404, '', 404, false],
    [413, '', 413, false],
    [422, '', 400, false],
    [400, openai('context_length_exceeded'), 400, false],
  ])('for an upstream %i receives a status of that kind', (status, body, seen, isTransient) => {
    expect(classify(status, body)).toMatchObject({ status: seen, isTransient })
  })

  test('receives codes that clients know', () => {
    const tooLong = [openai('context_length_exceeded'), openai(null, 'maximum context length')]
    for (const body of tooLong) expect(classify(400, body).code).toBe('context_length_exceeded')
    expect(classify(400, openai('content_filter')).code).toBe('content_policy_violation')
    expect(classify(429, '').code).toBe('rate_limit_exceeded')
  })
})

describe('messages', () => {
  test.each([
    [{ message: 'm' }],
    [{ msg: 'm' }],
    [{ err: 'm' }],
    [{ detail: 'm' }],
    [{ detail: [{ msg: 'm' }] }],
    [[{ error: { message: 'm' } }]],
    ['data: {"error":{"message":"m"}}\n\n'],
    ['event: error\ndata: {"error":{"message":"m"}}\n\n'],
  ])('are found in %j', (body) => {
    expect(classify(400, body).message).toBe('m')
  })

  test('are found in a parsed event too', () => {
    const body = { error: { message: 'm' } }
    const seen = classifyUpstreamError({ channelSecrets, status: 400, headers: {}, body })
    expect(seen.message).toBe('m')
  })

  test.each([
    ['{"error":'],
    ['null'],
    ['5'],
    ['[]'],
    ['{"error":{"message":{"a":1}}}'],
    ['\0\xff'],
  ])('exist for %j too', (body) => {
    expect(classify(400, body).message).not.toBe('')
    expect(classify(400, body).detail).not.toBe('')
  })

  test('are redacted for clients and operators alike', () => {
    const seen = classify(400, openai(null, 'Use key sk-proj-abc123 at https://api.vendor.com/v1'))
    expect(seen.message).toBe('Use key [key] at [address]')
    expect(seen.detail).toBe(seen.message)
    const error = { message: 'm', param: 'https://a.com', code: 'sk-abc123' }
    expect(classify(400, { error })).toMatchObject({ param: '[address]', code: '[key]' })
  })
})

describe('the retry delay', () => {
  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after-ms': '120', 'retry-after': '7' }, 120],
    [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': '999999999' }, 86_400_000],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '1e9' }, null],
    [{}, null],
  ])('is read from %j', (headers, ms) => {
    expect(classify(429, '', headers).retryAfterMs).toBe(ms)
  })

  test('is read from the details Google sends', () => {
    const body = { error: { status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '34.4s' }] } }
    expect(classify(429, body)).toMatchObject({ kind: 'rate_limit', retryAfterMs: 34_400 })
  })

  test('ignores a date if the current time is unknown', () => {
    const headers = { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }
    const seen = classifyUpstreamError({ channelSecrets, status: 429, headers, body: '' })
    expect(seen.retryAfterMs).toBeNull()
  })
})

test.each<[TransportFailure, string, number]>([
  ['connect', 'upstream_fault', 502],
  ['reset', 'upstream_fault', 502],
  ['closed_early', 'upstream_fault', 502],
  ['malformed', 'upstream_fault', 502],
  ['too_large', 'upstream_fault', 502],
  ['connect_timeout', 'timeout', 504],
  ['first_byte_timeout', 'timeout', 504],
  ['idle_timeout', 'timeout', 504],
  ['total_timeout', 'timeout', 504],
])('transport failure %s is temporary and about no key', (failure, kind, status) => {
  const problem = problemFromTransport(failure)
  const temporary = { isTransient: true, namesKey: false, retryAfterMs: null }
  expect(problem).toMatchObject({ kind, status, ...temporary })
  expect(problem.detail).not.toBe('')
})

/** Errors as the vendors' documentation and public reports have them, and what they mean. */
type Row = { from: string; status: number; body: unknown; problem: Partial<UpstreamProblem> }

const file = new URL('__fixtures__/vendor-errors.json', import.meta.url)
const rows: Row[] = JSON.parse(readFileSync(file, 'utf8'))

test.each(rows)('$from: $status $body', ({ status, body, problem }) => {
  expect(classify(status, body)).toMatchObject(problem)
})
