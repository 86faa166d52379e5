import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { mp3 } from '../../../../testing/fakes/mp3-file.ts'
import {
  answerError,
  answerJson,
  type Behaviour,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../../testing/harness/wait-until.ts'
import {
  readError,
  setUp,
  type Setup,
  type World,
} from '../../../../testing/worlds/relay-scenario.ts'

const path = '/v1/audio/speech'
const BY_CHARACTER = 'tts-1'
const BY_TOKEN = 'gpt-4o-mini-tts'
/** Nine Unicode characters, and more bytes. */
const INPUT = 'Héllo 你好🎉'
const AUDIO = mp3(6.012)

const clientOf = ({ url, key }: World) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })

/** Audio in chunks, followed by the regular end or a cut connection. */
const answerAudio =
  (
    pieces: readonly (Buffer | string)[],
    type = 'audio/mpeg',
    end: 'end' | 'cut' = 'end',
  ): Behaviour =>
  async (response) => {
    response.writeHead(200, { 'content-type': type })
    for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve))
    if (end === 'end') response.end()
    else response.socket?.destroy()
  }

const speak = (script: Behaviour[], setup: Setup = {}) =>
  setUp([{ script, models: `${BY_CHARACTER},${BY_TOKEN}` }], setup)

const spoken = (model: string, more: object = {}) => ({
  model,
  input: INPUT,
  voice: 'alloy',
  ...more,
})

const event = (json: object) => `data: ${JSON.stringify(json)}\n\n`
const EVENTS = [
  event({ type: 'speech.audio.delta', audio: AUDIO.subarray(0, 999).toString('base64') }),
  event({ type: 'speech.audio.delta', audio: AUDIO.subarray(999).toString('base64') }),
]
const LAST_EVENT = (usage?: object) =>
  event({ type: 'speech.audio.done', ...(usage ? { usage } : {}) })
const TOLD = { input_tokens: 14, output_tokens: 101, total_tokens: 115 }

