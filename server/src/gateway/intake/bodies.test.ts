import { once } from 'node:events'
import { connect } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { answerAsAsked, answerChat, answerError } from '../../../testing/fakes/scripted-upstream.ts'
import {
  ASKED,
  lenient,
  readError,
  type Setup,
  setUp,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'

const LIMIT = 100_000

const setUpSmall = (more: Setup = {}) =>
  setUp(answerAsAsked, { ...more, limits: { bodyBytesMax: LIMIT, lingerMs: 20, bodyMs: 300 } })

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream

/** Sends a body, to the end of which the answer does not wait. */
const send = ({ url, key }: World, body: Body, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
  })

const gzip = { 'content-encoding': 'gzip' }

describe('an invalid body changes nothing and gets a clear answer', () => {
  const text = JSON.stringify(ASKED)
  const bodies: [string, string | Uint8Array, number, Record<string, string>?][] = [
    ['empty', '', 400],
    ['cut off', text.slice(0, -1), 400],
    ['with more behind', `${text} {}`, 400],
    ['an array', '[]', 400],
    ['not UTF-8', Buffer.from([...Buffer.from('{"model":"'), 0xff, 0xfe, 0x22, 0x7d]), 400],
    ['nested 50 000 deep', `{"model":"m","messages":${'['.repeat(50_000)}`, 400],
    ['deep and closed', `{"model":"m","x":${'['.repeat(5000)}${']'.repeat(5000)}}`, 400],
    ['NaN', text.replace('}', ',"n":NaN}'), 400],
    ['Infinity', '{"model":"gpt-4o-mini","messages":[{"role":"user"}],"max_tokens":1e999}', 400],
    ['a huge limit', JSON.stringify({ ...ASKED, max_tokens: 2 ** 53 }), 400],
    ['a negative limit', JSON.stringify({ ...ASKED, max_tokens: -1 }), 400],
    ['half a choice', JSON.stringify({ ...ASKED, n: 1.5 }), 400],
    ['too many choices', JSON.stringify({ ...ASKED, n: 100_000 }), 400],
    ['no model', JSON.stringify({ messages: ASKED.messages }), 400],
    ['a model of another type', JSON.stringify({ ...ASKED, model: 7 }), 400],
    ['no messages', JSON.stringify({ model: ASKED.model }), 400],
    ['messages of another type', JSON.stringify({ ...ASKED, messages: {} }), 400],
    ['stream of another type', JSON.stringify({ ...ASKED, stream: 'yes' }), 400],
    ['a member twice', `{"model":"gpt-4o",${text.slice(1)}`, 400],
    ['a member in disguise', `{"Max_Tokens":1,${text.slice(1)}`, 400],
    ['too large', JSON.stringify({ ...ASKED, pad: 'x'.repeat(LIMIT) }), 413],
    ['a gzip bomb', gzipSync(Buffer.alloc(10 * LIMIT, ' ')), 413, gzip],
    ['gzip in gzip', gzipSync(gzipSync(text)), 415, { 'content-encoding': 'gzip, gzip' }],
    ['a long name of a model', JSON.stringify({ ...ASKED, model: 'x'.repeat(90_000) }), 400],
    ['an unknown encoding', text, 415, { 'content-encoding': 'compress' }],
    ['stacked', zstdCompressSync(gzipSync(text)), 415, { 'content-encoding': 'gzip, zstd' }],
  ]
  test.each(bodies)('%s', async (_name, body, status, headers = {}) => {
    const world = await setUpSmall()
    const response = await send(
      world,
      typeof body === 'string' ? body : new Uint8Array(body),
      headers,
    )
    expect(response.status).toBe(status)
    const error = await readError(response)
    expect(error.type).toMatch(status === 415 ? 'one_api_error' : 'invalid_request_error')
    expect(world.calls()).toEqual([0])
    const { logs } = await world.books()
    expect(logs).toEqual([])
    expect((await world.ask()).status).toBe(200)
  })

  const bomb = gzipSync(Buffer.alloc(10 * LIMIT, ' '))
  const setUpRefused = () =>
    setUp(answerError(413, {}), { limits: { bodyBytesMax: LIMIT, lingerMs: 20 } })
  test.each<[string, string | Uint8Array<ArrayBuffer>, number, Record<string, string>?]>([
    ['too large', 'x'.repeat(LIMIT + 1), 413],
    ['an unknown encoding', text, 415, { 'content-encoding': 'compress' }],
    ['a gzip bomb', new Uint8Array(bomb), 413, gzip],
    ['too large for its provider', text, 413],
  ])('a complete body keeps its connection: %s', async (...args) => {
    const [, body, status, headers = {}] = args
    const world = await setUpRefused()
    const response = await send(world, body, headers)
    expect(response.status).toBe(status)
    expect(response.headers.get('connection')).not.toBe('close')
  })

  test('an endless body loses its connection', async () => {
    const world = await setUpRefused()
    const body = new ReadableStream({
      start: (sending) => sending.enqueue(Buffer.alloc(LIMIT + 1, 'x')),
    })
    const response = await send(world, body)
    expect(response.status).toBe(413)
    expect(response.headers.get('connection')).toBe('close')
  })

  test('many concurrent bodies that are large once decompressed', async () => {
    const world = await setUp(answerChat(), {
      limits: { bodyBytesMax: LIMIT, arrivingBytesMax: 3 * LIMIT },
    })
    const body = new Uint8Array(gzipSync(text.padEnd(LIMIT - 1)))
    const asking = Array.from({ length: 20 }, () => send(world, body, gzip))
    const answers = await Promise.all(asking)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await world.books()
  })

  test.each([
    ['longer', 1, /^$|^HTTP\/1.1 408 /],
    ['shorter', -1, /^HTTP\/1.1 400 .*invalid_encoding/s],
  ])('compressed, with a length that is %s than the body', async (_what, more, answered) => {
    const world = await setUpSmall()
    const { hostname, port } = new URL(world.url)
    const body = zstdCompressSync(text)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    let answer = ''
    socket.on('data', (bytes) => (answer += bytes.toString()))
    const lines = [
      'POST /v1/chat/completions HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${world.key}`,
      'Content-Encoding: zstd',
      `Content-Length: ${body.length + more}`,
      'Connection: close',
    ]
    socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]))
    if (more > 0) socket.end()
    await once(socket, 'close')
    expect(answer).toMatch(answered)
    expect(world.calls()).toEqual([0])
    expect((await world.books()).logs).toEqual([])
  })
})

