import { describe, expect, test } from 'vitest'
import { answersAll } from '../../../testing/fakes/realtime-upstream.ts'
import {
  answerAsAsked,
  answerError,
  answerStream,
  chunk,
} from '../../../testing/fakes/scripted-upstream.ts'
import {
  type RawAnswer,
  rawCall,
  rawRequest,
  type Reader,
  READERS,
} from '../../../testing/harness/raw-call.ts'
import { setUpRealtime } from '../../../testing/worlds/realtime-scenario.ts'
import {
  ASKED,
  setUp,
  shareWorld,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'

const GUARDS = {
  'content-security-policy': ["default-src 'none'; sandbox"],
  'x-content-type-options': ['nosniff'],
  'cross-origin-resource-policy': ['cross-origin'],
}
const CORS = { 'access-control-allow-origin': ['*'] }

type Kind = {
  status: number
  line: string
  headers?: string[]
  body?: object | string
  /** Send no key. */
  isAnonymous?: true
}

const POST_CHAT = 'POST /v1/chat/completions'

const KINDS: [name: string, kind: Kind][] = [
  ['an answer', { status: 200, line: POST_CHAT, body: ASKED }],
  ['a stream', { status: 200, line: POST_CHAT, body: STREAMED }],
  ['a list of models', { status: 200, line: 'GET /v1/models' }],
  ['a model', { status: 404, line: 'GET /v1/models/none' }],
  ['a billing query', { status: 200, line: 'GET /dashboard/billing/subscription' }],
  ['a billing query under /v1', { status: 200, line: 'GET /v1/dashboard/billing/usage' }],
  ['a count of tokens', { status: 200, line: 'POST /v1/messages/count_tokens', body: ASKED }],
  ['a preflight', { status: 204, line: 'OPTIONS /v1/chat/completions' }],
  ['a preflight of nothing', { status: 204, line: 'OPTIONS /v1/nothing', isAnonymous: true }],
  ['no key', { status: 401, line: POST_CHAT, body: ASKED, isAnonymous: true }],
  ['no key for billing', { status: 401, line: 'GET /dashboard/billing/usage', isAnonymous: true }],
  ['a bad body', { status: 400, line: POST_CHAT, body: '{' }],
  ['a bad body of Anthropic’s', { status: 400, line: 'POST /v1/messages', body: '{' }],
  ['Google’s', { status: 400, line: 'POST /v1beta/models/m:generateContent', body: '{' }],
  ['an unknown model', { status: 503, line: POST_CHAT, body: { ...ASKED, model: 'none' } }],
  ['an unknown path', { status: 404, line: 'GET /v1/nothing' }],
  ['an unknown path of Google’s', { status: 404, line: 'GET /v1beta/nothing' }],
  ['an unknown path of billing', { status: 404, line: 'GET /dashboard/billing/nothing' }],
  ['an unknown method', { status: 404, line: 'PATCH /v1/models' }],
  ['a stored response', { status: 404, line: 'GET /v1/responses/r' }],
  ['an endpoint that is not offered', { status: 501, line: 'POST /v1/files' }],
  ['a deletion that is not offered', { status: 501, line: 'DELETE /v1/models/m' }],
  ['a session without a WebSocket', { status: 426, line: 'GET /v1/realtime?model=m' }],
  ['a navigation', { status: 403, line: 'GET /v1/models', headers: ['Sec-Fetch-Mode: navigate'] }],
  ['a form', { status: 415, line: POST_CHAT, body: '{}', headers: ['Content-Type: text/plain'] }],
  ['rerank at its own path', { status: 400, line: 'POST /rerank', body: '{' }],
  ['rerank at Cohere’s path', { status: 404, line: 'GET /v2/rerank' }],
  ['HEAD', { status: 404, line: 'HEAD /v1/models' }],
]

function call({ url, key }: Pick<World, 'url' | 'key'>, kind: Kind, reader: Reader) {
  const { line, body, headers = [], isAnonymous = false } = kind
  const auth = isAnonymous ? [] : [`Authorization: Bearer ${key}`]
  const text = typeof body === 'object' ? JSON.stringify(body) : body
  return rawCall(
    url,
    rawRequest(line, { ...bodyOf(line, text), headers: [...auth, ...headers], reader }),
  )
}

/** Our own parser does not accept a POST without a length. */
const bodyOf = (line: string, body: string | undefined) =>
  body === undefined && !line.startsWith('POST') ? {} : { body: body ?? '' }

function expectGuarded({ headers }: RawAnswer, others: Record<string, readonly string[]> = CORS) {
  for (const [name, values] of Object.entries({ ...GUARDS, ...others })) {
    expect(headers.get(name), name).toEqual(values)
  }
}

/** Header names, except one that depends on timing. */
const namesOf = ({ headers }: RawAnswer) =>
  [...headers.keys()].filter((name) => name !== 'keep-alive').toSorted()

describe('an answer', () => {
  const world = shareWorld(answerAsAsked)

  test.each(KINDS)('is never rendered as a document, whoever read it: %s', async (_name, kind) => {
    const [front, node] = await Promise.all(READERS.map((reader) => call(world, kind, reader)))
    if (front === undefined || node === undefined) throw new Error('not asked twice')
    for (const answer of [front, node]) {
      expect(answer.status).toBe(kind.status)
      expectGuarded(answer)
    }
    expect(namesOf(front)).toEqual(namesOf(node))
    expect(front.headers.get('content-type')).toEqual(node.headers.get('content-type'))
  })
})

test('a preflight allows the headers of clients', async () => {
  const { url } = await setUp(answerAsAsked)
  const { headers } = await fetch(`${url}/v1/chat/completions`, { method: 'OPTIONS' })
  expect(headers.get('access-control-allow-headers')).toContain('Authorization')
})

test('failures of the provider, broken streams and shutdowns are guarded as well', async () => {
  const cut = answerStream([chunk({ content: 'Hello' })], 'cut')
  const world = await setUp([answerError(500, {}), cut], {
    options: [
      ['RetryTimes', '0'],
      ['StreamRescueEnabled', 'false'],
    ],
  })
  const failed = await call(world, { status: 500, line: POST_CHAT, body: ASKED }, 'front')
  expect(failed.status).toBeGreaterThanOrEqual(500)
  const broken = await call(world, { status: 200, line: POST_CHAT, body: STREAMED }, 'front')
  expect(broken.body).toContain('error')
  await world.gateway().shutDown()
  const stopped = await call(world, { status: 503, line: 'GET /v1/models' }, 'front')
  expect(stopped.status).toBe(503)
  for (const answer of [failed, broken, stopped]) expectGuarded(answer)
})

const CLOSE = 'Connection: close\r\n\r\n'
test.each([
  ['a NUL', 'GET /v1/models HTTP/1.1\r\nHost: x\r\nX: \0\r\n\r\n', 400],
  ['no host', 'GET /v1/models HTTP/1.1\r\n\r\n', 400],
  ['two lengths', 'POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 2\r\n\r\n', 400],
  ['a long head', `GET /v1/models HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}`, 431],
  ['an expectation', `POST /v1/x HTTP/1.1\r\nHost: x\r\nExpect: x\r\n${CLOSE}`, 417],
])('%s, which Node.js refuses, has no body to render', async (_name, text, status) => {
  const world = await setUp(answerAsAsked)
  const answer = await rawCall(world.url, text)
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toBeUndefined()
  expect(['', '0\r\n\r\n']).toContain(answer.body)
})

describe('a session of Realtime', () => {
  const handshake = (...headers: string[]) =>
    [
      'GET /v1/realtime?model=gpt-realtime HTTP/1.1',
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      ...headers,
      '',
      '',
    ].join('\r\n')
  const WHOLE = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']

  test.each<[string, string[], number]>([
    ['a wrong key', [...WHOLE, 'Authorization: Bearer sk-no'], 401],
    ['no key', WHOLE, 401],
    ['a bad version', ['Sec-WebSocket-Version: 8'], 426],
    ['a protocol twice', [...WHOLE, 'Sec-WebSocket-Protocol: realtime, realtime'], 426],
    ['protocols that are no names', [...WHOLE, 'Sec-WebSocket-Protocol: a b'], 426],
    ['an empty protocol', [...WHOLE, 'Sec-WebSocket-Protocol:'], 426],
    ['a navigation', [...WHOLE, 'Sec-Fetch-Mode: navigate'], 403],
    ['a frame', [...WHOLE, 'Sec-Fetch-Dest: iframe'], 403],
  ])('refused for %s is guarded, before a provider is called', async (_name, lines, status) => {
    const world = await setUpRealtime([[answersAll()]])
    const answer = await rawCall(world.url, handshake(...lines))
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toEqual(['application/json; charset=utf-8'])
    expectGuarded(answer, {})
    expect(world.provider.asked('p0')).toBe(0)
  })

  test('that is opened is guarded, and browsers may open it', async () => {
    const world = await setUpRealtime([[answersAll()]])
    const fetched = ['Sec-Fetch-Mode: websocket', 'Sec-Fetch-Dest: empty']
    const key = `Sec-WebSocket-Protocol: realtime, openai-insecure-api-key.${world.key}`
    const answering = rawCall(world.url, handshake(...WHOLE, ...fetched, key))
    await expect.poll(() => world.provider.sessionsOf('p0').length).toBe(1)
    world.provider.sessionsOf('p0')[0]?.close(1000)
    const answer = await answering
    expect(answer.status).toBe(101)
    expectGuarded(answer, {})
  })
})
