import { request as httpRequest } from 'node:http'
import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BadMessage } from './bad-message.ts'
import { ResponseParser } from './response-parser.ts'

type Heard = {
  heads: { status: number; headers: object }[]
  body: string
  /** Whether the connection may carry another answer; null until the answer ends. */
  isReusable: boolean | null
  failure: string | null
}

/** Parses the pieces and, with `closes`, the end of the connection; owned, lent and offered. */
function hear(pieces: readonly Buffer[], { closes = false } = {}): Heard {
  const heard = hearFrom((parser, piece) => parser.push(piece), pieces, closes)
  expect(hearFrom(lend, pieces, closes)).toEqual(heard)
  expect(hearFrom(lend, pieces, closes, { takesOffers: true })).toEqual(heard)
  return heard
}

const LENT = Buffer.alloc(128 * 1024)

/** Overwrites the bytes after the call, and has others behind them. */
function lend(parser: ResponseParser, piece: Buffer) {
  LENT.fill('0\r\n\r\n')
  piece.copy(LENT)
  try {
    parser.pushLent(LENT, piece.length)
  } finally {
    LENT.fill('#')
  }
}

type Push = (parser: ResponseParser, piece: Buffer) => void

function hearFrom(
  push: Push,
  pieces: readonly Buffer[],
  closes: boolean,
  { takesOffers = false } = {},
): Heard {
  const heard: Heard = { heads: [], body: '', isReusable: null, failure: null }
  const body: Buffer[] = []
  const parser = new ResponseParser({
    head: (status, headers) => heard.heads.push({ status, headers }),
    offer: (bytes) => {
      expect(bytes.length).toBeGreaterThan(0)
      // A part of what is offered is refused, and arrives as data.
      const isTaken = takesOffers && bytes.length % 3 > 0
      if (isTaken) body.push(Buffer.from(bytes))
      return isTaken
    },
    data: (bytes) => {
      expect(bytes.length).toBeGreaterThan(0)
      body.push(bytes)
    },
    end: (isReusable) => {
      expect(heard.isReusable).toBeNull()
      heard.isReusable = isReusable
    },
  })
  parser.begin()
  try {
    for (const piece of pieces) push(parser, piece)
    if (closes) parser.close()
  } catch (error) {
    if (!(error instanceof BadMessage)) throw error
    heard.failure = error.failure
  }
  heard.body = Buffer.concat(body).toString('latin1')
  return heard
}

const bytesOf = (text: string) => Buffer.from(text, 'latin1')
const answer = (lines: readonly string[], body = '') => `${lines.join('\r\n')}\r\n\r\n${body}`

