import { expect } from 'vitest'
import { z } from 'zod'
import { type AttemptRecord, attemptRecordSchema, chargeBasisSchema } from '@tollgate/contract'
import { recomputeCost } from '../../src/domain/price.ts'
import { QUOTA, STREAMED, type World } from '../worlds/relay-scenario.ts'
import { ANSWER } from './answers.ts'

const chunkSchema = z.looseObject({
  id: z.string().optional(),
  choices: z
    .array(z.looseObject({ delta: z.looseObject({ content: z.string().nullish() }) }))
    .optional(),
  error: z.looseObject({ message: z.string() }).optional(),
})

const wholeSchema = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })),
})

export type Outcome = {
  status: number
  text: string
  /** Number of distinct stream ids; 1 is correct. */
  ids: number
  /** Number of end marks. */
  ends: number
  error: string
  milliseconds: number
}

export async function askAndRead(world: World, body: object = STREAMED): Promise<Outcome> {
  const startedAt = performance.now()
  const response = await world.ask(body)
  const answer = await response.text()
  const milliseconds = performance.now() - startedAt
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  const read = isStream ? readStream(answer) : readWhole(response.status, answer)
  return { status: response.status, milliseconds, ...read }
}

function readStream(answer: string) {
  const datas = answer
    .split('\n\n')
    .filter((block) => block.startsWith('data: '))
    .map((block) => block.slice('data: '.length))
  const events = datas
    .filter((data) => data !== '[DONE]')
    .map((data) => chunkSchema.parse(JSON.parse(data)))
  return {
    text: events.map(({ choices }) => choices?.[0]?.delta.content ?? '').join(''),
    ids: new Set(events.flatMap(({ id }) => id ?? [])).size,
    ends: answer.endsWith('data: [DONE]\n\n')
      ? datas.filter((data) => data === '[DONE]').length
      : 0,
    error: events.at(-1)?.error?.message ?? '',
  }
}

function readWhole(status: number, answer: string) {
  if (status !== 200) return { text: '', ids: 0, ends: 0, error: answer }
  const { choices } = wholeSchema.parse(JSON.parse(answer))
  return { text: choices[0]?.message.content ?? '', ids: 1, ends: 1, error: '' }
}

/** Expects the complete answer once, within the time limit and with the correct charge. */
export async function expectWhole(world: World, outcome: Outcome, withinMs: number) {
  expect(outcome).toMatchObject({ status: 200, text: ANSWER, ids: 1, ends: 1, error: '' })
  expect(outcome.milliseconds).toBeLessThan(withinMs)
  const { log, account } = await world.books()
  expect(log).toMatchObject({ outcome: 'settled', end_reason: 'finished' })
  const basis = chargeBasisSchema.parse(JSON.parse(log?.basis ?? ''))
  expect(basis.prompt_tokens).toBeLessThan(20)
  expect(basis.completion_tokens).toBeGreaterThanOrEqual(10)
  expect(basis.completion_tokens).toBeLessThan(20)
  expect(recomputeCost(basis)).toBe(log?.quota)
  expect(account.used_quota).toBe(QUOTA - account.quota)
  const attempts = z.array(attemptRecordSchema).parse(JSON.parse(log?.attempts ?? ''))
  return { log, basis, attempts: attempts.map((attempt) => inWords(world, attempt)) }
}

/** Channel, role and result of an attempt, such as `second hedged: served`. */
function inWords({ channels }: World, { channel, hedged, rescued, reason }: AttemptRecord): string {
  const words = [channel === channels[0] ? 'first' : 'second']
  if (hedged === true) words.push('hedged')
  if (rescued === true) words.push('rescued')
  const [kind] = reason.split(':')
  return `${words.join(' ')}: ${kind === '' ? 'served' : kind}`
}
