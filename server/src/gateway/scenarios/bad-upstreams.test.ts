import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  answerChat,
  answerJson,
  answerStream,
  type Behaviour,
  chatAnswer,
  chunk,
  DONE,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { askBad, shareBadWorld } from '../../../testing/worlds/bad-scenario.ts'
import { ASKED, COST, readError, STREAMED } from '../../../testing/worlds/relay-scenario.ts'
import { readStream } from '../../../testing/worlds/stream-failover-scenario.ts'

const world = shareBadWorld()

const JSON_TYPE = { 'content-type': 'application/json' }
const SSE_TYPE = { 'content-type': 'text/event-stream' }
const HTML_TYPE = { 'content-type': 'text/html' }
const MEGABYTE = 'x'.repeat(1_000_000)
const LARGE = chunk({ content: MEGABYTE.repeat(5) })
const LISTS = `{"x":${'['.repeat(1_500_001)}`
/** Never ends; as fast as the gateway reads. */
const endless =
  (piece: string, headers: Record<string, string>, { status = 200, first = '' } = {}): Behaviour =>
  async (response) => {
    response.writeHead(status, headers).write(first)
    while (!response.destroyed) {
      const isTaken = response.write(piece)
      await new Promise((resolve) => {
        if (isTaken) setImmediate(resolve)
        else response.once('drain', resolve).once('close', resolve)
      })
    }
  }

/** Comments without an end, behind something. */
const endlessBehind = (first: string) => endless(': on\n\n', SSE_TYPE, { first })

const raw =
  (head: string, body = ''): Behaviour =>
  (response) =>
    void response.socket?.end(`${head.replaceAll('\n', '\r\n')}\r\n\r\n${body}`)

const packed =
  (status: number, type: Record<string, string>, body: string | Buffer): Behaviour =>
  (response) =>
    void response.writeHead(status, { ...type, 'content-encoding': 'gzip' }).end(gzipSync(body))

describe('no answer: 502 or 504 with its reason in the log row, free of charge', () => {
  const short = JSON.stringify(chatAnswer())
  const json = `HTTP/1.1 200 OK\ncontent-type: application/json`
  const MUCH = 'too much data'
  const PACKED = 'compressed its answer'
  const NO_HTTP = 'not an answer'
  const CUT = 'before it was complete'
  const twoLengths = `${json}\ncontent-length: 2\ncontent-length: 4`
  const LATE = 'not begin to answer in time'
  const manyHeaders = Array.from({ length: 50_000 }, (_, at) => `\nx-${at}: a`).join('')
  const switching = 'HTTP/1.1 101 Switching\nupgrade: x\nconnection: upgrade'
  const bomb = Buffer.alloc(20_000_000)
  const rows: [string, Behaviour, object, string][] = [
    ['a header of 1 MB', raw(`${json}\nx-long: ${MEGABYTE}`, '{}'), ASKED, MUCH],
    ['50 000 headers', raw(json + manyHeaders), ASKED, MUCH],
    ['no HTTP', raw('hello'), ASKED, NO_HTTP],
    ['a chunk of no size', raw(`${json}\ntransfer-encoding: chunked`, 'zz\r\n'), ASKED, NO_HTTP],
    ['two lengths', raw(twoLengths, '{}'), ASKED, NO_HTTP],
    ['a length too many', raw(`${json}\ncontent-length: 9999`, short), ASKED, CUT],
    ['another protocol', raw(switching), ASKED, 'something that is not an answer'],
    ['a packed answer', packed(200, JSON_TYPE, short), ASKED, PACKED],
    ['a packed stream', packed(200, SSE_TYPE, WHOLE_STREAM.join('')), STREAMED, PACKED],
    ['a bomb', packed(200, JSON_TYPE, bomb), ASKED, PACKED],
    ['a bomb for a stream', packed(200, SSE_TYPE, bomb), STREAMED, PACKED],
    ['a packed failure', packed(500, JSON_TYPE, '{"error":{}}'), ASKED, 'with status 500'],
    ['a body without an end', endless(MEGABYTE, JSON_TYPE), ASKED, MUCH],
    ['a failure without an end', endless(MEGABYTE, JSON_TYPE, { status: 500 }), ASKED, MUCH],
    ['a refusal without an end', endless(MEGABYTE, JSON_TYPE, { status: 400 }), ASKED, MUCH],
    ['comments without an end', endless(': on\n\n', SSE_TYPE), STREAMED, LATE],
    ['a line without an end', endless(MEGABYTE, SSE_TYPE), STREAMED, MUCH],
    ['a page without an end', endless('<p>\n\n', HTML_TYPE), STREAMED, LATE],
    ['an event of 5 MB', answerStream([LARGE, DONE]), STREAMED, MUCH],
    ['lists in lists', answerJson(LISTS), ASKED, MUCH],
    ['lists in lists in a stream', answerStream([`data: ${LISTS}\n\n`]), STREAMED, MUCH],
    ['a number that is none', answerJson(short.replace('15', 'NaN')), ASKED, 'upstream_fault'],
    ['a stream for a whole answer', answerStream(WHOLE_STREAM), ASKED, 'with status 200'],
    ['a whole answer for a stream', answerChat(), STREAMED, 'with status 200'],
  ]
  test.each(rows)('%s', async (name, bad, body, reason) => {
    const brokenOff = world.upstream.brokenOffCount()
    const { response, text, log } = await askBad(world, bad, body)
    expect(response.status).toBe(reason.includes('in time') ? 504 : 502)
    await readError(new Response(text, response))
    expect(log).toMatchObject({ outcome: 'void', end_reason: 'upstream_error', quota: 0 })
    expect(log.attempts).toContain(reason)
    if (name.endsWith('without an end')) {
      await waitUntil(async () => world.upstream.brokenOffCount() > brokenOff)
    }
  })
})

