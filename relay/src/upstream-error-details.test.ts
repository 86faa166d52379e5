import { describe, expect, test } from 'vitest'
import { classifyUpstreamError } from './upstream-error.ts'

const NOTHING = { key: '', baseUrl: '', proxy: null }

const classify = (status: number, body: object) =>
  classifyUpstreamError({
    askedWith: NOTHING,
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
  const spent = { details: { error_code: 'enforced_spend_limit_reached' } }

  test.each([
    [400, failed('invalid_request_error'), 'invalid_request', false],
    [401, failed('authentication_error'), 'auth', true],
    [402, failed('billing_error'), 'quota', true],
    [404, failed('not_found_error'), 'model_missing', false],
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
  const failed = (code: number, status: string, details: object[] = []) => ({
    error: { code, message: 'x', status, details },
  })
  const quota = (quotaId: string) => [{ violations: [{ quotaId }] }, { retryDelay: '34.4s' }]
  const PER_MINUTE = 'GenerateRequestsPerMinutePerProjectPerModel'
  const PER_DAY = 'GenerateRequestsPerDayPerProjectPerModel'

  test.each([
    [400, failed(400, 'INVALID_ARGUMENT'), 'invalid_request', false],
    [400, failed(400, 'INVALID_ARGUMENT', [{ reason: 'API_KEY_INVALID' }]), 'auth', true],
    [400, failed(400, 'FAILED_PRECONDITION'), 'permission', true],
    [401, failed(401, 'UNAUTHENTICATED'), 'auth', true],
    [402, failed(402, 'RESOURCE_EXHAUSTED'), 'quota', true],
    [403, failed(403, 'PERMISSION_DENIED', [{ reason: 'SERVICE_DISABLED' }]), 'permission', true],
    [404, failed(404, 'NOT_FOUND'), 'model_missing', false],
    [429, failed(429, 'RESOURCE_EXHAUSTED', quota(PER_MINUTE)), 'rate_limit', false],
    [429, failed(429, 'RESOURCE_EXHAUSTED', quota(PER_DAY)), 'quota', false],
    [500, failed(500, 'INTERNAL'), 'upstream_fault', false],
    [503, failed(503, 'UNAVAILABLE'), 'overloaded', false],
    [504, failed(504, 'DEADLINE_EXCEEDED'), 'timeout', false],
  ])('%i %j', (status, body, kind, namesKey) => {
    expect(classify(status, body)).toMatchObject({ kind, namesKey })
  })

  test('says how long to wait, also for a quota of the day', () => {
    const { retryAfterMs } = classify(429, failed(429, 'RESOURCE_EXHAUSTED', quota(PER_DAY)))
    expect(retryAfterMs).toBe(34_400)
  })
})
