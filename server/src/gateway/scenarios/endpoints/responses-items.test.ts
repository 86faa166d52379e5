import { describe, expect, test } from 'vitest'
import { member } from '@tollgate/relay'
import {
  answerAsAsked,
  answerChat,
  answerJson,
  answerStream,
  chunk,
  DONE,
  USAGE,
} from '../../../../testing/fakes/scripted-upstream.ts'
import {
  COST,
  MODEL,
  readError,
  setUp,
  type World,
} from '../../../../testing/worlds/relay-scenario.ts'

const QUESTION = { model: MODEL, input: 'hi' }

const piece = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  })}\n\n`

const sentBy = ({ upstream }: World, at: number): unknown =>
  JSON.parse(upstream.requestsOf('p0')[at]?.body.toString() ?? '')

describe('Codex with newer models, which list their tools in the input', () => {
  const tools = [
    {
      type: 'namespace',
      name: 'functions',
      description: 'Runs code',
      tools: [
        {
          type: 'custom',
          name: 'exec',
          description: 'Runs JavaScript',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: SOURCE' },
        },
      ],
    },
  ]
  const input = [
    { type: 'additional_tools', id: 'at_1', role: 'developer', tools },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'list' }] },
  ]
  const asked = (model: string, items: readonly unknown[], stream: boolean) => ({
    model,
    stream,
    input: [...input, ...items],
    parallel_tool_calls: false,
    reasoning: { effort: 'low', context: 'all_turns' },
    store: false,
    include: ['reasoning.encrypted_content'],
  })
  const called = {
    tool_calls: [
      {
        index: 0,
        id: 'call_1',
        type: 'function',
        function: { name: 'exec', arguments: '{"input":"ls()"}' },
      },
    ],
  }
  const streamed = answerStream([
    piece({ role: 'assistant', ...called }),
    piece({}, 'tool_calls'),
    chunk({ usage: USAGE }),
    DONE,
  ])
  const whole = answerJson(
    JSON.stringify({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        { index: 0, message: { role: 'assistant', ...called }, finish_reason: 'tool_calls' },
      ],
      usage: USAGE,
    }),
  )

  test.each([true, false])('calls tools, reads output, answers, streamed: %s', async (stream) => {
    const world = await setUp([stream ? streamed : whole, answerAsAsked])
    const itemsOf = async (items: readonly unknown[]): Promise<unknown[]> => {
      const response = await world.ask(asked(MODEL, items, stream), { path: '/v1/responses' })
      expect(response.status).toBe(200)
      const text = await response.text()
      const ends = [...text.matchAll(/^data: (\{"type":"response.output_item.done".*)$/gm)]
      const events = ends.map(([, data = '']): unknown => JSON.parse(data))
      const output: unknown = stream
        ? events.map((event) => member(event, 'item'))
        : member(JSON.parse(text), 'output')
      return Array.isArray(output) ? output : []
    }
    const [call] = await itemsOf([])
    expect(call).toMatchObject({
      type: 'custom_tool_call',
      namespace: 'functions',
      name: 'exec',
      call_id: 'call_1',
      input: 'ls()',
    })
    const output = {
      type: 'custom_tool_call_output',
      call_id: 'call_1',
      output: [{ type: 'input_text', text: 'a.txt' }],
    }
    const [message] = await itemsOf([call, output])
    expect(message).toMatchObject({ type: 'message', content: [{ text: 'Hello there' }] })
    expect(sentBy(world, 1)).toMatchObject({
      messages: [
        { role: 'user', content: 'list' },
        { role: 'assistant', tool_calls: called.tool_calls.map(({ index: _, ...one }) => one) },
        { role: 'tool', tool_call_id: 'call_1', content: 'a.txt' },
      ],
      tools: [{ type: 'function', function: { name: 'exec' } }],
    })
    expect(await world.charges()).toEqual([COST, COST])
  })
})

describe('references to items of an earlier answer', () => {
  const reference = (id: unknown) => ({ type: 'item_reference', id })
  const itemsOf = (text: string) => [...text.matchAll(/"id":"(msg_[^"]+)"/g)].map(([, id]) => id)
  const second = (id: unknown) => ({
    model: MODEL,
    input: [{ role: 'user', content: 'hi' }, reference(id), { role: 'user', content: 'go on' }],
  })
  const at = { path: '/v1/responses' }

  test.each([true, false])('are resolved to the items, streamed: %s', async (stream) => {
    const world = await setUp(answerAsAsked)
    const first = await world.ask({ ...QUESTION, stream }, at)
    const [id] = itemsOf(await first.text())
    expect((await world.ask(second(id), at)).status).toBe(200)
    expect(sentBy(world, 1)).toMatchObject({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'Hello there' },
        { role: 'user', content: 'go on' },
      ],
    })
    const counted = await world.ask(second(id), { path: '/v1/responses/input_tokens' })
    expect(counted.status).toBe(200)
  })

  test('differ between answers of a provider that repeats its ids', async () => {
    const world = await setUp([answerChat('one'), answerChat('two')])
    const ids: unknown[] = []
    for (let turn = 0; turn < 2; turn += 1) {
      ids.push(...itemsOf(await (await world.ask(QUESTION, at)).text()))
    }
    expect(new Set(ids).size).toBe(2)
    await world.ask({ model: MODEL, input: ids.map(reference) }, at)
    expect(sentBy(world, 2)).toMatchObject({ messages: [{ content: 'one\n\ntwo' }] })
  })

  test('are refused if nothing was stored, but lost reasoning and hosted calls are left out', async () => {
    const world = await setUp(answerAsAsked)
    const first = await world.ask({ ...QUESTION, store: false }, at)
    const [id] = itemsOf(await first.text())
    const refused = await world.ask(second(id), at)
    expect(refused.status).toBe(400)
    expect((await readError(refused)).message).toContain('store: false')
    for (const gone of ['rs_gone', 'ws_gone']) {
      expect((await world.ask(second(gone), at)).status).toBe(200)
    }
  })
})
