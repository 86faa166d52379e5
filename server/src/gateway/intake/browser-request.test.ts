import { describe, expect, test } from 'vitest'
import { RELAY_PATHS } from '@tollgate/relay'
import { answerAsAsked } from '../../../testing/fakes/scripted-upstream.ts'
import { type RawAnswer, rawCall, rawRequest, READERS } from '../../../testing/harness/raw-call.ts'
import { ASKED, MODEL, shareWorld } from '../../../testing/worlds/relay-scenario.ts'

const world = shareWorld(answerAsAsked)

const JSON_PATHS = [
  RELAY_PATHS.chat,
  RELAY_PATHS.completions,
  RELAY_PATHS.embeddings,
  RELAY_PATHS.moderations,
  RELAY_PATHS.images,
  RELAY_PATHS.speech,
  RELAY_PATHS.rerank,
  RELAY_PATHS.ocr,
  '/v2/rerank',
  '/rerank',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/responses',
  '/v1/responses/input_tokens',
  `/v1beta/models/${MODEL}:generateContent`,
  `/v1/models/${MODEL}:streamGenerateContent`,
  `/v1beta/models/${MODEL}:embedContent`,
  `/v1beta/models/${MODEL}:batchEmbedContents`,
  `/v1beta/models/${MODEL}:countTokens`,
]
const FORM_PATHS = [
  RELAY_PATHS.imageEdits,
  RELAY_PATHS.imageVariations,
  RELAY_PATHS.transcriptions,
  RELAY_PATHS.translations,
]

test('every endpoint is in one of the lists', () => {
  const listed: readonly string[] = [...JSON_PATHS, ...FORM_PATHS]
  expect(Object.values(RELAY_PATHS).filter((path) => !listed.includes(path))).toEqual([])
})

const LINES = [
  ...[...JSON_PATHS, ...FORM_PATHS].map((path) => `POST ${path}`),
  ...[
    '/v1',
    '/v1/models',
    '/v1/models/m',
    '/v1beta/models',
    '/dashboard/billing/subscription',
    '/dashboard/billing/usage',
    '/v1/dashboard/billing/subscription',
    '/v1/dashboard/billing/usage',
    '/v1/responses/r',
    '/v1/files/f/content',
    '/v1/realtime',
    '/v1/chat/completions',
    '/v1/nothing',
  ].map((path) => `GET ${path}`),
  'HEAD /v1/models',
  'PUT /v1/models',
  'DELETE /v1/models/m',
  'OPTIONS /v1/chat/completions',
]

const withoutId = ({ body }: RawAnswer) => body.replaceAll(/\d{20,31}/g, '')

/**
 * Sends the request with a valid key in the URL and with an unknown key. Both must be answered
 * alike.
 */
async function sendTwice(line: string, call: { headers: string[]; body?: string }) {
  const { url, key } = world
  const requests = READERS.flatMap((reader) =>
    [key, 'sk-no'].map((given) => rawRequest(`${line}?key=${given}`, { ...call, reader })),
  )
  const answers = await Promise.all(requests.map((request) => rawCall(url, request)))
  expect(new Set(answers.map(withoutId)).size).toBe(1)
  const [first] = answers
  if (first === undefined) throw new Error('no answer')
  return first
}

