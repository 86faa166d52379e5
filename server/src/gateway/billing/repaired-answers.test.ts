import { describe, expect, test } from 'vitest'
import {
  answerChat,
  answerJson,
  answerStream,
  chatAnswer,
  DONE,
  USAGE,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { ASKED, COST, setUp, STREAMED, type World } from '../../../testing/worlds/relay-scenario.ts'

const GEMINI = 24

const event = (choice: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, finish_reason: null, ...choice }], ...more })}\n\n`

const call = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'Read', arguments: '{"path":"a"}' },
})

/** Calls without indexes, and a reason that does not fit them. */
const BROKEN = answerStream([
  event({ delta: { role: 'assistant', tool_calls: [call('a')] } }),
  event({ delta: { tool_calls: [call('b')] } }),
  event({ delta: {}, finish_reason: 'stop' }, { usage: USAGE }),
  DONE,
])

const MALFORMED = answerJson({
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'I think.', thought: true }] },
      finishReason: 'MALFORMED_FUNCTION_CALL',
    },
  ],
  usageMetadata: { promptTokenCount: 10, thoughtsTokenCount: 40, totalTokenCount: 50 },
})

async function bill(world: World) {
  const { account, logs } = await world.books()
  return { spent: account.used_quota, quotas: logs.map(({ quota }) => quota) }
}

describe.each(DATABASES)('answers that are not passed on as they came, on %s', (kind) => {
  test('a stream whose calls and reason are repaired costs its reported usage', async () => {
    const world = await setUp(BROKEN, { kind })
    const text = await (await world.ask(STREAMED)).text()
    expect(text).toContain('"index":1}')
    expect(text).toContain('"finish_reason":"tool_calls"')
    expect(await bill(world)).toEqual({ spent: COST, quotas: [COST] })
  })

  test('a tool that a vendor gets by another name has its own in answers, at the same cost', async () => {
    const renamed = { ...call('a'), function: { name: 'files_read', arguments: '{}' } }
    const message = { role: 'assistant', content: null, tool_calls: [renamed] }
    const answer = {
      ...chatAnswer(),
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    }
    const streamed = answerStream([
      event({ delta: { role: 'assistant', tool_calls: [{ index: 0, ...renamed }] } }),
      event({ delta: {}, finish_reason: 'tool_calls' }, { usage: USAGE }),
      DONE,
    ])
    const world = await setUp([{ script: [answerJson(answer), streamed], type: 1 }], { kind })
    const tools = [{ type: 'function', function: { name: 'files.read' } }]
    for (const asked of [ASKED, STREAMED]) {
      const text = await (await world.ask({ ...asked, tools })).text()
      expect(text).toContain('"files.read"')
      expect(text).not.toContain('files_read')
    }
    const bodies = world.upstream.requestsOf('p0').map(({ body }) => String(body))
    for (const body of bodies) expect(body).toContain('files_read')
    expect(await bill(world)).toEqual({ spent: 2 * COST, quotas: [COST, COST] })
  })

  test('a malformed call after thoughts is asked for elsewhere, and paid once', async () => {
    const world = await setUp(
      [{ script: [MALFORMED], type: GEMINI, priority: 1 }, { script: [answerChat()] }],
      { kind },
    )
    const response = await world.ask()
    expect(await response.text()).toContain('Hello there')
    expect(await bill(world)).toEqual({ spent: COST, quotas: [COST] })
  })

  test('a malformed call that no other channel mends is an error, and free', async () => {
    const world = await setUp([{ script: [MALFORMED], type: GEMINI }], { kind })
    expect((await world.ask()).status).toBe(502)
    expect(await bill(world)).toEqual({ spent: 0, quotas: [0] })
  })
})
