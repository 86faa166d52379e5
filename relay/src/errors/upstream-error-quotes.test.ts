import { describe, expect, test } from 'vitest'
import {
  classifyUpstreamError,
  detailInBoth,
  problemFromTransport,
  type TransportFailure,
} from './upstream-error.ts'

function classify(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const channelSecrets = { key: '', baseUrl: '', proxy: null }
  return classifyUpstreamError({ channelSecrets, status, headers, body: Buffer.from(text) })
}

describe('texts of a server that may be no provider', () => {
  const PLANTED = 'root:planted:0:0'
  const text = { 'content-type': 'text/plain; charset=utf-8' }
  const json = { 'content-type': 'application/json' }

  test.each<[number, unknown, Record<string, string>, string]>([
    [200, PLANTED, text, 'with status 200, but not with a JSON object (text/plain, 16 bytes).'],
    [200, JSON.stringify(PLANTED), json, 'not with a JSON object (application/json, 18 bytes).'],
    [206, 'x', text, 'with status 206, but not with a JSON object (text/plain, 1 byte).'],
    [200, PLANTED, {}, 'with status 200, but not with a JSON object.'],
    [200, '', text, 'with status 200, but not with a JSON object.'],
    [200, { message: PLANTED }, json, 'but with nothing that was asked for (application/json, '],
    [200, { detail: PLANTED }, json, 'but with nothing that was asked for (application/json, '],
    [200, { msg: PLANTED, code: 0 }, json, 'but with nothing that was asked for'],
    [200, { msg: PLANTED, code: 200 }, json, 'but with nothing that was asked for'],
    [200, { header: { message: PLANTED, code: 0 } }, json, 'but with nothing that was asked for'],
    [200, { header: { message: PLANTED } }, json, 'but with nothing that was asked for'],
    [
      200,
      { base_resp: { status_msg: PLANTED, status_code: 0 } },
      json,
      'but with nothing that was',
    ],
    [400, PLANTED, text, 'The upstream answered with status 400 (text/plain, 16 bytes).'],
    [
      500,
      `<p>${PLANTED}</p>`,
      { 'content-type': 'text/html' },
      'status 500 (text/html, 23 bytes).',
    ],
    [302, PLANTED, text, 'The upstream answered with status 302 (text/plain, 16 bytes).'],
    [404, `data: ${PLANTED}`, text, 'status 404 (text/plain, 22 bytes).'],
    [400, JSON.stringify([PLANTED]), json, 'status 400 (application/json, 20 bytes).'],
    [400, PLANTED, { 'content-type': `${PLANTED}; <b>` }, 'with status 400.'],
  ])('are never shown: %i %j', (status, body, headers, told) => {
    const { detail, message } = classify(status, body, headers)
    expect(detail).toContain(told)
    expect(detail + message).not.toContain('planted')
    const { en, zh } = detailInBoth(detail)
    expect(en).toBe(detail)
    expect(zh).toMatch(/^上游返回 HTTP \d{3}.*。$/)
    expect(zh).not.toMatch(/[a-z] [a-z]/i)
  })

  test.each([
    { error: { message: 'm' } },
    { error: 'm' },
    { object: 'error', message: 'm' },
    { type: 'error', error: { message: 'm' } },
    { success: false, message: 'm' },
    { code: 'InvalidApiKey', message: 'm' },
    { code: 1002, msg: 'm', success: false },
    { code: 514, statusText: 'unAuthApiKey', message: 'm' },
    { error_code: 110, error_msg: 'm' },
    { errors: [{ message: 'm' }] },
    { header: { code: 10_013, message: 'm' } },
    { base_resp: { status_code: 1004, status_msg: 'm' } },
    { Response: { Error: { Code: 'AuthFailure', Message: 'm' } } },
    { response: { error: { message: 'm' } } },
    { choices: [{ error: { message: 'm', code: 502 } }] },
  ])("are shown for an error with status 200 in a vendor's form: %j", (body) => {
    for (const status of [200, 400]) expect(classify(status, body).detail).toBe('m')
  })

  test('still decide the kind of failure', () => {
    expect(classify(429, 'Too many requests', text).kind).toBe('rate_limit')
    expect(classify(200, 'The server is overloaded', text).kind).toBe('overloaded')
  })
})

test.each<TransportFailure>(['address_guarded', 'address_private'])(
  'a forbidden address (%s) is a lasting failure of the channel',
  (failure) => {
    const problem = problemFromTransport(failure)
    expect(problem).toMatchObject({ kind: 'upstream_fault', status: 502, isTransient: false })
    expect(problem.message).toBe('The upstream provider failed.')
    expect(detailInBoth(problem.detail).zh).toMatch(/^该渠道或其代理服务器指向/)
  },
)
