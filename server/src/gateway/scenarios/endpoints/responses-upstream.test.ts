import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  answerItems,
  codexTurn,
  messageItem,
  RESPONSES_MODEL,
  RESPONSES_USAGE,
} from '../../../../testing/fakes/responses-provider.ts'
import {
  answerChat,
  answerError,
  type Behaviour,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { channelTo, RESPONSES } from '../../../../testing/worlds/native-scenario.ts'
import { COST, MODEL, setUp, type World } from '../../../../testing/worlds/relay-scenario.ts'

/* OpenAI's current models, which take tools in the Responses API only. */

const reasoning = (turn: number) => ({
  type: 'reasoning',
  id: `rs_${turn}`,
  summary: [],
  encrypted_content: `gAAA${turn}`,
})

const call = (turn: number) => ({
  type: 'function_call',
  id: `fc_${turn}`,
  call_id: `call_${turn}`,
  name: 'Read',
  arguments: `{"path":"${turn}"}`,
  status: 'completed',
})

const sentSchema = z.looseObject({ input: z.array(z.looseObject({})) })
const sentTo = (world: World) =>
  world.upstream.requestsOf('p0').map(({ path, body }) => {
    const json: unknown = JSON.parse(body.toString())
    return { path, body: json }
  })
const inputsOf = (world: World) => sentTo(world).map(({ body }) => sentSchema.parse(body).input)

const READ = { name: 'Read', input_schema: { type: 'object', properties: {} } }
const TURNS = [1, 2, 3, 4, 5]

const blockSchema = z.looseObject({ type: z.string() })
const messageSchema = z.object({ content: z.array(blockSchema) })

test('a conversation to compact is compacted by a provider that speaks Responses', async () => {
  const item = { id: 'cmp_1', type: 'compaction', encrypted_content: 'gAAA' }
  const channel = { type: 1002, mapping: RESPONSES_MODEL, script: [answerItems(item)] }
  const world = await setUp([channel])
  const body = {
    model: MODEL,
    input: [{ role: 'user', content: 'hi' }, reasoning(1), messageItem('Hi.')],
    stream: true,
  }
  const answer = await world.ask(body, { path: '/v1/responses/compact' })
  expect(await answer.json()).toEqual({
    id: 'resp_1',
    object: 'response.compaction',
    created_at: 1,
    output: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      item,
    ],
    usage: RESPONSES_USAGE,
  })
  expect(sentTo(world)).toMatchObject([
    {
      path: '/v1/responses',
      body: {
        stream: false,
        input: [{ role: 'user' }, reasoning(1), messageItem('Hi.'), { type: 'compaction_trigger' }],
      },
    },
  ])
  expect(await world.charges()).toEqual([COST])
})

test('an agent of Messages uses tools in five turns, and its model keeps its thoughts', async () => {
  const script = TURNS.map((turn) => answerItems(reasoning(turn), call(turn)))
  const channel = {
    type: 1002,
    mapping: RESPONSES_MODEL,
    script: [...script, answerItems(messageItem('Done.'))],
  }
  const world = await setUp([channel])
  const messages: object[] = [{ role: 'user', content: 'Read the files.' }]
  const request = { model: MODEL, max_tokens: 100, tools: [READ] }
  for (const turn of TURNS) {
    const answer = await world.ask({ ...request, messages }, { path: '/v1/messages' })
    const { content } = messageSchema.parse(await answer.json())
    expect(content.map(({ type }) => type)).toContain('tool_use')
    messages.push({ role: 'assistant', content })
    messages.push({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `call_${turn}`, content: 'text' }],
    })
  }
  const last = { ...request, messages, stream: true }
  const text = await (await world.ask(last, { path: '/v1/messages' })).text()
  expect(text).toContain('"text":"Done."')
  expect(sentTo(world).map(({ path }) => path)).toEqual([...TURNS, 6].map(() => '/v1/responses'))
  expect(inputsOf(world).at(-1)).toMatchObject([
    { role: 'user' },
    ...TURNS.flatMap((turn) => [
      { type: 'reasoning', encrypted_content: `gAAA${turn}` },
      { type: 'function_call', call_id: `call_${turn}` },
      { type: 'function_call_output', call_id: `call_${turn}`, output: 'text' },
    ]),
  ])
  expect(await world.charges()).toEqual([...TURNS, 6].map(() => COST))
})

const TOOLS = [{ type: 'function', function: { name: 'Read' } }]
const CHAT = { model: MODEL, messages: [{ role: 'user', content: 'hi' }] }

