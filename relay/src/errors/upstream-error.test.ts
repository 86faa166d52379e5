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

const brokenChoice = (code: number) => ({
  choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { code, message: 'x' } }],
})

describe('kinds', () => {
  test.each<[string, number, unknown, string, boolean]>([
    ['OpenAI key', 401, openai('invalid_api_key'), 'auth', true],
    ['OpenAI account', 401, openai('account_deactivated'), 'auth', true],
    ['OpenAI quota', 429, openai('insufficient_quota', 'x', 'insufficient_quota'), 'quota', true],
    [
      'OpenAI newer quota code',
      429,
      openai('credit_balance_exhausted', 'x', 'insufficient_quota'),
      'quota',
      true,
    ],
    ['OpenAI region', 403, openai('unsupported_country_region_territory'), 'permission', true],
    ['OpenAI rate', 429, openai('rate_limit_exceeded', 'x', 'tokens'), 'rate_limit', false],
    [
      'OpenAI overload',
      503,
      openai('server_is_overloaded', 'x', 'server_error'),
      'overloaded',
      false,
    ],
    ['OpenAI 503 without code', 503, openai(null, 'x', 'server_error'), 'overloaded', false],
    ['OpenAI fault', 500, openai(null, 'x', 'server_error'), 'upstream_fault', false],
    ['OpenAI model', 404, openai('model_not_found'), 'model_missing', false],
    ['OpenAI parameter', 400, openai('unsupported_parameter'), 'invalid_request', false],
    ['OpenAI context', 400, openai('context_length_exceeded'), 'context_length', false],
    ['OpenAI policy', 400, openai('content_policy_violation'), 'content_policy', false],
    ['Moonshot quota', 429, openai(null, 'x', 'exceeded_current_quota_error'), 'quota', true],
    ['Moonshot overload', 429, openai(null, 'x', 'engine_overloaded_error'), 'overloaded', false],
    ['Moonshot key', 401, openai(null, 'x', 'incorrect_api_key_error'), 'auth', true],
    ['Moonshot filter', 400, openai(null, 'x', 'content_filter'), 'content_policy', false],
    ['Mistral key', 401, { detail: 'Unauthorized' }, 'auth', true],
    ['Mistral rate', 429, { message: 'Requests rate limit exceeded' }, 'rate_limit', false],
    [
      'Mistral body',
      422,
      { detail: [{ loc: ['body', 'x'], msg: 'extra' }] },
      'invalid_request',
      false,
    ],
    [
      'Groq too large a minute',
      413,
      openai('rate_limit_exceeded', 'x', 'tokens'),
      'rate_limit',
      false,
    ],
    ['Groq flex', 498, openai('capacity_exceeded'), 'overloaded', false],
    ['Groq organisation', 400, openai('organization_restricted'), 'permission', true],
    [
      'OpenRouter money',
      402,
      { error: { code: 402, message: 'Insufficient credits' } },
      'quota',
      true,
    ],
    [
      'OpenRouter moderation',
      403,
      { error: { code: 403, message: 'flagged', metadata: { reasons: ['violence'] } } },
      'content_policy',
      false,
    ],
    [
      'OpenRouter provider',
      502,
      { error: { code: 502, message: 'down' } },
      'upstream_fault',
      false,
    ],
    ['OpenRouter in a stream', 200, { error: { code: 429, message: 'slow' } }, 'rate_limit', false],
    [
      'OpenRouter error type',
      200,
      { error: { code: 'x', message: 'm', metadata: { error_type: 'provider_overloaded' } } },
      'overloaded',
      false,
    ],
    [
      'vLLM in a stream',
      200,
      { object: 'error', message: 'bad', code: 400 },
      'invalid_request',
      false,
    ],
    [
      'Anthropic overload',
      529,
      { type: 'error', error: { type: 'overloaded_error' } },
      'overloaded',
      false,
    ],
    [
      'Gemini key',
      400,
      [
        {
          error: {
            code: 400,
            message: 'API key not valid.',
            details: [{ reason: 'API_KEY_INVALID' }],
          },
        },
      ],
      'auth',
      true,
    ],
    ['MiniMax money', 200, { base_resp: { status_code: 1008, status_msg: 'no' } }, 'quota', true],
    [
      'MiniMax plan window',
      200,
      { base_resp: { status_code: 2056, status_msg: 'no' } },
      'quota',
      false,
    ],
    [
      'MiniMax rate',
      200,
      { base_resp: { status_code: 1002, status_msg: 'no' } },
      'rate_limit',
      false,
    ],
    ['Baidu key', 200, { error_code: 110, error_msg: 'no' }, 'auth', true],
    [
      'Tencent key',
      200,
      { Response: { Error: { Code: 'AuthFailure.SecretIdNotFound', Message: 'no' } } },
      'auth',
      true,
    ],
    ['Azure rate', 429, { error: { code: 'RateLimitReached', message: 'x' } }, 'rate_limit', false],
    ['Azure filter', 400, openai('content_filter', 'x', null), 'content_policy', false],
    ['FastGPT key', 200, { code: 514, statusText: 'unAuthApiKey', message: 'no' }, 'auth', true],
    [
      'a One API upstream',
      403,
      openai('insufficient_user_quota', 'x', 'one_api_error'),
      'quota',
      true,
    ],
    ['our own upstream', 429, openai('quota_in_use'), 'rate_limit', false],
    ['OpenRouter, in a choice', 200, brokenChoice(429), 'rate_limit', false],
    ['OpenRouter, in a choice', 200, brokenChoice(403), 'permission', false],
  ])('%s', (_who, status, body, kind, namesKey) => {
    expect(classify(status, body)).toMatchObject({ kind, namesKey })
  })

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
  test.each<[number, string, string, boolean]>([
    [401, 'Incorrect API key provided: sk-a', 'auth', true],
    [403, 'Your organization has been disabled', 'permission', true],
    [400, 'Your credit balance is too low to access the API', 'quota', true],
    [429, '余额不足或无可用资源包', 'quota', true],
    [403, '该令牌额度已用尽', 'quota', true],
    [200, 'Insufficient balance', 'quota', false],
    [200, 'Too many requests', 'rate_limit', false],
    [200, 'The server is overloaded', 'overloaded', false],
    [400, "This model's maximum context length is 8192 tokens", 'context_length', false],
  ])('%i %s', (status, message, kind, namesKey) => {
    expect(classify(status, { error: { message } })).toMatchObject({ kind, namesKey })
  })

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

  test('about one model or one request do not disable the channel', () => {
    const permission = {
      type: 'error',
      error: { type: 'permission_error', message: 'No access to model x' },
    }
    expect(classify(403, permission)).toMatchObject({ kind: 'permission', namesKey: false })
    const afford = { error: { code: 402, message: 'You requested 9 tokens but can only afford 5' } }
    expect(classify(402, afford)).toMatchObject({ kind: 'quota', namesKey: false })
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
