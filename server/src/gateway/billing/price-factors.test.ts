import { expect, test } from 'vitest'
import {
  answerJson,
  answerStream,
  type Behaviour,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { ask, books, lenient, setUp } from '../../../testing/worlds/relay-scenario.ts'

const CHAT = '/v1/chat/completions'
const MESSAGES = '/v1/messages'
const RESPONSES = '/v1/responses'

const OPENAI = 1
const CLAUDE = 14
const GEMINI = 24
const LIKE_OPENAI = 8
const RESPONSES_TYPE = 1002

const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }
const choices = [
  { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
]
const chat = (members: object) => answerJson({ choices, usage, ...members })

const sse = (...events: object[]): Behaviour =>
  answerStream(
    events.map((event) => {
      const name = 'type' in event ? `event: ${String(event.type)}\n` : ''
      return `${name}data: ${JSON.stringify(event)}\n\n`
    }),
  )

const chatStream = (service_tier: string) =>
  sse(
    { choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }], service_tier },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], service_tier },
    { choices: [], usage, service_tier },
  )

const claudeUsage = { input_tokens: 1000, output_tokens: 100 }
const message = (members: object) =>
  answerJson({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { ...claudeUsage, ...members },
  })

const messageStream = (start: object, end: object) =>
  sse(
    { type: 'message_start', message: { usage: { ...claudeUsage, output_tokens: 1, ...start } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 100, ...end },
    },
    { type: 'message_stop' },
  )

const search = { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'x' } }
const opening = { type: 'web_search_call', id: 'ws_2', action: { type: 'open_page', url: 'x' } }
const code = (id: string) => ({ type: 'code_interpreter_call', id, container_id: 'cntr_1' })
const said = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
}
const responseUsage = { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 }
const response = (members: object) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [search, opening, { ...search, id: 'ws_3' }, code('ci_1'), code('ci_2'), said],
  usage: responseUsage,
  ...members,
})
const responseStream = sse(
  { type: 'response.created', response: response({ output: [], status: 'in_progress' }) },
  { type: 'response.output_item.added', output_index: 0, item: search },
  { type: 'response.output_item.done', output_index: 0, item: search },
  { type: 'response.output_item.added', output_index: 1, item: { ...said, content: [] } },
  { type: 'response.output_text.delta', output_index: 1, item_id: 'msg_1', delta: 'Hello' },
  { type: 'response.output_item.done', output_index: 1, item: said },
  { type: 'response.completed', response: response({ output: [], service_tier: 'flex' }) },
)

const grounding = {
  webSearchQueries: ['one', 'two'],
  groundingChunks: [{ web: { uri: 'https://a.example' } }, { maps: { uri: 'https://b.example' } }],
}
const contents = (members: object, grounded = true) => ({
  candidates: [
    {
      index: 0,
      content: { role: 'model', parts: [{ text: 'Hello' }] },
      finishReason: 'STOP',
      ...(grounded ? { groundingMetadata: grounding } : {}),
    },
  ],
  usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 100, ...members },
})

type Case = {
  readonly title: string
  readonly model: string
  readonly type: number
  readonly path: string
  readonly body: object
  readonly answer: Behaviour
  /** Dollars per million tokens of input and output, and dollars of tools. */
  readonly price: readonly [input: number, output: number, tools?: number]
  /** The same at the provider, where it differs from the price. */
  readonly cost?: readonly [input: number, output: number, tools?: number]
  readonly factors?: readonly object[]
  readonly tools?: readonly object[]
}

const tier = (name: string, factor: number) => [
  { kind: 'tier', name, input: factor, output: factor },
]
const tool = (name: string, calls: number, dollars: number) => ({
  tool: name,
  calls,
  units: dollars * 500_000,
})

