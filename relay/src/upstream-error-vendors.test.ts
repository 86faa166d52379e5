import { expect, test } from 'vitest'
import { classifyUpstreamError } from './upstream-error.ts'

const NOTHING = { key: '', baseUrl: '', proxy: null }

/** Codes of Spark come in the header of its messages, over a connection that was opened well. */
const spark = (code: number) => ({ header: { code, message: 'no', sid: 'cht000a@dx1' } })

test.each<[string, number, object, string, boolean]>([
  ['Spark key', 200, spark(10313), 'auth', true],
  ['Spark tokens', 200, spark(11200), 'quota', true],
  ['Spark day', 200, spark(11201), 'quota', false],
  ['Spark blacklist', 200, spark(10015), 'permission', true],
  ['Spark second question', 200, spark(10007), 'rate_limit', false],
  ['Spark path', 200, spark(10404), 'model_missing', false],
  ['Spark parameter', 200, spark(10163), 'invalid_request', false],
  ['Spark signature', 403, { message: 'HMAC signature does not match' }, 'auth', true],
  [
    'Ollama model',
    404,
    { error: 'model "x" not found, try pulling it first' },
    'model_missing',
    false,
  ],
  ['Ollama cloud key', 401, { error: 'unauthorized' }, 'auth', true],
  ['Azure key', 401, { error: { code: '401', message: 'Access denied' } }, 'auth', true],
  ['Azure deployment', 404, { error: { code: 'DeploymentNotFound' } }, 'model_missing', false],
])('%s: %i %j is %s', (_name, status, body, kind, namesKey) => {
  const problem = classifyUpstreamError({ askedWith: NOTHING, status, headers: {}, body })
  expect(problem).toMatchObject({ kind, namesKey })
})
