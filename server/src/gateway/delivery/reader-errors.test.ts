import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { pino } from 'pino'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ChatStream, openaiDialect, type StreamEncoder, StreamObserver } from '@tollgate/relay'
import {
  answerJson,
  answerStream,
  type Behaviour,
  chunk,
} from '../../../testing/fakes/scripted-upstream.ts'
import { drainsOf } from '../../../testing/worlds/drains.ts'
import { ASKED, COST, setUp, STREAMED } from '../../../testing/worlds/relay-scenario.ts'
import { otherStream, readStream, two } from '../../../testing/worlds/stream-failover-scenario.ts'
import { OpenStream } from '../attempts/open-stream.ts'
import { type StreamOutput, StreamReader } from '../attempts/stream-reader.ts'
import { Client } from '../intake/client.ts'
import { pumpStream } from './stream-relay.ts'

/*
 * A provider may send something on which the encoder for a client fails. Here the fault is planted:
 * the encoder for OpenAI's dialect throws on one word.
 */

const FAULT = new RangeError('planted')
const STONE = 'stone'
const [hello, stone] = [chunk({ content: 'Hello' }), chunk({ content: STONE })]

const stumbling = (): StreamEncoder => {
  const passThrough = (blocks: readonly Buffer[]) => {
    if (Buffer.concat(blocks).includes(STONE)) throw FAULT
    return blocks
  }
  const passDelta = (block: Buffer) => passThrough([block])[0] ?? block
  const native = { passThrough, passDelta, end: () => Buffer.alloc(0) }
  return Object.assign(openaiDialect.createEncoder(), { native })
}

afterEach(() => void vi.restoreAllMocks())

const bytes = (text: string) => Buffer.from(text)

/** A stream that has delivered `first`, and the calls of its exchange. */
function openStream(first: string[] = [hello]) {
  const told: string[] = []
  const exchange = {
    pause: () => told.push('pause'),
    resume: () => told.push('resume'),
    abort: () => told.push('abort'),
    release: () => told.push('release'),
  }
  const observer = new StreamObserver()
  const chat = new ChatStream(observer)
  const reader = new StreamReader(observer, { type: 'bytes', stream: chat })
  const output = first.map((event) => reader.push(bytes(event)))
  const channelSecrets = { key: '', baseUrl: '', proxy: null }
  const stream = new OpenStream(
    { observer, reader, native: null, exchange, status: 200, channelSecrets, startedAt: 0 },
    output,
  )
  return { stream, told, chat }
}

/** A client that accepts what it is sent, unless it `isFull`. */
function newClient() {
  const written: string[] = []
  const client = { isFull: false, written }
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    writableEnded: false,
    headersSent: true,
    destroy: () => {},
    write: (piece: Buffer) => {
      written.push(piece.toString())
      return !client.isFull
    },
  })
  const dialect = { ...openaiDialect, createEncoder: stumbling }
  // Safe because nothing else is used while a stream is relayed.
  const receiver = new Client(response as unknown as ServerResponse, drainsOf(), dialect)
  return Object.assign(client, { response, receiver })
}

const PATIENCE = {
  clientStallMs: 10_000,
  clientStallTotalMs: 10_000,
  tailMs: 1000,
  stallMs: Infinity,
}

const pump = (stream: OpenStream, { receiver } = newClient(), more: object = {}) =>
  pumpStream({ stream, continuation: null }, receiver, { ...PATIENCE, ...more })
const UNLIMITED = { remainingBytes: () => Infinity, growsInMs: () => Infinity }
const BROKEN = { type: 'broken', isUnrecoverable: true, problem: { cause: FAULT } }

