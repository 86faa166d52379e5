import { describe, expect, test } from 'vitest'
import { classifyUpstreamError } from './upstream-error.ts'

const NOTHING = { key: '', baseUrl: '', proxy: null }

/* Codes of providers with their own error tables, from the providers' documentation. */

type Row = [status: number, code: string | number, kind: string, namesKey: boolean]

function classify(status: number, body: object) {
  return classifyUpstreamError({
    channelSecrets: NOTHING,
    status,
    headers: {},
    body: JSON.stringify(body),
  })
}

describe('Zhipu', () => {
  test.each<Row>([
    [401, '1002', 'auth', true],
    [429, '1113', 'quota', true],
    [401, '1112', 'permission', true],
    [403, '1220', 'permission', false],
    [429, '1302', 'rate_limit', false],
    [429, '1308', 'rate_limit', false],
    [429, '1305', 'overloaded', false],
    [400, '1211', 'model_missing', false],
    [429, '1311', 'model_missing', false],
    [400, '1214', 'invalid_request', false],
    [400, '1261', 'context_length', false],
    [200, '1301', 'content_policy', false],
    [500, '1234', 'upstream_fault', false],
  ])('%i %s', (status, code, kind, namesKey) => {
    const problem = classify(status, { error: { code, message: 'no' } })
    expect(problem).toMatchObject({ kind, namesKey })
  })
})

describe('Alibaba', () => {
  test.each<Row>([
    [401, 'InvalidApiKey', 'auth', true],
    [400, 'Arrearage', 'quota', true],
    [403, 'AllocationQuota.FreeTierOnly', 'quota', true],
    [403, 'AccessDenied.Unpurchased', 'permission', true],
    [403, 'AccessDenied', 'permission', false],
    [429, 'Throttling.RateQuota', 'rate_limit', false],
    [503, 'ModelServingError', 'overloaded', false],
    [500, 'InternalError.Timeout', 'timeout', false],
    [500, 'InternalError.Algo', 'upstream_fault', false],
    [404, 'ModelNotFound', 'model_missing', false],
    [200, 'InvalidParameter.DataInspection', 'invalid_request', false],
    [400, 'BadRequest.EmptyInput', 'invalid_request', false],
    [200, 'DataInspectionFailed', 'content_policy', false],
  ])('%i %s', (status, code, kind, namesKey) => {
    const problem = classify(status, { code, message: 'no', request_id: 'r-1' })
    expect(problem).toMatchObject({ kind, namesKey })
  })
})

describe('Baidu', () => {
  test.each<Row>([
    [200, 111, 'auth', true],
    [200, 17, 'quota', true],
    [200, 6, 'permission', true],
    [200, 336502, 'rate_limit', false],
    [200, 336100, 'overloaded', false],
    [200, 336000, 'overloaded', false],
    [200, 3, 'model_missing', false],
    [200, 336003, 'invalid_request', false],
    [200, 336103, 'context_length', false],
    [200, 336102, 'content_policy', false],
  ])('%i %i', (status, code, kind, namesKey) => {
    const problem = classify(status, { error_code: code, error_msg: 'no' })
    expect(problem).toMatchObject({ kind, namesKey })
  })

  test.each<[number, string, string, string, boolean]>([
    [401, 'invalid_request_error', 'invalid_iam_token', 'auth', true],
    [401, 'invalid_request_error', 'invalid_model', 'model_missing', false],
    [401, 'access_denied', 'x', 'permission', false],
    [401, 'access_denied', 'no_parameter_permission', 'invalid_request', false],
    [403, 'access_denied', 'account_overdue', 'quota', true],
    [403, 'access_denied', 'model_offline', 'model_missing', false],
    [403, 'unsafe_request', 'system_unsafe', 'content_policy', false],
    [400, 'invalid_request_error', 'tokens_too_long', 'context_length', false],
    [429, 'rate_limit_exceeded', 'rpm_rate_limit_exceeded', 'rate_limit', false],
    [500, 'Internal_error', 'internal_error', 'upstream_fault', false],
  ])('V2: %i %s %s', (status, type, code, kind, namesKey) => {
    const problem = classify(status, { error: { code, type, message: 'no' }, id: 'as-1' })
    expect(problem).toMatchObject({ kind, namesKey })
  })
})

describe('Tencent', () => {
  test.each<Row>([
    [200, 'AuthFailure.SignatureFailure', 'auth', true],
    [200, 'AuthFailure.SignatureExpire', 'upstream_fault', false],
    [200, 'ResourceUnavailable.InArrears', 'quota', true],
    [200, 'FailedOperation.ServiceNotActivated', 'permission', true],
    [200, 'RequestLimitExceeded.UinLimitExceeded', 'rate_limit', false],
    [200, 'FailedOperation.EngineServerLimitExceeded', 'rate_limit', false],
    [200, 'FailedOperation.EngineServerError', 'upstream_fault', false],
    [200, 'FailedOperation.EngineRequestTimeout', 'timeout', false],
    [200, 'OperationDenied.TextIllegalDetected', 'content_policy', false],
    [200, 'InvalidParameterValue.Model', 'model_missing', false],
    [200, 'InvalidParameterValue', 'invalid_request', false],
  ])('%i %s', (status, code, kind, namesKey) => {
    const problem = classify(status, { Response: { Error: { Code: code, Message: 'no' } } })
    expect(problem).toMatchObject({ kind, namesKey })
  })
})

describe('a server error', () => {
  test.each([
    ["Input length (121079) exceeds model's maximum context length (120000).", 'context_length'],
    ['Prompt is too long', 'context_length'],
    ['Cannot allocate a context length of 8192', 'upstream_fault'],
  ])('%s', (message, kind) => {
    expect(classify(500, { error: { message } })).toMatchObject({ kind, namesKey: false })
  })
})
