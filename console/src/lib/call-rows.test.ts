import { expect, test } from 'vitest'
import { z } from 'zod'
import { endpoint } from '@tollgate/contract'
import { callRowsWith } from './call-rows.ts'
import { CallError } from './call.ts'

const things = endpoint('GET', '/api/things', 'user', { rows: z.object({ name: z.string() }) })

const NDJSON = { 'Content-Type': 'application/x-ndjson; charset=utf-8' }

/** Reads the pieces of an answer; `broken` ends it with an error. */
async function read(pieces: readonly string[], init: ResponseInit = {}, broken = false) {
  const encoder = new TextEncoder()
  const waiting = pieces.map((piece) => encoder.encode(piece))
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const next = waiting.shift()
      if (next) controller.enqueue(next)
      else if (broken) controller.error(new TypeError('terminated'))
      else controller.close()
    },
  })
  const rows: string[][] = []
  const fetch = async () => new Response(body, { headers: NDJSON, ...init })
  const onRows = (some: { name: string }[]) => rows.push(some.map(({ name }) => name))
  const error = await callRowsWith(
    { language: 'en', fetch },
    { endpoint: things, parts: {}, onRows },
  ).catch((cause: unknown) => cause)
  return { rows, failure: error instanceof CallError ? error.failure : error }
}

test('passes rows on as they arrive, however they are cut', async () => {
  const { rows, failure } = await read(['{"name":"a"}\n{"na', 'me":"b"}\n', '{"name":"c', '"}\n'])
  expect(failure).toBeUndefined()
  expect(rows).toEqual([['a'], ['b'], ['c']])
  expect((await read([])).rows).toEqual([])
})

test('an answer that breaks off, or ends within a row, is an error', async () => {
  expect((await read(['{"name":"a"}\n'], {}, true)).failure).toMatchObject({
    kind: 'network',
    reason: 'brokenOff',
  })
  for (const pieces of [['{"name":"a"}\n{"name'], ['{"name":1}\n'], ['<html>\n']]) {
    expect((await read(pieces)).failure).toMatchObject({ kind: 'unreadable' })
  }
})

test('reports a refusal like any other call', async () => {
  const json = { headers: { 'Content-Type': 'application/json' } }
  const refused = JSON.stringify({ success: false, message: 'No.' })
  expect((await read([refused], json)).failure).toMatchObject({ kind: 'refused', message: 'No.' })
  const busy = { status: 429, headers: { ...json.headers, 'Retry-After': '10' } }
  expect((await read([refused], busy)).failure).toMatchObject({
    kind: 'http',
    status: 429,
    retryAfterSeconds: 10,
  })
  const done = JSON.stringify({ success: true, message: '' })
  expect((await read([done], json)).failure).toMatchObject({ kind: 'unreadable' })
})