const openai = { model: 'gpt-6-sol', type: OPENAI, path: CHAT } as const
const claude = { model: 'claude-opus-5-5', type: CLAUDE, path: MESSAGES } as const
const gemini = (model: string) => ({
  model,
  type: GEMINI,
  path: `/v1beta/models/${model}:generateContent`,
})
const webSearch = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }]
const hosted = [{ type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto' } }]

const CASES: readonly Case[] = [
  {
    ...openai,
    title: 'flex costs half if the provider reports it',
    body: { service_tier: 'flex' },
    answer: chat({ service_tier: 'flex' }),
    price: [1, 5],
    factors: tier('flex', 0.5),
  },
  {
    ...openai,
    title: 'flex that was served as the standard tier costs the standard price',
    body: { service_tier: 'flex' },
    answer: chat({ service_tier: 'default' }),
    price: [2, 10],
  },
  {
    ...openai,
    title: 'flex costs half in a stream',
    body: { service_tier: 'flex', stream: true },
    answer: chatStream('flex'),
    price: [1, 5],
    factors: tier('flex', 0.5),
  },
  {
    ...openai,
    title: 'fast costs what the provider calls priority',
    body: { service_tier: 'fast' },
    answer: chat({ service_tier: 'priority' }),
    price: [4, 20],
    factors: tier('priority', 2),
  },
  {
    ...openai,
    title: 'priority that was downgraded costs the standard price',
    body: { service_tier: 'priority' },
    answer: chat({ service_tier: 'default' }),
    price: [2, 10],
  },
  {
    ...openai,
    title: 'a dearer tier that nobody asked for is not charged, but costs its price',
    body: {},
    answer: chat({ service_tier: 'priority' }),
    price: [2, 10],
    cost: [4, 20],
  },
  {
    ...claude,
    title: "Anthropic's fast mode costs twice, in another region 1.1 times that",
    body: { speed: 'fast', inference_geo: 'us' },
    answer: message({ speed: 'fast', inference_geo: 'us', service_tier: 'standard' }),
    price: [8.8, 44],
    factors: [...tier('fast', 2), { kind: 'region', name: 'us', input: 1.1, output: 1.1 }],
  },
  {
    ...claude,
    title: "Anthropic's fast mode is read from streams",
    body: { speed: 'fast', stream: true },
    answer: messageStream({ speed: 'fast' }, { speed: 'fast' }),
    price: [8, 40],
    factors: tier('fast', 2),
  },
  {
    ...claude,
    title: "Anthropic's searches are charged by the call",
    body: { tools: webSearch },
    answer: message({ server_tool_use: { web_search_requests: 2 } }),
    price: [4, 20, 0.02],
    tools: [tool('web_search', 2, 0.01)],
  },
  {
    ...claude,
    title: "Anthropic's searches are charged in a stream",
    body: { tools: webSearch, stream: true },
    answer: messageStream({}, { server_tool_use: { web_search_requests: 3 } }),
    price: [4, 20, 0.03],
    tools: [tool('web_search', 3, 0.01)],
  },
  {
    model: 'gpt-6-sol',
    type: RESPONSES_TYPE,
    path: RESPONSES,
    title: 'searches and containers of the Responses API are charged, opened pages are not',
    body: { tools: hosted },
    answer: answerJson(response({ service_tier: 'priority' })),
    price: [2, 10, 0.05],
    cost: [4, 20, 0.05],
    tools: [tool('web_search', 2, 0.01), tool('code_interpreter', 1, 0.03)],
  },
  {
    model: 'gpt-6-sol',
    type: RESPONSES_TYPE,
    path: RESPONSES,
    title: 'a stream of the Responses API is charged for its searches and its tier',
    body: { tools: hosted, stream: true, service_tier: 'flex' },
    answer: responseStream,
    price: [1, 5, 0.01],
    factors: tier('flex', 0.5),
    tools: [tool('web_search', 1, 0.01)],
  },
  {
    ...gemini('gemini-3.8-flash'),
    title: 'Gemini 3 costs each search, and maps by the answer',
    body: { tools: [{ google_search: {} }, { googleMaps: {} }] },
    answer: answerJson(contents({})),
    price: [0.75, 3.75, 0.042],
    tools: [tool('google_search', 2, 0.014), tool('google_maps', 1, 0.014)],
  },
  {
    ...gemini('gemini-2.5-flash-lite'),
    title: 'Gemini 2.5 costs a grounded prompt, however many searches it takes',
    body: { tools: [{ google_search: {} }] },
    answer: answerJson(contents({})),
    price: [0.1, 0.4, 0.035],
    // The answer also reports maps, which the request did not ask for.
    cost: [0.1, 0.4, 0.06],
    tools: [tool('google_search_prompt', 1, 0.035)],
  },
  {
    ...gemini('gemini-3.8-flash'),
    title: 'Gemini reports its tier in the usage',
    body: { serviceTier: 'PRIORITY' },
    answer: answerJson(contents({ serviceTier: 'priority' }, false)),
    price: [1.35, 6.75],
    factors: tier('priority', 1.8),
  },
  {
    model: 'sonar-pro',
    type: LIKE_OPENAI,
    path: CHAT,
    title: 'a model that always searches costs a search for each answer',
    body: { web_search_options: { search_context_size: 'high' } },
    answer: chat({}),
    price: [3, 15, 0.014],
    tools: [tool('search_answer_high', 1, 0.014)],
  },
]

const question = [{ role: 'user', content: 'word '.repeat(1000) }]

function bodyFor({ path, model, body }: Case): object {
  if (path === CHAT) return { model, messages: question, ...body }
  if (path === MESSAGES) return { model, max_tokens: 200, messages: question, ...body }
  if (path === RESPONSES) return { model, input: 'word '.repeat(1000), ...body }
  return { contents: [{ role: 'user', parts: [{ text: 'word '.repeat(1000) }] }], ...body }
}

const QUOTA = 400_000_000

test.each(DATABASES.flatMap((kind) => CASES.map((given) => ({ kind, ...given }))))(
  'on $kind $title',
  async ({ kind, ...given }) => {
    const { model, type, path, answer, price, cost = price, factors, tools } = given
    const world = await setUp([{ type, models: model, script: [answer] }], {
      kind,
      quota: QUOTA,
      ...lenient('the answers of several vendors'),
    })
    const asked = await ask(world, bodyFor(given), { path })
    expect(asked.status, await asked.clone().text()).toBe(200)
    await asked.text()
    const charge = Math.ceil(dollarsOf(price) * 500_000 - 1e-6)
    const { log, account } = await books(world)
    const basis: unknown = JSON.parse(log?.basis ?? '{}')
    expect(basis).toMatchObject({
      cost: charge,
      ...(factors && { factors }),
      ...(tools && { tools }),
    })
    if (factors === undefined) expect(basis).not.toHaveProperty('factors')
    if (tools === undefined) expect(basis).not.toHaveProperty('tools')
    expect(log).toMatchObject({ quota: charge })
    expect(account).toMatchObject({ quota: QUOTA - charge })
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
  expect((await ask(world, body, { path: MESSAGES })).status).toBe(200)
  const { log } = await books(world)
  expect(log?.provider_cost).toBe((1000 * 4 + 100 * 20) * 1000 + 20_000_000)
})

test('the hold covers the dearest tier that was asked for, and a bounded number of calls', async () => {
  const world = await setUp(
    [{ type: CLAUDE, models: 'claude-opus-5-5', script: [message({}), message({})] }],
    { quota: QUOTA, ...lenient('the plain answer is the same') },
  )
  const asked = { model: 'claude-opus-5-5', max_tokens: 1000, messages: question }
  await ask(world, asked, { path: MESSAGES })
  await ask(world, { ...asked, speed: 'fast', tools: webSearch }, { path: MESSAGES })
  const { logs } = await books(world)
  const [plain = 0, dear = 0] = logs.map(({ basis }) => {
    const { held }: { held: number } = JSON.parse(basis ?? '{}')
    return held
  })
  expect(dear).toBeGreaterThan(2 * plain + 3 * 0.01 * 500_000 - 1)
})

test('tools of the Responses API are left out if the balance is small', async () => {
  const world = await setUp(
    [
      {
        type: RESPONSES_TYPE,
        models: 'gpt-6-sol',
        script: [answerJson(response({ output: [said] }))],
      },
    ],
    { quota: 500_000 },
  )
  const body = { model: 'gpt-6-sol', input: 'Hello', tools: hosted }
  expect((await ask(world, body, { path: RESPONSES })).status).toBe(200)
  const [sent] = world.upstream.requestsOf('p0')
  expect(sent?.body).not.toHaveProperty('tools')
})