const SIZED = answer(
  ['HTTP/1.1 200 OK', 'Content-Type: application/json', 'CONTENT-LENGTH: 7'],
  '{"a":1}',
)
const CHUNKED = answer(
  ['HTTP/1.1 200', 'transfer-encoding: Chunked'],
  '4\r\nabcd\r\n0A;name="value"\r\n0123456789\r\n0\r\nx-trailer: 1\r\n\r\n',
)
const UNTIL_CLOSE = answer(['HTTP/1.1 200 OK', 'content-type: text/plain'], 'until the end')
const AFTER_INTERIM = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${SIZED}`

describe('complete answers', () => {
  it.each([
    ['by length', SIZED, { body: '{"a":1}', isReusable: true }],
    ['in chunks', CHUNKED, { body: 'abcd0123456789', isReusable: true }],
    ['until the connection is closed', UNTIL_CLOSE, { body: 'until the end', isReusable: false }],
    ['after interim ones', AFTER_INTERIM, { body: '{"a":1}', isReusable: true }],
    ['without a body', answer(['HTTP/1.1 204 No Content']), { body: '', isReusable: true }],
    ['of no length', answer(['HTTP/1.1 200 OK', 'content-length: 0']), { isReusable: true }],
    ['not modified', answer(['HTTP/1.1 304 -', 'content-length: 9']), { isReusable: true }],
    [
      'of an old server',
      answer(['HTTP/1.0 200 OK', 'content-length: 1'], 'x'),
      { body: 'x', isReusable: false },
    ],
    [
      'of an old server that keeps connections',
      answer(['HTTP/1.0 200 OK', 'content-length: 1', 'connection: Keep-Alive'], 'x'),
      { isReusable: true },
    ],
    [
      'after which the connection is closed',
      answer(['HTTP/1.1 200 OK', 'content-length: 1', 'Connection: x, Close'], 'x'),
      { isReusable: false },
    ],
    ['with bytes behind', `${SIZED}HTTP/1.1 200 OK`, { body: '{"a":1}', isReusable: false }],
    [
      'in chunks, with bytes behind',
      answer(
        ['HTTP/1.1 200 OK', 'transfer-encoding: chunked'],
        '1\r\nx\r\n0\r\n\r\nHTTP/1.1 200 OK',
      ),
      { body: 'x', isReusable: false },
    ],
  ])('%s, split anywhere', (_name, text, expected) => {
    const bytes = bytesOf(text)
    const whole = hear([bytes], { closes: true })
    expect(whole).toMatchObject({ ...expected, failure: null })
    expect(whole.heads).toHaveLength(1)
    for (let at = 1; at < bytes.length; at += 1) {
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)]
      const cut = hear(pieces, { closes: true })
      expect(cut).toMatchObject({ heads: whole.heads, body: whole.body })
      expect(cut.isReusable).not.toBeNull()
    }
    const single = [...bytes].map((byte) => Buffer.from([byte]))
    expect(hear(single, { closes: true }).body).toBe(whole.body)
  })
})

it('joins repeated headers, and lists cookies', () => {
  const text = answer([
    'HTTP/1.1 200 OK',
    'Vary: a',
    'set-cookie: x=1',
    'vary:b\t',
    'Set-Cookie: y=2',
    '__proto__: no',
    'content-length: 0',
  ])
  expect(hear([bytesOf(text)]).heads).toEqual([
    {
      status: 200,
      headers: { vary: 'a, b', 'set-cookie': ['x=1', 'y=2'], 'content-length': '0' },
    },
  ])
})

describe('invalid answers', () => {
  const head = (...lines: string[]) => answer(['HTTP/1.1 200 OK', ...lines])
  const chunks = (body: string) => `${head('transfer-encoding: chunked')}${body}`
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['another version', answer(['HTTP/2.0 200 OK'])],
    ['no status', answer(['HTTP/1.1 OK'])],
    ['a status of two digits', answer(['HTTP/1.1 20 OK'])],
    ['another protocol from here', answer(['HTTP/1.1 101 Switching Protocols', 'upgrade: x'])],
    ['two lengths', head('content-length: 1', 'content-length: 2')],
    ['the same length twice', head('content-length: 1', 'content-length: 1')],
    ['a negative length', head('content-length: -1')],
    ['a length in words', head('content-length: 0x10')],
    ['a length with a sign', head('content-length: +1')],
    ['an empty length', head('content-length:')],
    ['a length and a blank that HTTP does not know', head('content-length: 5\xa0')],
    ['chunks and such a blank', head('transfer-encoding: \xa0chunked')],
    ['an endless length', head(`content-length: ${'9'.repeat(16)}`)],
    ['both a length and chunks', head('content-length: 1', 'transfer-encoding: chunked')],
    ['a coding in addition to chunks', head('transfer-encoding: gzip, chunked')],
    ['chunks twice', head('transfer-encoding: chunked', 'transfer-encoding: chunked')],
    ['an unknown coding', head('transfer-encoding: identity')],
    ['a space before the colon', head('content-length : 1')],
    ['a folded line', head('x: a', ' b', 'content-length: 0')],
    ['a line without a colon', head('nonsense')],
    ['an empty name', head(': x')],
    ['a bare line feed', head('x: a\ncontent-length: 1')],
    ['a bare return', head('x: a\rb')],
    ['a zero byte', head('x: a\0b')],
    ['a chunk without size', chunks('\r\n')],
    ['a size that is no number', chunks('g\r\n')],
    ['a negative size', chunks('-1\r\n')],
    ['a size in 0x', chunks('0x1\r\na\r\n')],
    ['a size without end', chunks('00000000001\r\n')],
    ['a size with a bare line feed', chunks('1\na\r\n')],
    ['a return without line feed', chunks('1\ra\r\n')],
    ['more than the chunk', chunks('1\r\nab\r\n')],
    ['a bare line feed after the chunk', chunks('1\r\na\n1\r\n')],
    ['an extension with a control byte', chunks('1;\0\r\n')],
    ['a trailer with a bare line feed', chunks('0\r\nx: 1\n\r\n')],
    ['a trailer with a zero byte', chunks('0\r\nx: \0\r\n\r\n')],
  ])('%s is malformed, split anywhere', (_name, text) => {
    const bytes = bytesOf(text)
    expect(hear([bytes])).toMatchObject({ isReusable: null, failure: 'malformed' })
    const single = [...bytes].map((byte) => Buffer.from([byte]))
    expect(hear(single)).toMatchObject({ isReusable: null, failure: 'malformed' })
  })

  it.each([
    ['bare line feeds', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n'],
    ['the greeting of a mail server', '220 mail.example ESMTP\r\n'],
    ['the greeting of SSH', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['an alert of TLS', '\x15\x03\x01\0\x02\x02\x46'],
    ['a page without a head', '<html>'],
    ['another version', 'HTTP/2'],
  ])('%s is malformed, although no head has ended', (_name, text) => {
    expect(hear([bytesOf(text)])).toMatchObject({ failure: 'malformed' })
    const single = [...bytesOf(text)].map((byte) => Buffer.from([byte]))
    expect(hear(single)).toMatchObject({ failure: 'malformed' })
  })

  it.each([
    ['a head', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(70_000)}`],
    ['a head that ends', head(`x: ${'x'.repeat(70_000)}`)],
    ['a line of a chunk', chunks(`1;${'x'.repeat(2000)}`)],
    ['trailers', chunks(`0\r\n${'x: 1\r\n'.repeat(20_000)}`)],
  ])('%s of any size is too large', (_name, text) => {
    const bytes = bytesOf(text)
    expect(hear([bytes])).toMatchObject({ failure: 'too_large' })
    const half = bytes.length >> 1
    expect(hear([bytes.subarray(0, half), bytes.subarray(half)])).toMatchObject({
      failure: 'too_large',
    })
  })

  it('unexpected bytes are malformed', () => {
    const parser = new ResponseParser({ head: () => {}, data: () => {}, end: () => {} })
    expect(() => parser.push(bytesOf('HTTP/1.1 200 OK\r\n\r\n'))).toThrow(BadMessage)
  })

  it.each([
    ['by length', SIZED.slice(0, -1)],
    ['in chunks', CHUNKED.slice(0, -1)],
    ['before the head ends', 'HTTP/1.1 200 OK\r\n'],
  ])('an answer %s that is closed early does not end', (_name, text) => {
    expect(hear([bytesOf(text)], { closes: true }).isReusable).toBeNull()
  })
})