describe('a browser that navigates', () => {
  test.each(LINES)('is refused before its key is read: %s', async (line) => {
    const body = line.startsWith('POST') ? { body: JSON.stringify(ASKED) } : {}
    const headers = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document']
    const { status, text } = await sendTwice(line, { headers, ...body })
    expect(status).toBe(403)
    if (!line.startsWith('HEAD'))
      expect(text).toContain('A browser cannot load an API endpoint as a page')
    expect(world.upstream.requestsOf('p0')).toEqual([])
  })

  test('receives the reason in the error code', async () => {
    const { body } = await sendTwice('GET /v1/models', { headers: ['Sec-Fetch-Dest: iframe'] })
    // With the key in the URL, models are listed in the format of Google's clients.
    expect(JSON.parse(body)).toMatchObject({ error: { code: 403 } })
    const request = rawRequest('POST /v1/chat/completions', {
      headers: ['Sec-Fetch-Mode: navigate'],
      body: '',
    })
    const answer = await rawCall(world.url, request)
    expect(JSON.parse(answer.body)).toMatchObject({
      error: { code: 'browser_navigation', type: 'invalid_request_error' },
    })
  })

  test.each([
    'document',
    'iframe',
    'object',
    'script',
    'serviceworker',
    'image',
    'json',
    'EMPTY',
    'empty, document',
    '',
  ])('is refused whatever else it sends, for the destination %j', async (dest) => {
    const headers = [
      'Sec-Fetch-Mode: cors',
      'Sec-Fetch-Site: same-origin',
      `Sec-Fetch-Dest: ${dest}`,
    ]
    expect((await sendTwice('GET /v1/models', { headers })).status).toBe(403)
  })

  test.each(['navigate', 'nested-navigate', 'NAVIGATE', 'cors, navigate', ''])(
    'is refused whatever else it sends, for the mode %j',
    async (mode) => {
      const headers = ['Sec-Fetch-Dest: empty', `Sec-Fetch-Mode: ${mode}`]
      expect((await sendTwice('GET /v1/models', { headers })).status).toBe(403)
    },
  )

  test.each([
    [],
    ['Sec-Fetch-Mode: cors'],
    ['Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty', 'Sec-Fetch-Site: cross-site'],
    ['Sec-Fetch-Mode: same-origin', 'Sec-Fetch-Dest: empty', 'Sec-Fetch-Site: same-origin'],
    ['Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: empty'],
  ])('is not confused with a script: %j %j %j', async (...headers) => {
    const { url, key } = world
    const request = rawRequest('GET /v1/models', {
      headers: [...headers, `Authorization: Bearer ${key}`],
    })
    expect((await rawCall(url, request)).status).toBe(200)
  })
})

const SAFELISTED = [
  'text/plain',
  'TEXT/PLAIN ; charset=utf-8',
  'text/plain; application/json',
  'text/plain;charset=UTF-8',
  'application/x-www-form-urlencoded',
  'Application/X-WWW-Form-URLEncoded; charset=utf-8',
]
const FORM = 'multipart/form-data; boundary=x'

describe('a body that a page may send without a preflight', () => {
  test.each(JSON_PATHS)('is refused before its key is read: %s', async (path) => {
    for (const type of [...SAFELISTED, FORM]) {
      const headers = [`Content-Type: ${type}`]
      const { status, body } = await sendTwice(`POST ${path}`, {
        headers,
        body: JSON.stringify(ASKED),
      })
      expect(status, type).toBe(415)
      const essence = type.split(';')[0]?.trim().toLowerCase()
      expect(body).toContain(
        `does not accept the content type ${essence}. Send application/json with`,
      )
    }
  })

  test.each(FORM_PATHS)('is refused if forms are accepted, unless it is one: %s', async (path) => {
    for (const type of SAFELISTED) {
      const headers = [`Content-Type: ${type}`]
      const { status, body } = await sendTwice(`POST ${path}`, { headers, body: '{}' })
      expect(status, type).toBe(415)
      expect(body).toContain('Send multipart/form-data')
    }
    const request = rawRequest(`POST ${path}?key=sk-no`, {
      headers: [`Content-Type: ${FORM}`],
      body: '',
    })
    expect((await rawCall(world.url, request)).status).toBe(401)
  })

  test('is refused before it has arrived', async () => {
    const { url } = world
    const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'
    const answer = await rawCall(
      url,
      `${head}Content-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n`,
    )
    expect(answer.status).toBe(415)
  })

  test.each([
    undefined,
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/vnd.api+json',
    'text/json',
    'application/octet-stream',
    'application/x-ndjson',
    'text/plain, application/json',
    '',
  ])('does not have the type %j', async (type) => {
    const { url, key } = world
    const headers = type === undefined ? [] : [`Content-Type: ${type}`]
    for (const reader of READERS) {
      const request = rawRequest('POST /v1/chat/completions', {
        headers: [...headers, `Authorization: Bearer ${key}`],
        body: JSON.stringify(ASKED),
        reader,
      })
      expect((await rawCall(url, request)).status).toBe(200)
    }
  })
})