describe('a channel of OpenAI at the address of a reseller', () => {
  test('is asked by Responses for what chat refuses, and by chat for the rest', async () => {
    const script: Behaviour = (reply, request) =>
      (request.path === '/v1/responses' ? answerItems(messageItem('Hi.')) : answerChat())(
        reply,
        request,
      )
    const world = await setUp([{ type: 1, mapping: RESPONSES_MODEL, script: [script] }])
    expect((await world.ask({ ...CHAT, tools: TOOLS })).status).toBe(200)
    expect((await world.ask(CHAT)).status).toBe(200)
    expect(sentTo(world).map(({ path }) => path)).toEqual(['/v1/responses', '/v1/chat/completions'])
    await world.books()
  })

  test('is asked by chat from then on if it has no Responses', async () => {
    const script: Behaviour = (reply, request) =>
      (request.path === '/v1/responses' ? answerError(404, { message: 'no path' }) : answerChat())(
        reply,
        request,
      )
    const world = await setUp([{ type: 1, mapping: RESPONSES_MODEL, script: [script] }])
    const body = { model: MODEL, input: 'hi', reasoning: { effort: 'high' } }
    const request = { ...body, tools: [{ type: 'function', name: 'Read' }] }
    expect((await world.ask(request, { path: '/v1/responses' })).status).toBe(200)
    expect((await world.ask(request, { path: '/v1/responses' })).status).toBe(200)
    expect(sentTo(world).map(({ path }) => path)).toEqual([
      '/v1/responses',
      '/v1/chat/completions',
      '/v1/chat/completions',
    ])
    // Chat completions serve the tools only without an effort.
    expect(sentTo(world)[1]?.body).toMatchObject({ reasoning_effort: 'none' })
    expect(await world.charges()).toEqual([COST, COST])
  })

  test('offers Responses to their clients where its configuration says so', async () => {
    const config = JSON.stringify({ apis: ['chat', 'responses'] })
    const world = await setUp([{ type: 8, config, script: [answerItems(messageItem('Hi.'))] }])
    const body = { model: MODEL, input: 'hi', store: false }
    expect((await world.ask(body, { path: '/v1/responses' })).status).toBe(200)
    expect(sentTo(world)).toMatchObject([{ path: '/v1/responses', body }])
    await world.books()
  })
})

