import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { expect, test } from 'vitest'
import {
  answerJson,
  answerStream,
  type Behaviour,
} from '../../../testing/fakes/scripted-upstream.ts'
import {
  channelTo,
  answerNative,
  askNative,
  CLAUDE,
  GEMINI,
  wholeStream,
} from '../../../testing/worlds/native-scenario.ts'
import {
  COST,
  MODEL,
  type Setup,
  setUp,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'

const claude = ({ url, key }: World) => new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 })
const google = ({ url, key }: World) =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } })

const claudeChannel = (...script: Behaviour[]) => channelTo(CLAUDE, ...script)
const geminiChannel = (...script: Behaviour[]) => channelTo(GEMINI, ...script)

const FOUND = {
  type: 'web_search_result',
  url: 'https://x.org',
  title: 'X',
  encrypted_content: 'e',
}
const SEARCHED = [
  { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } },
  { type: 'web_search_tool_result', tool_use_id: 's1', content: [FOUND] },
  {
    type: 'text',
    text: 'Hello',
    citations: [{ type: 'web_search_result_location', url: 'https://x.org', title: 'X' }],
  },
]
const CLAUDE_USAGE = {
  input_tokens: 10,
  output_tokens: 5,
  server_tool_use: { web_search_requests: 1 },
}
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-3',
  content: SEARCHED,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: CLAUDE_USAGE,
}
const ASKED = {
  model: MODEL,
  max_tokens: 50,
  messages: [{ role: 'user' as const, content: 'Search for x.' }],
  tools: [{ type: 'web_search_20250305' as const, name: 'web_search' as const }],
}

