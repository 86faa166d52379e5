import { expect, test } from 'vitest'
import {
  answerError,
  answerJson,
  answerStream,
  chatAnswer,
  chunk,
  DONE,
  USAGE,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { COST, MODEL, setUp } from '../../../../testing/worlds/relay-scenario.ts'

/* Tools and calls of clients whose dialect has other alphabets than the provider's. */

const LONG = 'mcp__binary-analysis-server__list_cross_references_of_imported_symbols_x'
const SHORT = /^mcp__binary-analysis-server__[\w-]{24}_[\da-f]{10}$/
const KIMI_ID = 'functions.Read:0'
const CLIENT_ID = 'tg_functions_2eRead_3a0'
const MESSAGES = '/v1/messages'

const asked = (name: string, rest: object = {}) => ({
  model: MODEL,
  max_tokens: 50,
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ name, input_schema: { type: 'object', properties: {} } }],
  ...rest,
})

const callOf = (name: string) => ({
  index: 0,
  id: KIMI_ID,
  type: 'function',
  function: { name, arguments: '{}' },
})

type Sent = { tools: { function: { name: string } }[]; messages: Record<string, unknown>[] }

test("a tool is called by its client's name, and charged once", async () => {
  const nameOf = (body: Buffer): string => {
    const { tools }: Sent = JSON.parse(body.toString())
    return tools[0]?.function.name ?? ''
  }
  const message = (name: string) => ({
    role: 'assistant',
    content: null,
    tool_calls: [callOf(name)],
  })
  const world = await setUp([
    {
      script: [
        (response, request) =>
          answerJson({
            ...chatAnswer(),
            choices: [
              { index: 0, message: message(nameOf(request.body)), finish_reason: 'tool_calls' },
            ],
          })(response, request),
        (response, request) => {
          const delta = { tool_calls: [callOf(nameOf(request.body))] }
          const choices = [{ index: 0, delta, finish_reason: null }]
          return answerStream([
            `data: ${JSON.stringify({ id: 'c', choices })}\n\n`,
            chunk({ finish: 'tool_calls' }),
            chunk({ usage: USAGE }),
            DONE,
          ])(response, request)
        },
      ],
    },
  ])
  const whole = await (await world.ask(asked(LONG), { path: MESSAGES })).text()
  const stream = await world.ask(asked(LONG, { stream: true }), { path: MESSAGES })
  for (const text of [whole, await stream.text()]) {
    expect(text).toContain(`"name":"${LONG}"`)
    expect(text).toContain(`"id":"${CLIENT_ID}"`)
  }
  const names = world.upstream.requestsOf('p0').map(({ body }) => nameOf(body))
  expect(names).toEqual([expect.stringMatching(SHORT), names[0]])
  const { logs } = await world.books()
  expect(logs.map(({ quota }) => quota)).toEqual([COST, COST])
})

test.each([
  ['kimi-k3', KIMI_ID],
  ['gpt-5', CLIENT_ID],
])('%s gets the id %s back', async (mapping, id) => {
  const allow = { 'OAI-001': 'Kimi reads reasoning_content' }
  const world = await setUp([{ script: [answerJson(chatAnswer())], mapping, allow }])
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: CLIENT_ID, name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: CLIENT_ID, content: 'x' }] },
  ]
  await (await world.ask(asked('f', { messages }), { path: MESSAGES })).text()
  const sent: Sent = JSON.parse(world.upstream.requestsOf('p0')[0]?.body.toString() ?? '')
  expect(sent.messages).toMatchObject([{}, { tool_calls: [{ id }] }, { tool_call_id: id }])
  await world.books()
})

test("an OpenAI client calls a tool of Gemini by its client's name", async () => {
  const name = '21st_component_builder'
  const parts = [{ functionCall: { name: `_${name}`, args: {} } }]
  const answer = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
  }
  const world = await setUp([
    { type: 24, models: 'gemini-2.5-flash', script: [answerJson(answer)] },
  ])
  const body = {
    model: 'gemini-2.5-flash',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', function: { name, parameters: { type: 'object' } } }],
  }
  expect(await (await world.ask(body)).json()).toMatchObject({
    choices: [{ message: { tool_calls: [{ function: { name } }] } }],
  })
  expect(world.upstream.requestsOf('p0')[0]?.body.toString()).toContain(`"name":"_${name}"`)
  await world.books()
})

test('Anthropic receives no union at the top of a schema; the description carries it instead', async () => {
  const content = [{ type: 'text', text: 'Hi' }]
  const usage = { input_tokens: 10, output_tokens: 5 }
  const answer = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage }
  const model = 'claude-sonnet-4-5'
  const world = await setUp([{ type: 14, models: model, script: [answerJson(answer)] }])
  const properties = { route: { type: 'string' }, file: { type: 'string' } }
  const anyOf = [{ required: ['route'] }, { required: ['file'] }]
  const parameters = { type: 'object', properties, anyOf }
  const body = {
    model,
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', function: { name: 'impact', description: 'd', parameters } }],
  }
  expect((await world.ask(body)).status).toBe(200)
  const { tools }: { tools: object[] } = JSON.parse(
    world.upstream.requestsOf('p0')[0]?.body.toString() ?? '',
  )
  const note = `The input must match at least one of these JSON schemas: ${JSON.stringify(anyOf)}`
  expect(tools).toEqual([
    { name: 'impact', description: `d\n\n${note}`, input_schema: { type: 'object', properties } },
  ])
  await world.books()
})

test("a prompt that is too long for the model is refused with the error of the client's dialect", async () => {
  const message =
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
  const code = 'context_length_exceeded'
  const world = await setUp([{ script: [answerError(400, { message, code })] }])
  const answer = await world.ask(asked('f'), { path: MESSAGES })
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: { message: 'prompt is too long: 9000 tokens > 8192 maximum' } },
  ])
  const { log } = await world.books()
  expect(log?.quota ?? 0).toBe(0)
})
