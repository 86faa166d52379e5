import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { attemptRecordSchema, CHANNEL_STATUS } from '@tollgate/contract'
import { catalogue, descriptorOf } from '@tollgate/relay'
import { OPENAI_ROWS } from '../../../testing/every-type/openai-rows.ts'
import { OWN_ROWS } from '../../../testing/every-type/own-rows.ts'
import { SIGNED_ROWS } from '../../../testing/every-type/signed-rows.ts'
import { openStand, type Stand } from '../../../testing/every-type/stand.ts'
import { QUESTION, type TypeRow } from '../../../testing/every-type/type-row.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { openWorld, readError, type World } from '../../../testing/worlds/relay-scenario.ts'
import { fetchBalance } from '../../upstream/balance.ts'
import { UPSTREAM_LIMITS } from '../../upstream/limits.ts'
import { probeChannel } from '../../upstream/probe.ts'
import { createUpstream, type Upstream } from '../../upstream/send.ts'

/*
 * Runs every channel type through the whole gateway, against a stub that behaves like its provider
 * and rejects requests without a valid signature.
 */

const ROWS = [...OPENAI_ROWS, ...OWN_ROWS, ...SIGNED_ROWS]

const named = ROWS.map((row) => ({ name: descriptorOf(row.type)?.name.en ?? '', row }))

test('every type of the catalogue has a row, and every provider with a balance reads it', () => {
  const types = catalogue.map(({ type }) => type)
  expect(ROWS.map(({ type }) => type).toSorted(byNumber)).toEqual(types.toSorted(byNumber))
  const telling = catalogue.filter(({ balanceUnit }) => balanceUnit !== null)
  expect(ROWS.flatMap(({ type, balance }) => (balance ? [type] : [])).toSorted(byNumber)).toEqual(
    telling.map(({ type }) => type).toSorted(byNumber),
  )
})

const byNumber = (a: number, b: number) => a - b

let upstream: Upstream
beforeAll(() => {
  upstream = createUpstream({ ...UPSTREAM_LIMITS, firstByteMs: 800 })
})
afterAll(() => upstream.close())

describe.each(named)('$name', ({ row }) => {
  let world: World
  let end: () => Promise<void>

  const stand = openOnce(() => openStand(row))
  beforeAll(async () => {
    const { type, key, other = '', model } = row
    const channel = { script: [], base_url: stand.baseUrl, type, key, other, mapping: model }
    const opened = await openWorld([channel], { options: [['RetryTimes', '1']] })
    world = opened.world
    end = opened.end
  })

  afterAll(async () => {
    await end()
  })

  test('passes the channel test', async () => {
    const { type, key, other = '', model } = row
    const channel = { type, key, other, config: '', base_url: stand.baseUrl, model_mapping: '' }
    const site = { siteUrl: '', siteName: '', now: Date.now }
    const result = await probeChannel({ upstream, channel, model, ...site })
    expect(result).toMatchObject({ outcome: 'passed', message: '' })
    expectCall(stand, row, { stream: false, isWhole: false })
  })

  test('answers, and its usage is charged', async () => {
    const response = await world.ask(QUESTION)
    const answer = wholeAnswer.parse(await response.json())
    expect(response.status).toBe(200)
    expect(answer.choices[0]?.message.content).toBe(row.expected.texts[0])
    expect(answer.usage).toMatchObject(row.expected.usage ?? {})
    expectCall(stand, row, { stream: false })
    await expectCharged(world, row, answer.usage)
  })

  test('streams, and its usage is reported and charged', async () => {
    const stream_options = { include_usage: true }
    const response = await world.ask({ ...QUESTION, stream: true, stream_options })
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(text).toMatch(/data: \[DONE\]\n\n$/)
    const chunks = chunksOf(text)
    const said = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? ''))
    expect(said.join('')).toBe(row.expected.texts[1])
    const usages = chunks.flatMap(({ usage }) => (usage ? [usage] : []))
    expect(usages).toHaveLength(1)
    const [usage] = usages
    expect(usage).toMatchObject(row.expected.usage ?? {})
    expectCall(stand, row, { stream: true })
    await expectCharged(world, row, usage)
  })

  test('reads its balance, if it has one', async () => {
    const { type, key, balance } = row
    const channel = { type, key, config: '', base_url: stand.baseUrl }
    const told = await fetchBalance({ upstream, channel, now: Date.now() })
    const expected = balance ? { type: 'known', balance: balance.says } : { type: 'unsupported' }
    expect(told).toEqual(expected)
  })

  test('does not reveal the provider when it refuses its key', async () => {
    stand.refuse()
    const response = await world.ask(QUESTION)
    expect(response.status).toBe(502)
    const error = await readError(response)
    expect(error).toMatchObject({ type: 'server_error', code: 'upstream_error', param: null })
    expect(error.message).toMatch(
      /^The upstream provider refused its credentials\. \(request id: \d+\)$/,
    )
    const { log } = await world.books()
    expect(log).toMatchObject({ outcome: 'void', quota: 0 })
    const attempt = attempts.parse(JSON.parse(log?.attempts ?? '')).at(-1)
    expect(attempt?.reason).toMatch(/^auth: ./)
    const { status, status_reason } = await world.statusOf(world.channels[0])
    expect(status).toBe(CHANNEL_STATUS.autoDisabled)
    expect(attempt?.reason).toBe(`auth: ${status_reason}`)
    for (const part of row.key.split('|')) expect(log?.attempts).not.toContain(part)
  })
})

const attempts = z.array(attemptRecordSchema)
const usageSchema = z.object({ prompt_tokens: z.int(), completion_tokens: z.int() })
type Tokens = z.output<typeof usageSchema>

const wholeAnswer = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })),
  usage: usageSchema,
})
const chunkSchema = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }) })),
  usage: usageSchema.nullish(),
})

const chunksOf = (text: string) =>
  text
    .split('\n\n')
    .filter((block) => block.startsWith('data: {'))
    .map((block) => chunkSchema.parse(JSON.parse(block.slice('data: '.length))))

/** The last call matches the provider's documentation. The channel probe sends another request. */
function expectCall(
  { received }: Stand,
  row: TypeRow,
  { stream, isWhole = true }: { stream: boolean; isWhole?: boolean },
) {
  const { path, headers, body } = row.call({ stream })
  const call = received.at(-1)
  expect(row.transport === 'websocket' ? call?.path.split('?')[0] : call?.path).toBe(path)
  expect(call?.headers).toMatchObject(headers)
  if (isWhole) expect(JSON.parse(call?.body.toString() ?? '')).toEqual(body)
}

async function expectCharged(world: World, row: TypeRow, usage: Tokens | undefined) {
  const { log } = await world.books()
  const basis = JSON.parse(log?.basis ?? '')
  expect(log).toMatchObject({
    outcome: 'settled',
    end_reason: 'finished',
    upstream_model: row.expected.model,
    prompt_tokens: usage?.prompt_tokens,
    completion_tokens: usage?.completion_tokens,
  })
  expect(basis.usage_source).toBe(row.expected.usage === null ? 'counted' : 'reported')
  expect(log?.quota).toBe(basis.cost)
  expect(log?.quota).toBeGreaterThan(0)
}