describe('an error of the reader ends its stream without failover', () => {
  type Parts = ReturnType<typeof newClient> & Pick<ReturnType<typeof openStream>, 'stream'>
  const pushAndEnd = (stream: OpenStream, failure: 'closed_early' | null) => {
    stream.push(bytes(stone.trimEnd()))
    stream.end(failure)
  }
  test.each<[string, (parts: Parts) => void]>([
    ['as it comes', ({ stream }) => stream.push(bytes(stone))],
    [
      'in bytes that are lent',
      ({ stream }) => {
        stream.push(bytes(hello))
        expect(stream.offer(bytes(stone))).toBe(true)
      },
    ],
    [
      'after the client took nothing',
      (parts) => {
        parts.isFull = true
        parts.stream.push(bytes(hello))
        parts.stream.push(bytes(stone))
        parts.isFull = false
        parts.response.emit('drain')
      },
    ],
    ['at its end', ({ stream }) => pushAndEnd(stream, null)],
    ['as it breaks off', ({ stream }) => pushAndEnd(stream, 'closed_early')],
    ['with all of it said', ({ stream }) => stream.push(bytes(stone + chunk({ finish: 'stop' })))],
  ])('%s', async (_name, come) => {
    const { stream, told } = openStream()
    const client = newClient()
    const { ending } = pump(stream, client)
    come({ ...client, stream, response: client.response })
    stream.push(bytes(hello))
    stream.end(null)
    const detail = 'The upstream sent something that is not an answer.'
    expect(await ending).toMatchObject({ ...BROKEN, problem: { cause: FAULT, detail } })
    expect(told).toContain('abort')
    expect(client.written.join('')).not.toContain(STONE)
  })

  test('in buffered blocks for the first reader', async () => {
    const { stream, told } = openStream([stone])
    const { ending } = pump(stream)
    expect(await ending).toMatchObject(BROKEN)
    expect(told).toContain('abort')
  })

  test('after the output was found to be paid for', async () => {
    const { stream, told } = openStream()
    const budget = { ...UNLIMITED, covers: () => Promise.resolve(true) }
    const { ending } = pump(stream, newClient(), { budget })
    stream.push(bytes(stone))
    expect(await ending).toMatchObject(BROKEN)
    expect(told).toContain('abort')
  })

  test('while there is no reader', async () => {
    const { stream, told, chat } = openStream()
    stream.detach()
    const sign = stream.awaitDelta()
    vi.spyOn(chat, 'isDelta').mockImplementation(() => {
      throw FAULT
    })
    stream.push(bytes(hello))
    expect(await sign).toEqual({ failure: 'malformed' })
    expect(told).toEqual(['abort'])
    const { ending } = pump(stream)
    expect(await ending).toMatchObject({ type: 'broken', problem: { cause: FAULT } })
  })
})

/** Offers bytes that are overwritten after the call. */
function offer(stream: OpenStream, text: string): boolean {
  const lent = bytes(text)
  const isTaken = stream.offer(lent)
  lent.fill('#')
  return isTaken
}

describe('bytes that are lent', () => {
  const bye = chunk({ content: 'Bye' })

  test('are taken if the client gets them at once', () => {
    const { stream } = openStream()
    expect(offer(stream, hello)).toBe(false)
    const client = newClient()
    pump(stream, client)
    expect(offer(stream, bye)).toBe(true)
    expect(client.written.join('')).toBe(hello + bye)
    expect(offer(stream, chunk({ content: 'Bye', finish: 'stop' }))).toBe(false)
    client.isFull = true
    expect(offer(stream, bye)).toBe(true)
    expect(offer(stream, bye)).toBe(false)
    expect(client.written.join('')).toBe(hello + bye + bye)
  })

  test('are copied until the output is known to be paid for', async () => {
    const { stream } = openStream()
    const paid = Promise.withResolvers<boolean>()
    const isPaid = (size: number) => size <= 'Hello'.length + 1
    const budget = {
      ...UNLIMITED,
      covers: (size: number) => (isPaid(size) ? true : paid.promise),
    }
    const client = newClient()
    pump(stream, client, { budget })
    expect(offer(stream, bye)).toBe(true)
    expect(client.written.join('')).toBe(hello)
    paid.resolve(true)
    await paid.promise
    await Promise.resolve()
    expect(client.written.join('')).toBe(hello + bye)
  })
})

test('a stream that was paused at its end flushes its last bytes once', async () => {
  const { stream, chat } = openStream()
  const end = vi.spyOn(chat, 'end')
  const client = newClient()
  const { ending } = pump(stream, client)
  stream.push(bytes(chunk({ content: 'Bye', finish: 'stop' }).trimEnd()))
  client.isFull = true
  stream.end(null)
  client.isFull = false
  client.response.emit('drain')
  expect(await ending).toEqual({ type: 'finished' })
  expect(end).toHaveBeenCalledOnce()
  expect(client.written.join('').match(/Bye/g)).toHaveLength(1)
})