describe('speech', () => {
  test("is charged per character: the official client receives the provider's audio", async () => {
    const world = await speak([answerAudio([AUDIO])])
    const answer = await clientOf(world).audio.speech.create({
      model: BY_CHARACTER,
      input: INPUT,
      voice: 'alloy',
    })
    expect(answer.headers.get('content-type')).toBe('audio/mpeg')
    expect(Buffer.from(await answer.arrayBuffer()).equals(AUDIO)).toBe(true)
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe(path)
    expect(sent?.headers.accept).toBe('*/*')
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual(spoken(BY_CHARACTER))
    // Nine characters at 7.5.
    expect((await world.books()).log).toMatchObject({
      quota: 68,
      prompt_tokens: 9,
      end_reason: 'finished',
    })
  })

  test("is charged per token if audio tokens have a price: text tokens and the audio's length", async () => {
    const world = await speak([answerAudio([AUDIO])])
    const asked = spoken(BY_TOKEN, { input: 'one two', instructions: 'three' })
    expect((await world.ask(asked, { path })).status).toBe(200)
    // Three words and the line end; 125.25 audio tokens at 20; all at 0.3.
    expect((await world.books()).log).toMatchObject({
      quota: 758,
      prompt_tokens: 4,
      completion_tokens: 126,
    })
  })

  test("as events is charged by the last event's tokens", async () => {
    const events = [...EVENTS, LAST_EVENT(TOLD)]
    const world = await speak([answerAudio(events, 'text/event-stream')])
    const answer = await world.ask(spoken(BY_TOKEN, { stream_format: 'sse' }), { path })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(await answer.text()).toBe(events.join(''))
    expect((await world.books()).log).toMatchObject({
      quota: 611,
      prompt_tokens: 14,
      completion_tokens: 101,
    })
  })

  test('that breaks off costs the delivered audio, and its client notices the break', async () => {
    const world = await speak([answerAudio([AUDIO], 'audio/mpeg', 'cut')])
    const answer = await world.ask(spoken(BY_TOKEN, { input: 'one two' }), { path })
    await expect(answer.arrayBuffer()).rejects.toThrow()
    expect((await world.books()).log).toMatchObject({
      quota: 757,
      completion_tokens: 126,
      end_reason: 'broken_stream',
    })
  })

  test('that is charged per character and breaks off costs nothing', async () => {
    const world = await speak([answerAudio([AUDIO], 'audio/mpeg', 'cut')])
    const answer = await world.ask(spoken(BY_CHARACTER), { path })
    await expect(answer.arrayBuffer()).rejects.toThrow()
    const { log, account } = await world.books()
    expect(log).toMatchObject({ quota: 0, end_reason: 'broken_stream' })
    expect(account.used_quota).toBe(0)
  })

  test('that breaks off while its client is slow to read is charged', async () => {
    const pieces = Array.from({ length: 400 }, () => Buffer.alloc(64 * 1024))
    const world = await speak([answerAudio(pieces, 'audio/wav', 'cut')], {
      limits: { clientStallTotalMs: 100 },
    })
    const answer = await world.ask(spoken(BY_CHARACTER), { path })
    await sleep(500)
    await expect(answer.arrayBuffer()).rejects.toThrow()
    expect((await world.books()).log).toMatchObject({ quota: 68, end_reason: 'broken_stream' })
  })

  test('without any audio before the client disconnects costs the estimated whole', async () => {
    const { promise: goOn, resolve } = Promise.withResolvers<void>()
    const late: Behaviour = async (response, request) => {
      await goOn
      await answerAudio([AUDIO])(response, request)
    }
    const world = await speak([late], {
      limits: { fullDrainMs: 100 },
      upstreamLimits: { firstByteMs: 20_000 },
    })
    const leaving = new AbortController()
    const asking = fetch(`${world.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(spoken(BY_CHARACTER)),
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
      signal: leaving.signal,
    })
    await waitUntil(async () => world.calls()[0] === 1)
    leaving.abort()
    await expect(asking).rejects.toThrow()
    expect((await world.books()).log).toMatchObject({ quota: 68, end_reason: 'client_left' })
    resolve()
  })

  test('that never ends after the client disconnects costs the estimated whole', async () => {
    const endless: Behaviour = (response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write(AUDIO)
    }
    const world = await speak([endless], {
      limits: { fullDrainMs: 100 },
      upstreamLimits: { idleMs: 20_000 },
    })
    const leaving = new AbortController()
    const answer = await fetch(`${world.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(spoken(BY_TOKEN, { input: 'one two three 你好' })),
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
      signal: leaving.signal,
    })
    leaving.abort()
    await expect(answer.arrayBuffer()).rejects.toThrow()
    // Fourteen letters and two ideographs: 1.43 seconds.
    expect((await world.books()).log).toMatchObject({
      completion_tokens: 30,
      end_reason: 'client_left',
    })
  })

  test('is held in full, or refused', async () => {
    const world = await speak([answerAudio([AUDIO])], { quota: 1000 })
    const refused = await world.ask(spoken(BY_TOKEN), { path })
    expect(refused.status).toBe(403)
    expect((await readError(refused)).code).toBe('insufficient_user_quota')
    expect((await world.ask(spoken(BY_CHARACTER), { path })).status).toBe(200)
    expect((await world.books()).log).toMatchObject({ quota: 68 })
  })
})

test('the first audio reaches the client before the last is produced', async () => {
  const { promise: heard, resolve } = Promise.withResolvers<void>()
  const world = await speak([
    async (response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).write(AUDIO.subarray(0, 500))
      await heard
      response.end(AUDIO.subarray(500))
    },
  ])
  const answer = await world.ask(spoken(BY_CHARACTER), { path })
  const pieces: Uint8Array[] = []
  for await (const piece of answer.body ?? []) {
    pieces.push(piece)
    resolve()
  }
  expect(Buffer.concat(pieces).equals(AUDIO)).toBe(true)
})

test('audio of unknown length counts the usual length for its text', async () => {
  const world = await speak([answerAudio(['a form of sound'], 'audio/x-unknown')])
  expect((await world.ask(spoken(BY_TOKEN, { input: 'one two three' }), { path })).status).toBe(200)
  expect((await world.books()).log).toMatchObject({ completion_tokens: 19 })
})

test('the length of PCM is computed from its samples', async () => {
  const world = await speak([answerAudio([Buffer.alloc(96_000, '{')], 'audio/pcm')])
  const asked = spoken(BY_TOKEN, { response_format: 'pcm' })
  expect((await world.ask(asked, { path })).status).toBe(200)
  expect((await world.books()).log).toMatchObject({ completion_tokens: 42 })
})

