import { describe, expect, test } from 'vitest'
import { classifyUpstreamError } from './upstream-error.ts'

/* Codes of vendors with error tables of their own; the tables are in the vendors' documentation. */

type Row = [status: number, code: string | number, kind: string, namesKey: boolean]

function classify(status: number, body: object) {
  return classifyUpstreamError({ status, headers: {}, body: JSON.stringify(body) })
}

describe('Zhipu', () => {
  test.each<Row>([
    [401, '1002', 'auth', true],
    [429, '1113', 'quota', true],
    [401, '1112', 'permission', true],
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
