import { expect, test } from 'vitest'
import {
  answerJson,
  answerStream,
  type Behaviour,
  chatAnswer,
  chunk,
  DONE,
  USAGE,
} from '../../../../testing/fakes/scripted-upstream.ts'
import {
  COST,
  expectJson,
  MODEL,
  QUOTA,
  setUp,
  type World,
} from '../../../../testing/worlds/relay-scenario.ts'

/* Cursor asks for chat completions with bodies of Responses, and reads chat completions. */

const PATCH = '*** Begin Patch\n*** End Patch'
const WRAPPED = JSON.stringify({ input: PATCH })
const PARAMETERS = { type: 'object', properties: { path: { type: 'string' } } }
const BODY = {
  model: MODEL,
  user: 'ann',
  input: [
    { role: 'system', content: 'You are an agent.' },
    { role: 'user', content: [{ type: 'input_text', text: 'Fix the file.' }] },
  ],
  tools: [
    {
      type: 'function',
      name: 'Shell',
      description: 'Runs.',
      parameters: PARAMETERS,
      strict: false,
    },
    {
      type: 'custom',
      name: 'ApplyPatch',
      description: 'Edits files.',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: x' },
    },
  ],
  tool_choice: 'auto',
  store: false,
  include: ['reasoning.encrypted_content'],
  text: { verbosity: 'medium' },
  prompt_cache_retention: '24h',
  stream_options: { include_usage: true },
  metadata: { session: 'x' },
}
const CALL = { type: 'function_call', call_id: 'call_1', name: 'ApplyPatch', arguments: PATCH }
const OUTPUT = { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Done.' }
const NEXT = { ...BODY, input: [...BODY.input, CALL, OUTPUT] }
/** What Cursor reads: a function whose arguments are the text. */
const READ = { id: 'call_1', type: 'function', function: { name: 'ApplyPatch', arguments: PATCH } }
const SENT = { ...READ, function: { name: 'ApplyPatch', arguments: WRAPPED } }

const deltas = [
  { ...SENT, function: { name: 'ApplyPatch', arguments: '' } },
  { function: { arguments: WRAPPED.slice(0, 15) } },
  { function: { arguments: WRAPPED.slice(15) } },
].map((call) => ({ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }))

const answerCall: Behaviour = (response, request) => {
  if (!/"stream":\s*true/.test(request.body.toString())) {
    const message = { role: 'assistant', content: null, tool_calls: [SENT] }
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }]
    return answerJson({ ...chatAnswer(), choices })(response, request)
  }
  const events = deltas.map(
    (choice) => `data: ${JSON.stringify({ id: 'c', choices: [choice] })}\n\n`,
  )
  const ending = [chunk({ finish: 'tool_calls' }), chunk({ usage: USAGE }), DONE]
  return answerStream([...events, ...ending])(response, request)
}

type Sent = { messages: object[]; tools: object[] }
const sentTo = (world: World): Sent[] =>
  world.upstream.requestsOf('p0').map(({ body }) => JSON.parse(body.toString()))

/** The calls of a stream, with their pieces joined. */
function callsIn(stream: string): string {
  const chunks = [...stream.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) =>
    JSON.parse(json ?? ''),
  )
  const calls = chunks.flatMap(({ choices }) => choices[0]?.delta?.tool_calls ?? [])
  expect(calls[0]).toMatchObject({ ...READ, function: { name: 'ApplyPatch' } })
  return calls.map(({ function: called }) => called.arguments).join('')
}

test('Cursor works with a custom tool over two turns, and pays as for the same chat', async () => {
  const uncounted = answerJson(chatAnswer('Hello there', null))
  const script = [answerCall, answerCall, answerJson(chatAnswer()), uncounted, uncounted]
  const world = await setUp(script)
  const first = await (await world.ask(BODY)).json()
  expect(first).toMatchObject({
    object: 'chat.completion',
    choices: [{ message: { tool_calls: [READ] }, finish_reason: 'tool_calls' }],
    usage: USAGE,
  })
  const stream = await (await world.ask({ ...BODY, stream: true })).text()
  expect(callsIn(stream)).toBe(PATCH)
  expect(stream).toMatch(
    /"finish_reason":"tool_calls"[^]*"prompt_tokens":10[^]*data: \[DONE\]\n\n$/,
  )
  const answer = await (await world.ask(NEXT)).json()
  expect(answer).toMatchObject({ choices: [{ message: { content: 'Hello there' } }] })
  const { messages, tools } = sentTo(world)[2] ?? expect.fail('not sent')
  expect(messages.slice(1)).toMatchObject([
    { role: 'user', content: 'Fix the file.' },
    { role: 'assistant', tool_calls: [SENT] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Done.' },
  ])
  expect(tools).toMatchObject([{ type: 'function' }, { type: 'function' }])
  // The gateway counts, since the provider reports nothing.
  await (await world.ask(NEXT)).text()
  await (await world.ask({ model: MODEL, messages, tools, tool_choice: 'auto' })).text()
  const { logs } = await world.books()
  const quotas = logs.map(({ quota }) => quota)
  expect(quotas.slice(0, 3)).toEqual([COST, COST, COST])
  expect(quotas[3]).toBe(quotas[4])
  expect(quotas[3]).toBeGreaterThan(COST)
})

test('messages next to an input without results are what the model gets', async () => {
  const world = await setUp(answerJson(chatAnswer()))
  const use = { type: 'tool_use', id: 'toolu_1', name: 'Shell', input: { path: 'a' } }
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Done.' }
  const messages = [
    { role: 'user', content: 'Fix it.' },
    { role: 'assistant', content: [use] },
    { role: 'user', content: [result] },
  ]
  expect((await world.ask({ ...BODY, messages, stop: ['END'] })).status).toBe(200)
  expect(sentTo(world)[0]).toMatchObject({
    messages: [
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'toolu_1', function: { name: 'Shell' } }] },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'Done.' },
    ],
    stop: ['END'],
  })
  expect(await world.charges()).toEqual([COST])
})

test('a body without a readable input costs nothing', async () => {
  const world = await setUp([{ script: [] }])
  for (const body of [{ ...BODY, input: 5 }, { model: MODEL }]) {
    await expectJson(world.ask(body), 400, { error: { type: 'invalid_request_error' } })
  }
  expect(world.calls()).toEqual([0])
  expect((await world.books()).account.quota).toBe(QUOTA)
})