test('more audio than the text can produce is not charged', async () => {
  const world = await speak([answerAudio([mp3(60)])])
  const answer = await world.ask(spoken(BY_TOKEN, { input: 'hm', speed: 0.5 }), { path })
  await answer.arrayBuffer()
  // Eleven seconds, at half the speed.
  expect((await world.books()).log).toMatchObject({ completion_tokens: 459 })
})

test('events without a usage report are relayed', async () => {
  const events = [...EVENTS, LAST_EVENT()]
  const world = await speak([answerAudio(events, 'text/event-stream')])
  await (await world.ask(spoken(BY_TOKEN, { stream_format: 'sse' }), { path })).text()
  expect((await world.books()).log).toMatchObject({ completion_tokens: 126 })
})

test('reported tokens of a model charged per character are ignored', async () => {
  const world = await speak([answerAudio([...EVENTS, LAST_EVENT(TOLD)], 'text/event-stream')])
  await (await world.ask(spoken(BY_CHARACTER, { stream_format: 'sse' }), { path })).text()
  expect((await world.books()).log).toMatchObject({ quota: 68 })
})

test('events that end in an error, or without an end, end in an error', async () => {
  const failure = event({ type: 'error', error: { message: 'overloaded', type: 'server_error' } })
  for (const last of [failure, '']) {
    const world = await speak([answerAudio([...EVENTS, last], 'text/event-stream')])
    const text = await (await world.ask(spoken(BY_TOKEN), { path })).text()
    expect(text.startsWith(EVENTS.join(''))).toBe(true)
    expect(JSON.parse(text.slice(EVENTS.join('').length + 'data: '.length))).toHaveProperty('error')
    expect((await world.books()).log).toMatchObject({ end_reason: 'broken_stream' })
  }
})

test.each<[string, Behaviour]>([
  ['an error of status 200', answerJson({ error: { message: 'no', type: 'x' } })],
  ['an error that calls itself audio', answerAudio(['{"error":', '{"message":"no"}}'])],
  ['a page', answerAudio(['<html></html>'], 'text/html')],
  ['a page that calls itself audio', answerAudio([' \n<html></html>'])],
  ['nothing', answerAudio([])],
  ['nothing, broken off', answerAudio([], 'audio/mpeg', 'cut')],
  ['an error event', answerAudio([event({ error: { message: 'no' } })], 'text/event-stream')],
  ['a failure', answerError(500, {})],
])('%s is a failure, and is retried', async (_what, failing) => {
  const world = await speak([failing, answerAudio([AUDIO])], { options: [['RetryTimes', '1']] })
  const answer = await world.ask(spoken(BY_CHARACTER), { path })
  expect(answer.status).toBe(200)
  expect(Buffer.from(await answer.arrayBuffer()).equals(AUDIO)).toBe(true)
  expect(world.calls()).toEqual([2])
  expect((await world.books()).log).toMatchObject({ quota: 68 })
})

test.each([
  [{ input: undefined }, 'input', 'missing_required_parameter'],
  [{ input: '' }, 'input', 'invalid_value'],
  [{ input: ['a'] }, 'input', 'invalid_type'],
  [{ input: '🎉'.repeat(4097) }, 'input', 'text_too_long'],
  [{ instructions: 7 }, 'instructions', 'invalid_type'],
  [{ speed: 0.2 }, 'speed', 'invalid_value'],
  [{ speed: '1' }, 'speed', 'invalid_value'],
  [{ response_format: {} }, 'response_format', 'invalid_type'],
  [{ stream_format: 'xml' }, 'stream_format', 'invalid_value'],
  [{ stream: true }, 'stream', 'unsupported_parameter'],
  [{ Input: 'more' }, 'Input', null],
  [{ model: '' }, 'model', 'missing_required_parameter'],
])('refuses %j and names the invalid member', async (more, param, code) => {
  const world = await speak([answerAudio([AUDIO])])
  const answer = await world.ask(spoken(BY_TOKEN, more), { path })
  expect(answer.status).toBe(400)
  expect(await readError(answer)).toMatchObject({ param, code })
  expect(world.calls()).toEqual([0])
})

test('accepts as many characters as the error states', async () => {
  const world = await speak([answerAudio([AUDIO])])
  expect(
    (await world.ask(spoken(BY_CHARACTER, { input: '🎉'.repeat(4096) }), { path })).status,
  ).toBe(200)
})
