import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { mp3 } from '../../../../testing/fakes/mp3-file.ts'
import {
  answerError,
  answerJson,
  type Behaviour,
  gated,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../../testing/harness/wait-until.ts'
import {
  expectRefusal,
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
const answerEvents = (usage?: object) =>
  answerAudio([...EVENTS, LAST_EVENT(usage)], 'text/event-stream')
const AS_PCM = { response_format: 'pcm' }
const PCM = Buffer.alloc(96_000, '{')
const WORDS = { input: 'one two three' }
const SLOW = { input: 'hm', speed: 0.5 }
const TEXTS = spoken(BY_TOKEN, { input: 'one two', instructions: 'three' })
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
    await world.expectLog({ quota: 68, prompt_tokens: 9, end_reason: 'finished' })
  })

  const byToken = (more: object = {}) => spoken(BY_TOKEN, more)
  test.each<[string, Behaviour, object, object]>([
    // 125.25 audio tokens at 20, and the usual three words and line end; all at 0.3.
    ['by its length', answerAudio([AUDIO]), byToken({ input: 'one two' }), { quota: 757 }],
    ['with its instructions', answerAudio([AUDIO]), TEXTS, { quota: 758, prompt_tokens: 4 }],
    ['by PCM samples', answerAudio([PCM], 'audio/pcm'), byToken(AS_PCM), { completion_tokens: 42 }],
    // Nineteen tokens are usual for three words.
    ['by its text', answerAudio(['?'], 'audio/x'), byToken(WORDS), { completion_tokens: 19 }],
    // Eleven seconds, at half the speed.
    ['within its text', answerAudio([mp3(60)]), byToken(SLOW), { completion_tokens: 459 }],
    ['by events without a report', answerEvents(), byToken(), { completion_tokens: 126 }],
    ['per character, as priced', answerEvents(TOLD), spoken(BY_CHARACTER), { quota: 68 }],
  ])('is charged %s', async (_how, behaviour, asked, charged) => {
    const world = await speak([behaviour])
    const answer = await world.ask(asked, { path })
    await answer.arrayBuffer()
    expect(answer.status).toBe(200)
    await world.expectLog(charged)
  })

  test("as events is charged by the last event's tokens", async () => {
    const events = [...EVENTS, LAST_EVENT(TOLD)]
    const world = await speak([answerAudio(events, 'text/event-stream')])
    const answer = await world.ask(spoken(BY_TOKEN, { stream_format: 'sse' }), { path })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(await answer.text()).toBe(events.join(''))
    await world.expectLog({ quota: 611, prompt_tokens: 14, completion_tokens: 101 })
  })

  test('that breaks off costs the delivered audio, and its client notices the break', async () => {
    const world = await speak([answerAudio([AUDIO], 'audio/mpeg', 'cut')])
    const answer = await world.ask(spoken(BY_TOKEN, { input: 'one two' }), { path })
    await expect(answer.arrayBuffer()).rejects.toThrow()
    await world.expectLog({ quota: 757, completion_tokens: 126, end_reason: 'broken_stream' })
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
    await world.expectLog({ quota: 68, end_reason: 'broken_stream' })
  })

  test('without any audio before the client disconnects costs the estimated whole', async () => {
    const { script, letGo } = gated(answerAudio([AUDIO]))
    const upstreamLimits = { firstByteMs: 20_000 }
    const world = await speak([script], { limits: { fullDrainMs: 100 }, upstreamLimits })
    const client = world.askAndLeave(spoken(BY_CHARACTER), path)
    await waitUntil(async () => world.calls()[0] === 1)
    await client.leave()
    await world.expectLog({ quota: 68, end_reason: 'client_left' })
    letGo()
  })

  test('that never ends after the client disconnects costs the estimated whole', async () => {
    const endless: Behaviour = (response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).write(AUDIO)
    }
    const upstreamLimits = { idleMs: 20_000 }
    const world = await speak([endless], { limits: { fullDrainMs: 100 }, upstreamLimits })
    const client = world.askAndLeave(spoken(BY_TOKEN, { input: 'one two three 你好' }), path)
    await client.firstByte()
    await client.leave()
    // Fourteen letters and two ideographs: 1.43 seconds.
    await world.expectLog({ completion_tokens: 30, end_reason: 'client_left' })
  })

  test('is held in full, or refused', async () => {
    const world = await speak([answerAudio([AUDIO])], { quota: 1000 })
    await expectRefusal(world.ask(spoken(BY_TOKEN), { path }), 403, 'insufficient_user_quota')
    expect((await world.ask(spoken(BY_CHARACTER), { path })).status).toBe(200)
    await world.expectLog({ quota: 68 })
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

test('events that end in an error, or without an end, end in an error', async () => {
  const failure = event({ type: 'error', error: { message: 'overloaded', type: 'server_error' } })
  for (const last of [failure, '']) {
    const world = await speak([answerAudio([...EVENTS, last], 'text/event-stream')])
    const text = await (await world.ask(spoken(BY_TOKEN), { path })).text()
    expect(text.startsWith(EVENTS.join(''))).toBe(true)
    expect(JSON.parse(text.slice(EVENTS.join('').length + 'data: '.length))).toHaveProperty('error')
    await world.expectLog({ end_reason: 'broken_stream' })
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
  await world.expectLog({ quota: 68 })
})

test('accepts as many characters as the error states', async () => {
  const world = await speak([answerAudio([AUDIO])])
  expect(
    (await world.ask(spoken(BY_CHARACTER, { input: '🎉'.repeat(4096) }), { path })).status,
  ).toBe(200)
})