it('emits nothing more once it is stopped', () => {
  const heard: string[] = []
  const parser = new ResponseParser({
    head: () => {},
    data: (bytes) => {
      heard.push(bytes.toString())
      parser.stop()
    },
    end: () => heard.push('end'),
  })
  parser.begin()
  parser.push(bytesOf(CHUNKED))
  expect(heard).toEqual(['abcd'])
})

const PIECES = ['HTTP/1.1 200 OK', '\r\n', '\r', '\n', ':', ' ', 'content-length: 3', '3', 'abc']
const MORE_PIECES = [
  'transfer-encoding: chunked',
  'connection: close',
  '0',
  ';x',
  '\0',
  'HTTP/1.1 1',
]

it('reads any bytes alike in any pieces, and throws no error of its own', () => {
  const piece = fc.oneof(
    fc.constantFrom(...PIECES, ...MORE_PIECES),
    fc.string({ maxLength: 5, unit: 'binary-ascii' }),
  )
  const start = fc.constantFrom('', SIZED.slice(0, 20), CHUNKED.slice(0, 45))
  fc.assert(
    fc.property(start, fc.array(piece, { maxLength: 20 }), fc.nat(), (first, pieces, cut) => {
      const bytes = bytesOf(first + pieces.join(''))
      const whole = hear([bytes])
      const at = bytes.length === 0 ? 0 : cut % bytes.length
      const halves = hear([bytes.subarray(0, at), bytes.subarray(at)].filter((b) => b.length > 0))
      expect({ heads: halves.heads, body: halves.body }).toEqual({
        heads: whole.heads,
        body: whole.body,
      })
      const isOver = ({ isReusable }: Heard) => isReusable !== null
      expect(isOver(halves)).toBe(isOver(whole))
    }),
  )
})

/** The body that Node's own client reads from the bytes and their end; null on an error. */
function readByNode(bytes: Buffer): Promise<string | null> {
  const socket = new Duplex({
    read: () => {},
    write: (_chunk, _encoding, done) => {
      socket.push(bytes)
      socket.push(null)
      done()
    },
  })
  return new Promise((resolve) => {
    const request = httpRequest({ createConnection: () => socket }, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString('latin1')
      })
      response.on('end', () => resolve(body))
      response.on('error', () => resolve(null))
    })
    request.on('error', () => resolve(null))
    request.end()
  })
}

it('is stricter than Node.js, and never reads anything else', async () => {
  expect(await readByNode(bytesOf(CHUNKED))).toBe('abcd0123456789')
  const whole = fc.constantFrom(SIZED, CHUNKED, UNTIL_CLOSE, AFTER_INTERIM)
  const change = fc.record({
    at: fc.nat(),
    gone: fc.nat({ max: 3 }),
    text: fc.oneof(
      fc.constantFrom(...PIECES, ...MORE_PIECES),
      fc.string({ maxLength: 3, unit: 'binary-ascii' }),
    ),
  })
  await fc.assert(
    fc.asyncProperty(whole, fc.array(change, { maxLength: 3 }), async (text, changes) => {
      const changed = changes.reduce((so, { at, gone, text: put }) => {
        const from = at % so.length
        return so.slice(0, from) + put + so.slice(from + gone)
      }, text)
      const { body, isReusable } = hear([bytesOf(changed)], { closes: true })
      if (isReusable === null) return
      // Bytes after the answer are an error to Node's client; here they end the connection.
      const read = await readByNode(bytesOf(changed))
      expect(isReusable || read !== null ? read : body).toBe(body)
    }),
    { numRuns: 300 },
  )
})
