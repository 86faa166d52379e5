import { createServer, type IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { acceptRequest } from './accept-request.ts'

const accepts = (url: string) => url.startsWith('/v1/')
const bytesOf = (text: string) => Buffer.from(text, 'latin1')
const read = (text: string) => acceptRequest(bytesOf(text), accepts)

const LINE = 'POST /v1/chat?a=1 HTTP/1.1\r\n'
const post = (...headers: string[]) =>
  `${LINE}${['Host: x', ...headers].map((header) => `${header}\r\n`).join('')}\r\n`
const SIZED = post('Content-Length: 5')

describe('accepts', () => {
  it('a request with a body, with lower-case header names and trimmed values', () => {
    const head = post('X-One: \t a b\t ', 'Empty:', 'Content-Length: 5', 'Latin:\xa0\xe9\xa0')
    expect(read(`${head}hello`)).toEqual({
      method: 'POST',
      url: '/v1/chat?a=1',
      headers: {
        host: 'x',
        'x-one': 'a b',
        empty: '',
        'content-length': '5',
        latin: '\xa0\xe9\xa0',
      },
      size: head.length,
      length: 5,
      isKeepAlive: true,
    })
  })

  it.each([
    ['GET without a body', 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n', 0, true],
    ['a body of nothing', post('Content-Length: 0'), 0, true],
    ['close', post('Content-Length: 5', 'Connection: Close'), 5, false],
    ['keep-alive', post('Content-Length: 5', 'Connection: Keep-Alive'), 5, true],
    [
      'a hundred headers',
      post('Content-Length: 5', ...Array.from({ length: 98 }, (_, at) => `x-${at}: 1`)),
      5,
      true,
    ],
  ])('%s', (_name, text, length, isKeepAlive) => {
    expect(read(text)).toMatchObject({ length, isKeepAlive })
  })
})

const NOT_ACCEPTED: [string, string][] = [
  ['another path', SIZED.replace('/v1/', '/api/')],
  ['another method', SIZED.replace('POST', 'PUT')],
  ['a method in small letters', SIZED.replace('POST', 'post')],
  ['an absolute address', SIZED.replace('/v1/', 'http://x/v1/')],
  ['no address', SIZED.replace('/v1/chat?a=1 ', '')],
  ['a blank in the address', SIZED.replace('chat', 'ch at')],
  ['a control byte in the address', SIZED.replace('chat', 'ch\x01at')],
  ['a letter beyond ASCII in the address', SIZED.replace('chat', 'ch\xe9t')],
  ['two blanks before the version', SIZED.replace(' HTTP', '  HTTP')],
  ['HTTP/1.0', SIZED.replace('HTTP/1.1', 'HTTP/1.0')],
  ['HTTP/1.10', SIZED.replace('HTTP/1.1', 'HTTP/1.10')],
  ['an empty line first', `\r\n${SIZED}`],
  ['half a head', SIZED.slice(0, -1)],
  ['nothing', ''],
  ['no Host', SIZED.replace('Host: x\r\n', '')],
  ['two Hosts', post('Host: y', 'Content-Length: 5')],
  ['no length', post()],
  ['two lengths', post('Content-Length: 5', 'Content-Length: 6')],
  ['the same length twice', post('Content-Length: 5', 'Content-Length: 5')],
  ['a list of lengths', post('Content-Length: 5, 5')],
  ['a signed length', post('Content-Length: +5')],
  ['a negative length', post('Content-Length: -5')],
  ['a length that is none', post('Content-Length: 5x')],
  ['a length with a blank in it', post('Content-Length: 5 5')],
  ['a hexadecimal length', post('Content-Length: 0x5')],
  ['an empty length', post('Content-Length:')],
  ['a length of 16 digits', post('Content-Length: 1000000000000000')],
  ['chunks', post('Transfer-Encoding: chunked')],
  ['chunks and a length', post('Content-Length: 5', 'Transfer-Encoding: chunked')],
  ['a coding of another kind', post('Content-Length: 5', 'Transfer-Encoding: identity')],
  ['a blank before a colon', post('Content-Length: 5', 'Transfer-Encoding : chunked')],
  ['a blank before a name', post(' X: 1', 'Content-Length: 5')],
  ['a folded line', post('X: 1\r\n 2', 'Content-Length: 5')],
  ['a bare line feed', post('X: 1\nContent-Length: 5')],
  ['a bare return', post('X: 1\rContent-Length: 5')],
  ['line feeds alone', SIZED.replaceAll('\r\n', '\n')],
  ['NUL in a value', post('X: a\0b', 'Content-Length: 5')],
  ['DEL in a value', post('X: a\x7fb', 'Content-Length: 5')],
  ['NUL in a name', post('X\0: a', 'Content-Length: 5')],
  ['a letter beyond ASCII in a name', post('X\xe9: a', 'Content-Length: 5')],
  ['no name', post(': a', 'Content-Length: 5')],
  ['no colon', post('Content-Length: 5', 'X')],
  ['any header twice', post('X: 1', 'Content-Length: 5', 'x: 2')],
  ['a name that every object has', post('__proto__: 1', 'Content-Length: 5')],
  ['another such name', post('constructor: 1', 'Content-Length: 5')],
  ['cookies of servers', post('Set-Cookie: a=b', 'Content-Length: 5')],
  ['Expect', post('Expect: 100-continue', 'Content-Length: 5')],
  ['Upgrade', post('Upgrade: websocket', 'Content-Length: 5')],
  ['an option of the connection', post('Connection: keep-alive, X', 'Content-Length: 5')],
  ['a connection that is upgraded', post('Connection: upgrade', 'Content-Length: 5')],
  ['an empty option of the connection', post('Connection:', 'Content-Length: 5')],
  ['an option of a proxy', post('Proxy-Connection: close', 'Content-Length: 5')],
  [
    '101 headers',
    post('Content-Length: 5', ...Array.from({ length: 99 }, (_, at) => `x-${at}: 1`)),
  ],
  ['a head of more than 16 KiB', post('Content-Length: 5', `X: ${'x'.repeat(16 * 1024)}`)],
]

it.each(NOT_ACCEPTED)('passes %s to Node.js', (_name, text) => {
  expect(read(`${text}hello`)).toBeNull()
})

type Read = { method: string; url: string; headers: object; body: string }

/** Parses `count` requests with Node's own server; null if it reports an error. */
async function readByNode(bytes: Buffer, count: number): Promise<(Read | null)[]> {
  const server = createServer()
  const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() })
  const requests: (Read | null)[] = []
  const { promise: whole, resolve } = Promise.withResolvers<void>()
  const tell = (one: Read | null) => {
    requests.push(one)
    if (one === null || requests.length === count) resolve()
  }
  const stumble = () => tell(null)
  server.on('request', (request: IncomingMessage) => {
    let body = ''
    const { method = '', url = '', headers } = request
    request.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')))
    request.on('end', () => tell({ method, url, headers, body }))
  })
  server.on('clientError', stumble).on('upgrade', stumble).on('checkContinue', stumble)
  socket.on('close', stumble)
  server.emit('connection', socket)
  socket.push(bytes)
  await whole
  const read = requests.slice()
  socket.destroy()
  return read
}

