import { expect } from 'vitest'
import { z } from 'zod'
import { attemptRecordSchema } from '@tollgate/contract'
import { PAUSE_MS_MIN } from '../../src/domain/retry-policy.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { answerStream, type Behaviour, chunk, DONE } from '../fakes/scripted-upstream.ts'
import { type Provider, type Setup, STREAMED, type World } from './relay-scenario.ts'

const eventSchema = z.looseObject({
  id: z.string().optional(),
  choices: z
    .array(z.looseObject({ delta: z.looseObject({ content: z.string().nullish() }) }))
    .optional(),
  usage: z.unknown().optional(),
  error: z.unknown().optional(),
})

export function readStream(body: string) {
  const datas = body
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
  const events = datas
    .filter((data) => data !== '[DONE]')
    .map((data) => eventSchema.parse(JSON.parse(data)))
  return {
    text: events.map(({ choices }) => choices?.[0]?.delta.content ?? '').join(''),
    ids: new Set(events.flatMap(({ id }) => (id === undefined ? [] : [id]))),
    doneCount: datas.filter((data) => data === '[DONE]').length,
    isWhole: body.endsWith(DONE),
    usage: events.findLast(({ usage }) => usage !== undefined && usage !== null)?.usage,
    error: events.at(-1)?.error,
  }
}

export const HEDGE_MS = 300
/** The time of `hasty` worlds. */
export const clock = FakeClock.withSockets()
/** Hedges after HEDGE_MS; all other time limits are generous. */
export const hasty: Setup = {
  clock,
  random: () => 0,
  options: [['HedgeAfterSeconds', String(HEDGE_MS / 1000)]],
  upstreamLimits: { firstByteMs: 20_000, idleMs: 20_000 },
}

export const textEvents = (...words: string[]) => words.map((content) => chunk({ content }))
export const asOther = (events: string[]) =>
  events.map((event) => event.replaceAll('chatcmpl-1', 'chatcmpl-2').replace('-2024', '-other'))

export const partialStream = textEvents('Hello', ' there')
/** The whole answer. In failover tests the first channel sends only its start. */
const fullStream = [
  chunk({ content: '' }),
  ...textEvents('Hel', 'lo the', 're, how', ' are you?'),
  chunk({ finish: 'stop' }),
  chunk({ usage: { prompt_tokens: 10, completion_tokens: 7, total_tokens: 17 } }),
  DONE,
]
const WHOLE_TEXT = 'Hello there, how are you?'
export const otherStream = answerStream(asOther(fullStream))

export const two = (
  first: Behaviour,
  second: Behaviour,
  parts: Partial<Provider> = {},
): Provider[] => [
  { script: [first], priority: 1 },
  { script: [second], ...parts },
]

export const attemptsOf = async (world: World) =>
  z.array(attemptRecordSchema).parse(JSON.parse((await world.books()).log?.attempts ?? ''))

/** Says the beginning, and the rest once the pause is over. */
export const pausingUntil =
  (isOver: Promise<void>): Behaviour =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(partialStream.join(''))
    await isOver
    response.end([...textEvents(', how are', ' you?'), ...fullStream.slice(5)].join(''))
  }

/** Says nothing while this time passes, and nothing afterwards. */
export const silentFor =
  (ms: number): Behaviour =>
  () =>
    clock.advance(ms)

/** Lets the pause before a channel is asked once more pass, with `random: () => 0`. */
export async function pausePasses() {
  await clock.passOnceWaited(PAUSE_MS_MIN)
}

/** Reads a body, and calls `then` once what has come `suffices`. */
export async function readUntil(
  response: Response,
  suffices: (body: string) => boolean,
  then: () => Promise<void>,
) {
  const decoder = new TextDecoder()
  let body = ''
  let isFound = false
  for await (const bytes of response.body ?? []) {
    body += decoder.decode(Buffer.from(bytes), { stream: true })
    if (isFound || !suffices(body)) continue
    isFound = true
    await then()
  }
  return body
}

export const expectWhole = async (world: World, body: object = STREAMED) =>
  checkWhole(await (await world.ask(body)).text())

/** Calls `then` once the client has what `partialStream` says. */
export const expectWholeAfter = async (world: World, then: () => Promise<void>) =>
  checkWhole(await readUntil(await world.ask(STREAMED), (body) => body.includes(' there'), then))

function checkWhole(body: string) {
  const stream = readStream(body)
  expect(stream.text).toBe(WHOLE_TEXT)
  expect(stream).toMatchObject({ doneCount: 1, isWhole: true, ids: new Set(['chatcmpl-1']) })
  return stream
}
