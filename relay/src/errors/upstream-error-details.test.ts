import { describe, expect, test } from 'vitest'
import { classifyUpstreamError } from './upstream-error.ts'

const NOTHING = { key: '', baseUrl: '', proxy: null }

const classify = (status: number, body: object) =>
  classifyUpstreamError({
    channelSecrets: NOTHING,
    status,
    headers: {},
    body: Buffer.from(JSON.stringify(body)),
  })

describe('Anthropic', () => {
  const failed = (type: string, more: object = {}) => ({
    type: 'error',
    error: { type, message: 'x', ...more },
    request_id: 'req_1',
  })
  const DISABLED = { message: 'This organization has been disabled.' }
  const spent = { details: { error_code: 'enforced_spend_limit_reached' } }

  test.each([
    [400, failed('invalid_request_error'), 'invalid_request', false],
    [401, failed('authentication_error'), 'auth', true],
    [402, failed('billing_error'), 'quota', true],
    [400, failed('invalid_request_error', DISABLED), 'permission', true],
    [403, failed('permission_error'), 'permission', false],
    [403, failed('forbidden'), 'permission', false],
    [404, failed('not_found_error'), 'model_missing', false],
    [404, failed('not_found_error', { message: 'File not found: file_1' }), 'not_offered', false],
    [429, failed('rate_limit_error'), 'rate_limit', false],
    [429, failed('rate_limit_error', spent), 'quota', true],
    [500, failed('api_error'), 'upstream_fault', false],
    [504, failed('timeout_error'), 'timeout', false],
    [529, failed('overloaded_error'), 'overloaded', false],
  ])('%i %j', (status, body, kind, namesKey) => {
    expect(classify(status, body)).toMatchObject({ kind, namesKey })
  })
})

describe('Google', () => {
  const failed = (code: number, status: string, details: object[] = [], message = 'x') => ({
    error: { code, message, status, details },
  })
  const denied = (message: string) => failed(403, 'PERMISSION_DENIED', [], message)
  const unmet = (message: string) => failed(400, 'FAILED_PRECONDITION', [], message)
  const reason = (word: string) => failed(403, 'PERMISSION_DENIED', [{ reason: word }])
  const quota = (quotaId: string) => [{ violations: [{ quotaId }] }, { retryDelay: '34.4s' }]
  const PER_MINUTE = 'GenerateRequestsPerMinutePerProjectPerModel'
  const PER_DAY = 'GenerateRequestsPerDayPerProjectPerModel'

  test.each([
    [400, failed(400, 'INVALID_ARGUMENT'), 'invalid_request', false],
    [400, failed(400, 'INVALID_ARGUMENT', [{ reason: 'API_KEY_INVALID' }]), 'auth', true],
    [400, unmet('x'), 'permission', false],
    [400, unmet('Billing account is not active.'), 'permission', false],
    [400, unmet('The File abc is not in an ACTIVE state.'), 'invalid_request', false],
    [400, unmet('User location is not supported for the API use.'), 'permission', true],
    [400, unmet('Gemini API free tier is not available in your country.'), 'permission', true],
    [401, failed(401, 'UNAUTHENTICATED'), 'auth', true],
    [402, failed(402, 'RESOURCE_EXHAUSTED'), 'quota', true],
    [403, denied('x'), 'permission', false],
    [403, denied('The caller does not have permission'), 'permission', false],
    [403, denied('You do not have permission to access the File abc.'), 'not_offered', false],
    [403, denied('CachedContent not found (or permission denied)'), 'not_offered', false],
    [403, denied('Your API key was reported as leaked.'), 'auth', true],
    [403, denied("Method doesn't allow unregistered callers."), 'auth', true],
    [403, denied('Your project has been denied access.'), 'permission', true],
    [403, denied("Permission denied: Consumer 'a' has been suspended."), 'permission', true],
    [403, denied('The API has not been used in project 1 before.'), 'permission', true],
    [403, reason('SERVICE_DISABLED'), 'permission', true],
    [403, reason('CONSUMER_SUSPENDED'), 'permission', true],
    [403, reason('API_KEY_SERVICE_BLOCKED'), 'permission', true],
    [403, reason('BILLING_DISABLED'), 'quota', true],
    [403, reason('IAM_PERMISSION_DENIED'), 'permission', false],
    [404, failed(404, 'NOT_FOUND'), 'model_missing', false],
    [429, failed(429, 'RESOURCE_EXHAUSTED', quota(PER_MINUTE)), 'rate_limit', false],
    [429, failed(429, 'RESOURCE_EXHAUSTED', quota(PER_DAY)), 'quota', false],
    [500, failed(500, 'INTERNAL'), 'upstream_fault', false],
    [503, failed(503, 'UNAVAILABLE'), 'overloaded', false],
    [504, failed(504, 'DEADLINE_EXCEEDED'), 'timeout', false],
  ])('%i %j', (status, body, kind, namesKey) => {
    expect(classify(status, body)).toMatchObject({ kind, namesKey })
  })

  test('contain the wait time, also for a daily quota', () => {
    const { retryAfterMs } = classify(429, failed(429, 'RESOURCE_EXHAUSTED', quota(PER_DAY)))
    expect(retryAfterMs).toBe(34_400)
  })
})