describe('while there is no reader', () => {
  const reader = () => {
    const got: Buffer[] = []
    const onOutput = (output: StreamOutput) =>
      got.push(...(Buffer.isBuffer(output) ? [output] : output.blocks))
    const size = () => Buffer.concat(got).length
    const bytesAccepted = (many: number) => many
    return { size, bytesAccepted, onOutput, onEnd: () => {}, onConsumerError: () => {} }
  }

  test('comments are not kept', () => {
    const { stream, told } = openStream()
    stream.read(reader())
    stream.detach()
    for (let at = 0; at < 20; at += 1) stream.push(Buffer.alloc(65_536, ': keep-alive\n\n'))
    expect(told).toEqual([])
    const next = reader()
    stream.read(next)
    expect(next.size()).toBe(0)
  })

  test('events are buffered up to a limit, where the upstream is paused', () => {
    const { stream, told } = openStream()
    stream.read(reader())
    stream.detach()
    const word = chunk({ content: 'x'.repeat(100_000) })
    for (let at = 0; at < 10; at += 1) stream.push(bytes(word))
    expect(told).toEqual([])
    for (let at = 0; at < 10; at += 1) stream.push(bytes(word))
    expect(told).toEqual(['pause'])
    const next = reader()
    stream.read(next)
    expect(told).toEqual(['pause', 'resume'])
    expect(next.size()).toBe(20 * word.length)
  })

  test('the end of a stream paused that way is reported', async () => {
    const { stream } = openStream()
    stream.read(reader())
    stream.detach()
    stream.pause()
    const sign = stream.awaitDelta()
    stream.end('total_timeout')
    expect(await sign).toEqual({ failure: 'total_timeout' })
  })
})

/** Collects what is logged as an error. */
function newLog() {
  const errors: unknown[] = []
  const log = pino({ level: 'silent' })
  log.error = (line: unknown) => void errors.push(line)
  return { log, errors }
}

test('a stream with a reader error ends in an error, is charged, and is logged once', async () => {
  const { log, errors } = newLog()
  const isHeard = Promise.withResolvers<void>()
  const first: Behaviour = async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(hello)
    await isHeard.promise
    response.write(stone)
  }
  const world = await setUp(two(first, otherStream), { log })
  vi.spyOn(openaiDialect, 'createEncoder').mockImplementationOnce(stumbling)
  const { body } = await world.ask(STREAMED)
  let text = ''
  for await (const piece of body ?? []) {
    text += Buffer.from(piece).toString()
    isHeard.resolve()
  }
  expect(readStream(text)).toMatchObject({
    text: 'Hello',
    doneCount: 0,
    error: { message: expect.stringContaining('The upstream provider failed.') },
  })
  const { logs, account } = await world.books()
  expect(logs).toMatchObject([{ outcome: 'settled', end_reason: 'broken_stream' }])
  expect(account.used_quota).toBeGreaterThan(0)
  expect(errors).toMatchObject([{ error: { cause: FAULT } }])
})

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'gpt-4o-mini',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, output_tokens: 5 },
}

test('an answer with a reader error is not charged', async () => {
  const { log, errors } = newLog()
  const script = [answerJson(MESSAGE)]
  const world = await setUp([{ type: 14, script }], { log })
  vi.spyOn(openaiDialect, 'answer').mockImplementationOnce(() => {
    throw FAULT
  })
  expect((await world.ask(ASKED)).status).toBe(500)
  await world.expectLog({ outcome: 'void', quota: 0 })
  expect(errors).toHaveLength(1)
  expect((await world.ask(ASKED)).status).toBe(200)
  await world.expectLog({ outcome: 'settled', quota: COST })
})

test('the last bytes of a stream with a reader error cut it off', async () => {
  const { log, errors } = newLog()
  const whole = [hello, chunk({ finish: 'stop' })]
  const world = await setUp(answerStream(whole), { log })
  const end = () => {
    throw FAULT
  }
  vi.spyOn(openaiDialect, 'createEncoder').mockImplementationOnce(() =>
    Object.assign(stumbling(), { end }),
  )
  const response = await world.ask(STREAMED)
  await expect(response.text()).rejects.toThrow('terminated')
  await world.expectLog({ outcome: 'settled', end_reason: 'finished' })
  expect(errors).toHaveLength(1)
})
