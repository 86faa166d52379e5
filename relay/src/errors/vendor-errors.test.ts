import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { classifyUpstreamError, type UpstreamProblem } from './upstream-error.ts'

/* Errors as the vendors' documentation and public reports have them, and what they mean. */

type Row = { from: string; status: number; body: unknown; problem: Partial<UpstreamProblem> }

const file = new URL('__fixtures__/vendor-errors.json', import.meta.url)
const rows: Row[] = JSON.parse(readFileSync(file, 'utf8'))

test.each(rows)('$from: $status $body', ({ status, body, problem }) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const channelSecrets = { key: '', baseUrl: '', proxy: null }
  const read = { channelSecrets, status, headers: {}, body: Buffer.from(text) }
  expect(classifyUpstreamError(read)).toMatchObject(problem)
})
