import Anthropic from '@anthropic-ai/sdk'
import { expect, test } from 'vitest'
import {
  answerJson,
  answerStream,
  type Behaviour,
} from '../../../testing/fakes/scripted-upstream.ts'
import {
  answerNative,
  askNative,
  channelTo,
  CLAUDE,
  GEMINI,
  wholeStream,
} from '../../../testing/worlds/native-scenario.ts'
import { COST, MODEL, setUp, type World } from '../../../testing/worlds/relay-scenario.ts'

const claude = ({ url, key }: World) => new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 })
const claudeChannel = (...script: Behaviour[]) => channelTo(CLAUDE, ...script)
const geminiChannel = (...script: Behaviour[]) => channelTo(GEMINI, ...script)

const USED = { input_tokens: 10, output_tokens: 5 }
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-3',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
}
const ASKED = {
  model: MODEL,
  max_tokens: 50,
  messages: [{ role: 'user' as const, content: 'hi' }],
}

const event = (type: string, rest: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`

test("a client has its own names of tools, also where its provider's maker refuses them", async () => {
  const use = { type: 'tool_use', id: 'toolu_1', name: 'mcp_read', input: { path: 'a' } }
  const message = { ...MESSAGE, content: [use], stop_reason: 'tool_use', usage: USED }
  const stream = [
    event('message_start', { message: { ...message, content: [], stop_reason: null } }),
    event('content_block_start', { index: 0, content_block: { ...use, input: {} } }),
    event('content_block_delta', {
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"path":"a"}' },
    }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'tool_use' }, usage: USED }),
    event('message_stop', {}),
  ]
  const world = await setUp([claudeChannel(answerJson(message), answerStream(stream))])
  const tools = [{ name: 'mcp.read', input_schema: { type: 'object' as const } }]
  const asked = { ...ASKED, tools, tool_choice: { type: 'tool' as const, name: 'mcp.read' } }
  const client = claude(world)
  const whole = await client.messages.create(asked)
  const streamed = await client.messages.stream(asked).finalMessage()
  for (const { content, stop_reason: reason } of [whole, streamed]) {
    expect(content).toMatchObject([{ ...use, name: 'mcp.read' }])
    expect(reason).toBe('tool_use')
  }
  for (const { body } of world.upstream.requestsOf('p0')) {
    expect(JSON.parse(body.toString())).toMatchObject({
      tools: [{ name: 'mcp_read' }],
      tool_choice: { name: 'mcp_read' },
    })
  }
  const { logs } = await world.books()
  expect(logs.map(({ quota }) => quota)).toEqual([COST, COST])
})

test("Anthropic's client can use beta features", async () => {
  const world = await setUp([claudeChannel(answerJson(MESSAGE))])
  const context_management = { edits: [{ type: 'clear_tool_uses_20250919' as const }] }
  await claude(world).beta.messages.create({
    ...ASKED,
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
  const uncounted = { ...MESSAGE, usage: undefined }
  const world = await setUp([claudeChannel(answerJson(uncounted))])
  const { usage } = await claude(world).messages.create(ASKED)
  await world.expectLog({
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
  await world.expectLog({ end_reason: 'broken_stream' })
})
