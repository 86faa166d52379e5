import { expect, test } from 'vitest'
import { answerChat, answerStream, WHOLE_STREAM } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import {
  answerNative,
  askNative,
  channelTo,
  NATIVES,
} from '../../../testing/worlds/native-scenario.ts'
import {
  ASKED,
  MODEL,
  setUp,
  type Setup,
  STREAMED,
} from '../../../testing/worlds/relay-scenario.ts'

const UNITS_PER_DOLLAR = 3_000_000

/** A dollar is no whole number of charges, and a charge no round part of a dollar. */
const options: NonNullable<Setup['options']> = [
  ['CostReportEnabled', 'true'],
  ['QuotaPerUnit', String(UNITS_PER_DOLLAR)],
  ['ModelRatio', JSON.stringify({ [MODEL]: 0.7 })],
]

const COST = /,?"cost":([\d.e-]+)/

/** The only cost in the answer. */
function costIn(text: string): number {
  const found = [...text.matchAll(new RegExp(COST, 'g'))]
  expect(found).toHaveLength(1)
  return Number(found[0]?.[1])
}

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
const gemini = `/v1beta/models/${MODEL}`

type Client = { path?: string; body: object; streams: boolean }

const withUsage = { ...STREAMED, stream_options: { include_usage: true } }
const events = `${gemini}:streamGenerateContent?alt=sse`
const CLIENTS: [name: string, Client][] = [
  ['OpenAI', { body: ASKED, streams: false }],
  ['OpenAI streaming', { body: withUsage, streams: true }],
  ...[false, true].map((stream): [string, Client] => [
    `Anthropic${stream ? ' streaming' : ''}`,
    {
      path: '/v1/messages',
      body: { model: MODEL, max_tokens: 50, stream, messages: [{ role: 'user', content: 'hi' }] },
      streams: stream,
    },
  ]),
  ...[false, true].map((stream): [string, Client] => [
    `Responses${stream ? ' streaming' : ''}`,
    { path: '/v1/responses', body: { model: MODEL, input: 'hi', stream }, streams: stream },
  ]),
  ['Gemini', { path: `${gemini}:generateContent`, body: { contents }, streams: false }],
  ['Gemini events', { path: events, body: { contents }, streams: true }],
  ['Gemini array', { path: `${gemini}:streamGenerateContent`, body: { contents }, streams: true }],
]

test.each(DATABASES)('callers learn what they pay, on %s in every API, exactly', async (kind) => {
  const script = CLIENTS.map(([, { streams }]) =>
    streams ? answerStream(WHOLE_STREAM) : answerChat(),
  )
  const world = await setUp(script, { kind, options })
  for (const [name, { path, body, streams }] of CLIENTS) {
    const response = await world.ask(body, path === undefined ? {} : { path })
    const text = await response.text()
    expect([name, response.status], text).toEqual([name, 200])
    const { log } = await world.books()
    expect(log?.quota, name).toBeGreaterThan(0)
    expect(Math.round(costIn(text) * UNITS_PER_DOLLAR), name).toBe(log?.quota)
    const header = response.headers.get('x-tollgate-cost')
    if (streams) expect(header, name).toBeNull()
    else expect(Math.round(Number(header) * UNITS_PER_DOLLAR), name).toBe(log?.quota)
  }
})

test.each(NATIVES)('in the own API of $name the cost is all that changes', async (native) => {
  const script = Array.from({ length: 4 }, () => answerNative(native))
  const world = await setUp([channelTo(native, ...script)], { options })
  const read = async (stream: boolean) => (await askNative(world, native, { stream })).text()
  const told = [await read(false), await read(true)]
  await world.setOption('CostReportEnabled', 'false')
  const plain = [await read(false), await read(true)]
  for (const [index, text] of told.entries()) {
    const { logs } = await world.books()
    expect(Math.round(costIn(text) * UNITS_PER_DOLLAR)).toBe(logs[index]?.quota)
    expect(text.replace(COST, '')).toBe(plain[index])
  }
})

test('a client that did not ask for the usage of a stream gets none', async () => {
  const world = await setUp(answerStream(WHOLE_STREAM), { options })
  expect(await (await world.ask(STREAMED)).text()).not.toMatch(COST)
})

test('without the option, nothing of an answer changes', async () => {
  const world = await setUp(answerChat())
  const response = await world.ask(ASKED)
  expect(response.headers.get('x-tollgate-cost')).toBeNull()
  expect(await response.text()).not.toMatch(COST)
})
