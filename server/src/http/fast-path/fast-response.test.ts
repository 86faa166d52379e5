import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  type FastPathWorld,
  get,
  type Handler,
  openFastPath,
} from '../../../testing/worlds/fast-path-world.ts'
import { FastResponse } from './fast-response.ts'

let world: FastPathWorld

/** The raw answer without its date. */
async function said(handle: Handler): Promise<string> {
  world = await openFastPath(handle)
  const client = world.open()
  client.socket.write(get('/v1/a', 'Connection: close'))
  await client.closed
  return client.received().replace(/Date: [^\r]*\r\n/, '')
}

const CLOSE = 'Connection: close'
const CHUNKED = [CLOSE, 'Transfer-Encoding: chunked']
const sized = (length: number) => [CLOSE, `Content-Length: ${length}`]

/** The head of an answer with these lines. */
const head = (status: string, ...lines: string[]) =>
  [`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n')

describe('an answer is', () => {
  it.each<[string, Handler, string]>([
    [
      'one piece with its length',
      (_request, response) => {
        response.setHeader('X-One', '1')
        response.writeHead(201, { 'content-type': 'text/plain', 'content-length': 5 }).end('hello')
      },
      `${head('201 Created', 'x-one: 1', 'content-type: text/plain', ...sized(5))}hello`,
    ],
    [
      'one piece of unknown length',
      (_request, response) => void response.end('é'),
      `${head('200 OK', ...sized(2))}\xc3\xa9`,
    ],
    [
      'nothing',
      (_request, response) => void response.writeHead(503).end(),
      head('503 Service Unavailable', ...sized(0)),
    ],
    [
      'several pieces with their length',
      (_request, response) => {
        response.writeHead(200, { 'content-length': 4 }).write(Buffer.from('ab'))
        response.write(Buffer.from('cd'))
        response.end()
      },
      `${head('200 OK', ...sized(4))}abcd`,
    ],
    [
      'chunks of text, by its bytes',
      (_request, response) => {
        response.writeHead(200).write('é')
        response.write('')
        response.write('é你')
        response.write(Buffer.alloc(0))
        response.write(Buffer.from('0123456789abcdef'))
        response.end('!')
      },
      `${head('200 OK', ...CHUNKED)}2\r\n\xc3\xa9\r\n5\r\n\xc3\xa9\xe4\xbd\xa0\r\n` +
        '10\r\n0123456789abcdef\r\n1\r\n!\r\n0\r\n\r\n',
    ],
    [
      'chunks that end without more',
      (_request, response) => {
        response.write(Buffer.from('a'))
        response.end()
      },
      `${head('200 OK', ...CHUNKED)}1\r\na\r\n0\r\n\r\n`,
    ],
    [
      'no body, whatever is written',
      (_request, response) => {
        response.writeHead(204, { 'content-length': 3 }).write(Buffer.from('abc'))
        response.end('def')
      },
      head('204 No Content', CLOSE),
    ],
    [
      'of a status that has no name',
      (_request, response) => void response.writeHead(299).end(),
      head('299 unknown', ...sized(0)),
    ],
    [
      'what was said last of a header',
      (_request, response) => {
        response.setHeader('x-one', '1')
        response.writeHead(200, { 'X-One': '2' }).end()
      },
      head('200 OK', 'x-one: 2', ...sized(0)),
    ],
  ])('%s', async (_name, handle, expected) => {
    expect(await said(handle)).toBe(expected)
  })

  it('the same for a large body', async () => {
    const body = 'x'.repeat(200_000)
    const whole = await said((_request, response) => {
      response.write(Buffer.from(body))
      response.end(body)
    })
    const chunk = `30d40\r\n${body}\r\n`
    expect(whole.endsWith(`\r\n\r\n${chunk}${chunk}0\r\n\r\n`)).toBe(true)
    await world.close()
    const sized = await said((_request, response) => void response.end(body))
    expect(sized.endsWith(`Content-Length: 200000\r\n\r\n${body}`)).toBe(true)
  })
})

describe('an answer cannot', () => {
  const refused: [string, Handler][] = [
    ['have a header of two lines', (_, response) => response.setHeader('x', 'a\r\nb: c')],
    ['have a header with a line feed', (_, response) => response.setHeader('x', 'a\nb')],
    ['have a header beyond Latin-1', (_, response) => response.setHeader('x', '你')],
    ['have a header without a name', (_, response) => response.setHeader('', 'a')],
    ['have a header named with a colon', (_, response) => response.writeHead(200, { 'x:': 'a' })],
    ['have a status of an interim answer', (_, response) => response.writeHead(100)],
    ['have no status', (_, response) => response.writeHead(Number.NaN)],
    ['begin twice', (_, response) => response.writeHead(200).writeHead(200)],
    [
      'have a header behind its head',
      (_, response) => response.writeHead(200) && response.setHeader('x', 'a'),
    ],
    [
      'be longer than it said',
      (_, response) => response.writeHead(200, { 'content-length': 1 }).write(Buffer.from('ab')),
    ],
  ]
  it.each(refused)('%s', async (_name, handle) => {
    let error: unknown
    const text = await said((request, response) => {
      try {
        handle(request, response)
      } catch (thrown) {
        error = thrown
        response.destroy()
      }
    })
    expect(error).toBeInstanceOf(Error)
    expect(text).toBe('')
  })
})

describe('chunks behind the first', () => {
  /** The chunks that have arrived at a fake socket in each piece. */
  const open = () => {
    const pieces: string[] = []
    const socket = new Socket()
    const record = (bytes: Buffer | string) => pieces.push(String(bytes))
    socket._write = (bytes: Buffer, _encoding, done) => {
      record(bytes)
      done()
    }
    socket._writev = (parts, done) => {
      record(parts.map(({ chunk }) => String(chunk)).join(''))
      done()
    }
    const response = new FastResponse({ socket, connectionLines: () => '', onAnswered: () => {} })
    response.write(Buffer.from('first'))
    return { pieces, response }
  }
  const turn = () => new Promise(setImmediate)

  it('wait until all sockets were read, and are one piece', async () => {
    const { pieces, response } = open()
    await turn()
    setImmediate(() => {
      response.write('a')
      setImmediate(() => pieces.push('read all'))
    })
    await turn()
    expect(pieces.splice(0).at(-1)).toContain('first')
    await turn()
    expect(pieces.splice(0)).toEqual(['1\r\na\r\n', 'read all'])
    response.write('b')
    response.write(Buffer.from('c'))
    response.write('d')
    await turn()
    await turn()
    expect(pieces).toEqual(['1\r\nb\r\n1\r\nc\r\n1\r\nd\r\n'])
  })

  it('keep what they had when their bytes are overwritten', async () => {
    const { pieces, response } = open()
    await turn()
    const bytes = Buffer.from('a')
    for (const letter of 'ab') {
      response.writeCopy(bytes.fill(letter))
      bytes.fill('#')
    }
    await turn()
    await turn()
    expect(pieces.slice(1).join('')).toBe('1\r\na\r\n1\r\nb\r\n')
  })

  it('stay as they are until a slow client takes them', async () => {
    const [slow, quick] = [open(), open()]
    await turn()
    const kept: Buffer[] = []
    const { socket } = slow.response
    if (socket === null) throw new Error('the response is over')
    socket._write = (bytes: Buffer) => void kept.push(bytes)
    for (const letter of 'abc') {
      slow.response.write(letter)
      quick.response.write(Buffer.from(letter.toUpperCase()))
      await turn()
      await turn()
    }
    expect(kept.join('')).toBe('1\r\na\r\n')
    expect(quick.pieces.slice(1)).toEqual(['A', 'B', 'C'].map((letter) => `1\r\n${letter}\r\n`))
  })

  it('are whole if there are too many to wait together', async () => {
    const worlds = Array.from({ length: 100 }, open)
    await turn()
    const text = 'é'.repeat(1000)
    for (const { response } of worlds) response.write(text)
    await turn()
    await turn()
    for (const { pieces } of worlds) expect(pieces.at(-1)).toBe(`7d0\r\n${text}\r\n`)
  })

  it('go out with the end', async () => {
    const { pieces, response } = open()
    await turn()
    response.write('a')
    response.end('b')
    await turn()
    expect(pieces.slice(1)).toEqual(['1\r\na\r\n1\r\nb\r\n0\r\n\r\n'])
  })

  it('say when the client must read first', async () => {
    const { response } = open()
    await turn()
    const { socket } = response
    if (socket === null) throw new Error('the response is over')
    socket._write = () => {}
    expect(response.write('a')).toBe(true)
    await turn()
    await turn()
    expect(response.write('b'.repeat(socket.writableHighWaterMark))).toBe(false)
  })
})

it('an answer that is aborted keeps what was written before', async () => {
  const text = await said((_request, response) => {
    response.write(Buffer.from('a'))
    setImmediate(() => {
      response.write(Buffer.from('b'))
      response.destroy()
    })
  })
  expect(text.endsWith('\r\n\r\n1\r\na\r\n1\r\nb\r\n')).toBe(true)
})

it('an answer of a known length keeps what it had when its bytes are overwritten', async () => {
  const text = await said((_request, response) => {
    response.writeHead(200, { 'content-length': 2 })
    const bytes = Buffer.from('a')
    for (const letter of 'ab') {
      response.writeCopy?.(bytes.fill(letter))
      bytes.fill('#')
    }
    response.end()
  })
  expect(text.endsWith('\r\n\r\nab')).toBe(true)
})

it('an answer shorter than its length is the last of its connection', async () => {
  world = await openFastPath((_request, response) => {
    response.writeHead(200, { 'content-length': 9 }).end('short')
  })
  const client = world.open()
  client.socket.write(get('/v1/a') + get('/v1/b'))
  await client.closed
  expect(client.received().split('HTTP/1.1')).toHaveLength(2)
})
