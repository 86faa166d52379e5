import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  answerJson,
  answerStream,
  type Behaviour,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { lenient, setUp } from '../../../testing/worlds/relay-scenario.ts'

const MESSAGES = '/v1/messages'
const RESPONSES = '/v1/responses'
const CLAUDE = 14
const RESPONSES_TYPE = 1002

type Case = {
  readonly title: string
  readonly model: string
  readonly type: number
  readonly path: string
  readonly body: object
  /** A list is a stream. */
  readonly answer: object | readonly object[]
  /** Dollars per million tokens of input and output, and dollars of tools. */
  readonly price: readonly [input: number, output: number, tools?: number]
  /** The same at the provider, where it differs from the price. */
  readonly cost?: readonly [input: number, output: number, tools?: number]
  readonly factors?: readonly object[]
  readonly tools?: readonly object[]
}

const file = new URL('__fixtures__/price-factors.json', import.meta.url)
const cases: Case[] = JSON.parse(readFileSync(file, 'utf8'))

function behaviourOf({ answer }: Case): Behaviour {
  if (!Array.isArray(answer)) return answerJson(answer)
  const events = answer.map((event: object) => {
    const name = 'type' in event ? `event: ${String(event.type)}\n` : ''
    return `${name}data: ${JSON.stringify(event)}\n\n`
  })
  return answerStream(events)
}

const message = (members: object) =>
  answerJson({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1000, output_tokens: 100, ...members },
  })

const webSearch = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }]
const question = [{ role: 'user', content: 'word '.repeat(1000) }]

function bodyFor({ path, model, body }: Case): object {
  if (path === '/v1/chat/completions') return { model, messages: question, ...body }
  if (path === MESSAGES) return { model, max_tokens: 200, messages: question, ...body }
  if (path === RESPONSES) return { model, input: 'word '.repeat(1000), ...body }
  return { contents: [{ role: 'user', parts: [{ text: 'word '.repeat(1000) }] }], ...body }
}

const QUOTA = 400_000_000

test.each(DATABASES.flatMap((kind) => cases.map((given) => ({ kind, ...given }))))(
  'on $kind $title',
  async ({ kind, ...given }) => {
    const { model, type, path, price, cost = price, factors, tools } = given
    const world = await setUp([{ type, models: model, script: [behaviourOf(given)] }], {
      kind,
      quota: QUOTA,
      ...lenient('the answers of several vendors'),
    })
    const asked = await world.ask(bodyFor(given), { path })
    expect(asked.status, await asked.clone().text()).toBe(200)
    await asked.text()
    const charge = Math.ceil(dollarsOf(price) * 500_000 - 1e-6)
    const { log } = await world.books()
    const basis: unknown = JSON.parse(log?.basis ?? '{}')
    expect(basis).toMatchObject({
      cost: charge,
      ...(factors && { factors }),
      ...(tools && { tools }),
    })
    if (factors === undefined) expect(basis).not.toHaveProperty('factors')
    if (tools === undefined) expect(basis).not.toHaveProperty('tools')
    expect(log).toMatchObject({ quota: charge })
    expect((log?.provider_cost ?? 0) / 1e9).toBeCloseTo(dollarsOf(cost), 8)
  },
)

/** For 1000 tokens of input and 100 of output. */
const dollarsOf = ([input, output, tools = 0]: Case['price']) =>
  (1000 * input + 100 * output) / 1e6 + tools

test("a channel's own prices are multiplied by the tier, and tools cost the list price", async () => {
  const model = 'claude-opus-5-5'
  const models = { [model]: { input: 2, output: 10, call: 0 } }
  const answer = message({ speed: 'fast', server_tool_use: { web_search_requests: 2 } })
  const world = await setUp(
    [
      {
        type: CLAUDE,
        models: model,
        config: JSON.stringify({ cost: { models } }),
        script: [answer],
      },
    ],
    { quota: QUOTA, ...lenient('a tool that the answer uses') },
  )
  const body = { model, max_tokens: 200, messages: question, speed: 'fast', tools: webSearch }
  expect((await world.ask(body, { path: MESSAGES })).status).toBe(200)
  await world.expectLog({ provider_cost: (1000 * 4 + 100 * 20) * 1000 + 20_000_000 })
})

test('the hold covers the dearest tier that was asked for, and a bounded number of calls', async () => {
  const world = await setUp(
    [{ type: CLAUDE, models: 'claude-opus-5-5', script: [message({}), message({})] }],
    { quota: QUOTA, ...lenient('the plain answer is the same') },
  )
  const asked = { model: 'claude-opus-5-5', max_tokens: 1000, messages: question }
  await world.ask(asked, { path: MESSAGES })
  await world.ask({ ...asked, speed: 'fast', tools: webSearch }, { path: MESSAGES })
  const { logs } = await world.books()
  const [plain = 0, dear = 0] = logs.map(({ basis }) => {
    const { held }: { held: number } = JSON.parse(basis ?? '{}')
    return held
  })
  expect(dear).toBeGreaterThan(2 * plain + 3 * 0.01 * 500_000 - 1)
})

const ANSWER = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
    },
  ],
  usage: { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 },
}

test('tools of the Responses API are left out if the balance is small', async () => {
  const world = await setUp(
    [{ type: RESPONSES_TYPE, models: 'gpt-6-sol', script: [answerJson(ANSWER)] }],
    { quota: 500_000 },
  )
  const tools = [{ type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto' } }]
  const body = { model: 'gpt-6-sol', input: 'Hello', tools }
  expect((await world.ask(body, { path: RESPONSES })).status).toBe(200)
  expect(world.sent()).not.toHaveProperty('tools')
})