describe('the provider receives', () => {
  const exotic =
    '{ "model" : "gpt-4o-mini", "seed":12345678901234567890, "messages":[{"role":"user",' +
    '"content":[{"type":"text","text":"\\u4f60"},{"type":"image_url","image_url":{"url":"https://x.test/a.png"}}]}],' +
    '"tools":[{"type":"function","function":{"name":"f","parameters":{}}}], "something_new":{"a":[1.0]} }'

  test("the client's bytes unchanged, unknown members included", async () => {
    const world = await setUpSmall(lenient('vendors get new members'))
    expect((await world.ask(exotic)).status).toBe(200)
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.body.toString()).toBe(exotic)
    expect(sent?.path).toBe('/v1/chat/completions')
    expect(sent?.headers['authorization']).toBe('Bearer sk-upstream')
    expect(sent?.headers['x-forwarded-for']).toBeUndefined()
  })

  test.each([
    ['gzip', gzipSync(exotic)],
    ['zstd', zstdCompressSync(exotic)],
    ['ZSTD', zstdCompressSync(exotic)],
    ['br', brotliCompressSync(exotic)],
    ['deflate', deflateSync(exotic)],
    ['', Buffer.from(exotic)],
  ])('the decompressed body of a request in %s', async (encoding, body) => {
    const world = await setUpSmall(lenient('vendors get new members'))
    const response = await send(world, new Uint8Array(body), { 'content-encoding': encoding })
    expect(response.status).toBe(200)
    expect(world.upstream.requestsOf('p0')[0]?.body.toString()).toBe(exotic)
  })

  test('the mapped model and a request for usage, and no other change', async () => {
    const world = await setUp([{ script: [answerAsAsked], mapping: 'theirs' }])
    const body = JSON.stringify({ ...STREAMED, metadata: { a: '1' } })
    await (await world.ask(body)).text()
    const sent = world.upstream.requestsOf('p0')[0]?.body.toString() ?? ''
    expect(JSON.parse(sent)).toEqual({
      ...JSON.parse(body),
      model: 'theirs',
      stream_options: { include_usage: true },
    })
    await world.expectLog({ model_name: 'gpt-4o-mini', upstream_model: 'gpt-4o-mini-2024' })
  })

  test('a limit the balance buys if the client set none', async () => {
    const world = await setUp(answerChat(), { quota: 200 })
    expect((await world.ask()).status).toBe(200)
    const sent = JSON.parse(world.upstream.requestsOf('p0')[0]?.body.toString() ?? '')
    const prompt = JSON.stringify(ASKED).length
    expect(sent.max_tokens).toBe(Math.floor((200 / 0.075 - prompt) / 4))
  })
})