const PIECES = ['\r\n', ...'\r\n: \t,\x0050+x/?#%'.split('')]
const LINES = [
  'Content-Length: 3\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding:\x0bchunked\r\n',
  'Connection: close\r\n',
  'Connection: keep-alive\r\n',
  'Proxy-Connection: close\r\n',
  'Keep-Alive: timeout=5\r\n',
  'Upgrade: h2c\r\n',
  'TE: trailers\r\n',
  'Trailer: x\r\n',
  'Host: y\r\n',
  '\r\n\r\n',
  'GET /v1/x HTTP/1.1\r\nHost: a\r\n\r\n',
]
const NEXT = 'GET /next HTTP/1.1\r\nHost: x\r\n\r\n'
const RUNS = Number(process.env['FRONT_FUZZ_RUNS'] ?? 300)

it('whatever it accepts, Node.js reads the same', { timeout: 3_600_000 }, async () => {
  expect(await readByNode(bytesOf(`${SIZED}hello${NEXT}`), 2)).toMatchObject([
    { body: 'hello' },
    { url: '/next' },
  ])
  const whole = fc.constantFrom(
    `${SIZED}hello`,
    `${post('X-A:  b ', 'Content-Length:\t5 ', 'Connection: close')}hello`,
    `${SIZED}helloGET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n`,
    'GET /v1/models HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n',
  )
  const put = fc.oneof(
    fc.constantFrom(...PIECES, ...LINES),
    fc.string({ maxLength: 3, unit: 'binary-ascii' }),
    fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  )
  const change = fc.record({
    at: fc.nat(),
    // If false, at any offset.
    startsLine: fc.boolean(),
    gone: fc.nat({ max: 3 }),
    put,
  })
  let acceptedCount = 0
  await fc.assert(
    fc.asyncProperty(whole, fc.array(change, { maxLength: 3 }), async (text, changes) => {
      const changed = changes.reduce<string>((so, { at, startsLine, gone, put: piece }) => {
        const lines = [...so.matchAll(/\r\n/g)].map(({ index }) => index + 2)
        const from = (startsLine ? lines[at % lines.length] : undefined) ?? at % so.length
        return so.slice(0, from) + piece + so.slice(from + gone)
      }, text)
      const head = read(changed)
      if (head === null) return
      const { size, length, method, url, headers, isKeepAlive } = head
      const body = changed.slice(size, size + length)
      // Neither parser completes a truncated body.
      if (body.length < length) return
      acceptedCount += 1
      const accepted = changed.slice(0, size + length)
      // Also checks that the next request begins where this one ends.
      const nodes = await readByNode(
        bytesOf(isKeepAlive ? accepted + NEXT : accepted),
        isKeepAlive ? 2 : 1,
      )
      const next = { method: 'GET', url: '/next', headers: { host: 'x' }, body: '' }
      expect(nodes).toEqual([{ method, url, headers, body }, ...(isKeepAlive ? [next] : [])])
    }),
    { numRuns: RUNS },
  )
  expect(acceptedCount).toBeGreaterThan(RUNS / 10)
})