const event = (type: string, rest: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`

const searchStream = () => [
  event('message_start', { message: { ...MESSAGE, content: [], stop_reason: null } }),
  ...SEARCHED.flatMap((block, index) => [
    event('content_block_start', {
      index,
      content_block:
        block.type === 'server_tool_use' ? { ...block, input: {} } : { ...block, citations: [] },
    }),
    ...(block.type === 'server_tool_use'
      ? [
          event('content_block_delta', {
            index,
            delta: { type: 'input_json_delta', partial_json: '{"query":"x"}' },
          }),
        ]
      : []),
    ...(block.citations ?? []).map((citation) =>
      event('content_block_delta', { index, delta: { type: 'citations_delta', citation } }),
    ),
    event('content_block_stop', { index }),
  ]),
  event('message_delta', {
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: CLAUDE_USAGE,
  }),
  event('message_stop', {}),
]

const RICH: Setup = { quota: 1_000_000, options: [['UnpricedFeaturesEnabled', 'true']] }

test("Anthropic's client receives results of its provider's own tools, also streamed", async () => {
  const script = [answerJson(MESSAGE), answerStream(searchStream())]
  const world = await setUp([claudeChannel(...script)], RICH)
  const client = claude(world)
  const whole = await client.messages.create(ASKED)
  expect(whole).toMatchObject(MESSAGE)
  const streamed = await client.messages.stream(ASKED).finalMessage()
  expect(streamed.content).toMatchObject(SEARCHED)
  expect(streamed.usage).toMatchObject(CLAUDE_USAGE)
  const { logs } = await world.books()
  // The price of the model lists $0.025 a search.
  expect(logs.map(({ quota }) => quota)).toEqual([COST + 12_500, COST + 12_500])
  for (const { body } of world.upstream.requestsOf('p0')) {
    expect(JSON.parse(body.toString())).toMatchObject({ ...ASKED, model: CLAUDE.mapping })
  }
})

test("Anthropic's client can use beta features", async () => {
  const world = await setUp([claudeChannel(answerJson(MESSAGE))])
  const context_management = { edits: [{ type: 'clear_tool_uses_20250919' as const }] }
  await claude(world).beta.messages.create({
    ...ASKED,
    tools: [],
    context_management,
    betas: ['context-management-2025-06-27'],
  })
  const [request] = world.upstream.requestsOf('p0')
  expect(request?.headers).toMatchObject({
    // Newer than the version the gateway sends itself.
    'anthropic-version': '2026-10-21',
    'anthropic-beta': 'context-management-2025-06-27',
    'x-api-key': 'sk-upstream',
  })
  expect(JSON.stringify(request?.headers)).not.toContain(world.key.slice(3))
  expect(JSON.parse(request?.body.toString() ?? '')).toMatchObject({ context_management })
  await world.books()
})

test('a subscription token keeps the beta header it needs', async () => {
  const world = await setUp([{ ...claudeChannel(answerNative(CLAUDE)), key: 'sk-ant-oat01-x' }])
  await askNative(world, CLAUDE, { headers: { 'anthropic-beta': 'b-1' } })
  expect(world.upstream.requestsOf('p0')[0]?.headers).toMatchObject({
    authorization: 'Bearer sk-ant-oat01-x',
    'anthropic-beta': 'oauth-2025-04-20,b-1',
  })
})

test("Google's client receives results of its provider's own tools, also streamed", async () => {
  const groundingMetadata = { webSearchQueries: ['x'] }
  const parts = [
    { text: 'Hello' },
    { executableCode: { language: 'PYTHON', code: 'print(4)' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '4' } },
  ]
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }
  const candidate = { content: { role: 'model', parts }, finishReason: 'STOP', groundingMetadata }
  const answer = { candidates: [candidate], usageMetadata, modelVersion: 'gemini-1.5' }
  const data = `data: ${JSON.stringify(answer)}\r\n\r\n`
  const world = await setUp([geminiChannel(answerJson(answer), answerStream([data]))], {
    ...RICH,
  })
  const { models } = google(world)
  const asked = {
    model: MODEL,
    contents: 'x?',
    config: { maxOutputTokens: 50, tools: [{ googleSearch: {} }, { codeExecution: {} }] },
  }
  const whole = await models.generateContent(asked)
  expect(whole.candidates?.[0]).toMatchObject(candidate)
  expect(whole.codeExecutionResult).toBe('4')
  for await (const piece of await models.generateContentStream(asked)) {
    expect(piece.candidates).toEqual([candidate])
    expect(piece.usageMetadata).toEqual(usageMetadata)
  }
  const { logs } = await world.books()
  expect(logs.map(({ quota }) => quota)).toEqual([COST, COST])
  for (const { path, body } of world.upstream.requestsOf('p0')) {
    expect(path).toContain(`/models/${GEMINI.mapping}:`)
    expect(JSON.parse(body.toString())).toMatchObject({ tools: asked.config.tools })
  }
})

test("without server-sent events Google's stream is an array of its own answers", async () => {
  const world = await setUp([geminiChannel(answerNative(GEMINI))])
  const path = () => `/v1/models/${MODEL}:streamGenerateContent`
  const answer = await askNative(world, { ...GEMINI, path }, { stream: true })
  expect(answer.headers.get('content-type')).toBe('application/json')
  const items = wholeStream(GEMINI).map((text) => text.slice('data: '.length, -4))
  expect(await answer.text()).toBe(`[${items.join('\n,\n')}\n]`)
  await world.books()
})

test('counted usage is added to the answer of a provider that reports none', async () => {
  const uncounted = { ...MESSAGE, content: [{ type: 'text', text: 'Hello' }], usage: undefined }
  const world = await setUp([claudeChannel(answerJson(uncounted))])
  const { usage } = await claude(world).messages.create({ ...ASKED, tools: [] })
  const { log } = await world.books()
  expect(log).toMatchObject({
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
  })
  expect(usage.output_tokens).toBeGreaterThan(0)
})

test("a failure in the middle has the client's dialect, and none of its provider's text", async () => {
  const secret = 'account acct_12345678 at api.example.com'
  const failure = event('error', { error: { type: 'overloaded_error', message: secret } })
  const script = answerStream([...CLAUDE.firstEvents, ...CLAUDE.textEvents('Hello'), failure])
  const world = await setUp([claudeChannel(script)], { options: [['RetryTimes', '0']] })
  const text = await (await askNative(world, CLAUDE, { stream: true })).text()
  const [last = ''] = text.split('\n\n').slice(-2)
  expect(last).toMatch(/^event: error\ndata: \{"type":"error","error":\{"type":"overloaded_error"/)
  expect(text).not.toContain('example.com')
  expect((await world.books()).log).toMatchObject({ end_reason: 'broken_stream' })
})
