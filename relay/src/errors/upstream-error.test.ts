import { describe, expect, test } from 'vitest'
import {
  classifyUpstreamError,
  problemFromTransport,
  type TransportFailure,
} from './upstream-error.ts'

const NOTHING = { key: '', baseUrl: '', proxy: null }

function classify(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return classifyUpstreamError({
    channelSecrets: NOTHING,
    status,
    headers,
    body: Buffer.from(text),
    now: NOW,
  })
}

const NOW = Date.parse('2026-11-21T12:00:00Z')
const openai = (
  code: string | null,
  message = 'x',
  type: string | null = 'invalid_request_error',
) => ({
  error: { message, type, param: null, code },
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
    const body = {
      error: { message: 'Unsupported value: 3', param: 'temperature', code: 'unsupported_value' },
    }
    expect(classify(400, body)).toMatchObject({
      status: 400,
      message: 'Unsupported value: 3',
      param: 'temperature',
      code: 'unsupported_value',
      type: 'invalid_request_error',
      isTransient: false,
    })
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
    expect(classify(400, openai('context_length_exceeded')).code).toBe('context_length_exceeded')
    expect(classify(400, openai(null, 'maximum context length', null)).code).toBe(
      'context_length_exceeded',
    )
    expect(classify(400, openai('content_filter')).code).toBe('content_policy_violation')
    expect(classify(429, '').code).toBe('rate_limit_exceeded')
  })
})

describe('messages', () => {
  test.each([
    [{ error: { message: 'm' } }],
    [{ error: 'm' }],
    [{ message: 'm' }],
    [{ msg: 'm' }],
    [{ err: 'm' }],
    [{ error_msg: 'm', error_code: 336001 }],
    [{ detail: 'm' }],
    [{ detail: [{ msg: 'm' }] }],
    [{ errors: [{ message: 'm' }] }],
    [{ header: { message: 'm', code: 1 } }],
    [{ base_resp: { status_code: 2013, status_msg: 'm' } }],
    [{ Response: { Error: { Code: 'X', Message: 'm' } } }],
    [{ response: { error: { message: 'm' } } }],
    [[{ error: { message: 'm' } }]],
    ['data: {"error":{"message":"m"}}\n\n'],
    ['event: error\ndata: {"error":{"message":"m"}}\n\n'],
  ])('are found in %j', (body) => {
    expect(classify(400, body).message).toBe('m')
  })

  test('are found in a parsed event too', () => {
    const body = { error: { message: 'm' } }
    expect(
      classifyUpstreamError({ channelSecrets: NOTHING, status: 400, headers: {}, body }).message,
    ).toBe('m')
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
    const param = classify(400, {
      error: { message: 'm', param: 'https://a.com', code: 'sk-abc123' },
    })
    expect(param).toMatchObject({ param: '[address]', code: '[key]' })
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
    expect(
      classifyUpstreamError({ channelSecrets: NOTHING, status: 429, headers, body: '' })
        .retryAfterMs,
    ).toBeNull()
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
  expect(problem).toMatchObject({
    kind,
    status,
    isTransient: true,
    namesKey: false,
    retryAfterMs: null,
  })
  expect(problem.detail).not.toBe('')
})