/** Sends a stream in one-byte writes. */
const byteByByte =
  (text: string): Behaviour =>
  async (response) => {
    response.writeHead(200, SSE_TYPE)
    for (const byte of Buffer.from(text)) {
      await new Promise((resolve) => response.write(Buffer.of(byte), resolve))
    }
    response.end()
  }

const nested = (open: string, close: string, depth = 12_000) =>
  open.repeat(depth) + close.repeat(depth)
const withContent = (event: string, content: string) => event.replace('"WORD"', content)
const DEEP_THOUGHTS = `[${nested('{"thinking":[', ']}')}]`
const DEEP_CALL = `null,"tool_calls":[{"function":{"name":"f","arguments":${nested('{"a":', '}').replace(':}', ':1}')}}}]`

describe('an unusual but complete answer is relayed and charged', () => {
  const patient = shareBadWorld('sqlite', 30_000)

  const hello = chunk({ content: 'Hello' })
  const rest = WHOLE_STREAM.slice(2)
  const whole = WHOLE_STREAM.join('')
  const people = [chunk({ content: '你好 👩‍👩‍👧' }), ...rest].join('')
  const twoTypes = 'HTTP/1.1 200 OK\ncontent-type: application/json\ncontent-type: text/html'
  const word = chunk({ content: 'WORD' })
  const wholeWord = JSON.stringify(chatAnswer('WORD'))
  const streamWith = (deep: string) => answerStream([hello, withContent(word, deep), ...rest])
  const choice = (index: number) =>
    `data: ${JSON.stringify({ choices: [{ index, delta: { content: '' }, finish_reason: 'stop' }] })}\n\n`
  const choices = Array.from({ length: 20_000 }, (_, index) => choice(index + 1)).join('')
  const rows: [string, Behaviour, object, string][] = [
    ['a stream cut inside of its characters', byteByByte(people), STREAMED, '你好 👩‍👩‍👧 there'],
    ['thoughts in thoughts', answerJson(withContent(wholeWord, DEEP_THOUGHTS)), ASKED, ''],
    ['the same in a stream', streamWith(DEEP_THOUGHTS), STREAMED, ''],
    ['a call in a call', answerJson(withContent(wholeWord, DEEP_CALL)), ASKED, ''],
    ['such a call in a stream', streamWith(DEEP_CALL), STREAMED, ''],
    ['a name of 1 MB', answerJson({ ...chatAnswer(), model: MEGABYTE }), ASKED, 'Hello there'],
    ['20 000 choices', answerStream([hello, choices, ...rest]), STREAMED, 'Hello there'],
    ['more behind its end', endlessBehind(whole), STREAMED, 'Hello there'],
    ['two content types', raw(twoTypes, JSON.stringify(chatAnswer())), ASKED, 'Hello there'],
  ]
  test.each(rows)('%s', async (_name, odd, body, said) => {
    const { response, text, log } = await askBad(patient, odd, body)
    expect(response.status).toBe(200)
    if (body === STREAMED) {
      expect(text.endsWith(DONE)).toBe(true)
      if (said !== '') expect(readStream(text).text).toBe(said)
    } else expect(text).toContain(said)
    expect(log).toMatchObject({ outcome: 'settled', end_reason: 'finished', quota: COST })
    expect(log.upstream_model.length).toBeLessThanOrEqual(200)
  })

  test('an image of 1.5 MB in one event is relayed, and its bytes are not counted', async () => {
    const url = `data:image/png;base64,${MEGABYTE}${MEGABYTE.slice(0, 500_000)}`
    const images = JSON.stringify([{ type: 'image_url', image_url: { url } }])
    const drawn = withContent(word, `null,"images":${images}`)
    const events = [hello, drawn, chunk({ finish: 'stop' }), DONE]
    const { text, log } = await askBad(patient, answerStream(events), STREAMED)
    expect(text).toContain(url)
    expect(text.endsWith(DONE)).toBe(true)
    expect(log).toMatchObject({ outcome: 'settled', end_reason: 'finished', completion_tokens: 1 })
  })

  test.each([
    ['thoughts', DEEP_THOUGHTS],
    ['calls', DEEP_CALL],
  ])('nested %s are counted if no usage is reported', async (_name, deep) => {
    const events = [hello, withContent(word, deep), chunk({ finish: 'stop' }), DONE]
    const { text, log } = await askBad(patient, answerStream(events), STREAMED)
    expect(text.endsWith(DONE)).toBe(true)
    expect(log).toMatchObject({ outcome: 'settled', end_reason: 'finished' })
    expect(JSON.parse(log.basis).usage_source).toBe('counted')
    expect(log.completion_tokens).toBeGreaterThan(0)
  })

  test('output after the last finish reason is counted, and the upstream is closed', async () => {
    const brokenOff = patient.upstream.brokenOffCount()
    const first = WHOLE_STREAM.slice(0, 4).join('')
    const { text, log } = await askBad(patient, endlessBehind(first), STREAMED)
    expect(readStream(text).isWhole).toBe(true)
    expect(log).toMatchObject({ end_reason: 'finished', quota: 2 })
    await waitUntil(async () => patient.upstream.brokenOffCount() > brokenOff)
  })
})

describe('a stream that fails after its start ends with an error, and its output is charged', () => {
  const hello = chunk({ content: 'Hello' })
  const error = `data: ${JSON.stringify({ error: { message: MEGABYTE.slice(0, 900_000) } })}\n\n`
  test.each<[string, Behaviour, string]>([
    ['an event of 5 MB', answerStream([hello, LARGE, DONE]), 'broken_stream'],
    ['a line without an end', endless(MEGABYTE, SSE_TYPE, { first: hello }), 'broken_stream'],
    ['comments without an end', endlessBehind(hello), 'deadline'],
    ['an error of 1 MB', answerStream([hello, error]), 'broken_stream'],
  ])('%s', async (_name, bad, end_reason) => {
    const { text, log } = await askBad(world, bad, STREAMED)
    const stream = readStream(text)
    expect(stream).toMatchObject({ text: 'Hello', doneCount: 0 })
    expect(JSON.stringify(stream.error).length).toBeLessThan(500)
    // 8 input tokens and 1 output token: (8 + 4 × 1) × 0.075, rounded up.
    expect(log).toMatchObject({ outcome: 'settled', end_reason, completion_tokens: 1, quota: 1 })
    expect(log.attempts.length).toBeLessThan(2000)
  })
})