describe('a client of Responses at a channel of its own API', () => {
  const items = [
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA1' },
    { type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'custom_tool_call_output', call_id: 'call_1', output: 'ok' },
  ]
  const codex = (...tools: object[]) => ({
    ...codexTurn('gpt-4.1-mini', { items, tools: [{ type: 'local_shell' }, ...tools] }),
    reasoning: undefined,
    text: { verbosity: 'low' },
    client_metadata: { session_id: 's' },
  })
  const native = { ...channelTo(RESPONSES), models: 'gpt-4.1-mini' }
  const IMAGES = { type: 'image_generation' }

  test('sends its bytes, with tools that no other API has', async () => {
    const world = await setUp([{ ...native, script: [answerItems(messageItem('Done.'))] }])
    const body = JSON.stringify(codex(), null, 1)
    const answer = await world.ask(body, { path: '/v1/responses' })
    expect(await answer.text()).toContain('"type":"response.completed"')
    expect(world.upstream.requestsOf('p0')[0]?.body.toString()).toBe(body)
    await world.books()
  })

  test('sends tools without a price only if such features are allowed', async () => {
    for (const value of ['false', 'true']) {
      const options = [['UnpricedFeaturesEnabled', value]] as const
      const world = await setUp([{ ...native, script: [answerItems(messageItem('Done.'))] }], {
        options: options.map(([name, given]) => [name, given]),
        quota: 10_000_000,
      })
      const added = { type: 'additional_tools', role: 'developer', tools: [IMAGES] }
      const given = codex(IMAGES)
      const request = { ...given, input: [added, ...given.input], service_tier: 'ultrafast' }
      expect((await world.ask(request, { path: '/v1/responses' })).status).toBe(200)
      const sent = world.upstream.requestsOf('p0')[0]?.body.toString() ?? ''
      expect(sent.includes('image_generation')).toBe(value === 'true')
      expect(sent.includes('ultrafast')).toBe(value === 'true')
      await world.books()
    }
  })

  test('may refer to items of an earlier answer, which is not stored at the provider', async () => {
    for (const stream of [false, true]) {
      const items = [reasoning(1), messageItem('Hi.')]
      const world = await setUp([
        { type: 1002, mapping: RESPONSES_MODEL, script: [answerItems(...items)] },
      ])
      const first = { model: MODEL, input: 'hi', stream }
      await (await world.ask(first, { path: '/v1/responses' })).text()
      const input = [
        { role: 'user', content: 'hi' },
        { type: 'item_reference', id: 'rs_1' },
        { id: 'msg_1' },
        { role: 'user', content: 'And?' },
      ]
      await (await world.ask({ ...first, input }, { path: '/v1/responses' })).text()
      const include = ['reasoning.encrypted_content']
      expect(sentTo(world)).toMatchObject([
        { body: { store: false, include } },
        { body: { store: false, include, input: [{}, reasoning(1), messageItem('Hi.'), {}] } },
      ])
      await world.books()
    }
  })

  const COMPACTION = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAB' }
  const OUTPUT = { type: 'function_call_output', call_id: 'call_1', output: 'x' }
  const TURN = [{ role: 'user', content: 'hi' }, reasoning(1), call(1), OUTPUT]

  /** What the answer names, and the types of the items in each request to the only channel. */
  async function askWithItems(script: Behaviour[], input: object[]) {
    const world = await setUp([{ type: 1002, mapping: RESPONSES_MODEL, script }])
    const answer = await world.ask({ model: MODEL, store: false, input }, { path: '/v1/responses' })
    expect(answer.status).toBe(200)
    expect(world.calls()).toEqual([script.length])
    expect(await world.charges()).toEqual([COST])
    const adapted = answer.headers.get('x-tollgate-adapted')?.split(', ').toSorted().join(', ')
    return [adapted, ...inputsOf(world).map((items) => items.map(({ type }) => type))]
  }

  const refuses = answerError(400, { code: 'invalid_encrypted_content' })
  const says = (message: string, status = 400) =>
    answerError(status, { message, type: 'invalid_request_error' })
  const unverified = says('The encrypted content gAAA...1 could not be verified.')
  const lost = says(
    "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
    404,
  )
  const unled = says(
    "Item 'ws_1' of type 'web_search_call' was provided without its required 'reasoning' item.",
  )
  const named = says('Invalid compaction item encrypted_content: compaction.')
  const CALLED = ['function_call', 'function_call_output']
  const ALL = ['compaction', undefined, 'reasoning', ...CALLED]
  const UNSUMMED = [undefined, undefined, ...CALLED]
  const UNREASONED = ['compaction', undefined, ...CALLED]

  test.each([
    ['its reasoning', [refuses], 'reasoning', [UNREASONED]],
    ['reasoning that is not verified', [unverified], 'reasoning', [UNREASONED]],
    ['reasoning that is lost', [lost], 'reasoning', [UNREASONED]],
    ['reasoning that is not led', [unled], 'reasoning', [UNREASONED]],
    [
      'its summary, the third time',
      [refuses, refuses],
      'messages, reasoning',
      [UNREASONED, UNSUMMED],
    ],
    ['a named summary', [named], 'messages', [[undefined, undefined, 'reasoning', ...CALLED]]],
  ] as const)('is asked once more without %s', async (_what, refusals, adapted, sent) => {
    const script = [...refusals, answerItems(messageItem('Hi.'))]
    const asked = await askWithItems(script, [COMPACTION, ...TURN])
    expect(asked).toEqual([adapted, ALL, ...sent])
  })

  test('is asked at once without the summary if no reasoning is there', async () => {
    const script = [refuses, answerItems(messageItem('Hi.'))]
    const items = [COMPACTION, { role: 'user', content: 'hi' }]
    expect(await askWithItems(script, items)).toEqual([
      'messages',
      ['compaction', undefined],
      [undefined, undefined],
    ])
  })

  test('does not send reasoning of other providers', async () => {
    const world = await setUp([
      { type: 1002, mapping: RESPONSES_MODEL, script: [answerItems(messageItem('Hi.'))] },
    ])
    const sealed = Buffer.from('[{"type":"thinking","thinking":"x","signature":"s"}]')
    const input = [
      { role: 'user', content: 'hi' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: sealed.toString('base64') },
      { type: 'reasoning', id: 'rs_2', summary: [] },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: 'And?' },
    ]
    const body = { model: MODEL, store: false, input }
    expect((await world.ask(body, { path: '/v1/responses' })).status).toBe(200)
    expect(inputsOf(world)).toMatchObject([[{ role: 'user' }, { role: 'assistant' }, {}]])
    await world.books()
  })
})
