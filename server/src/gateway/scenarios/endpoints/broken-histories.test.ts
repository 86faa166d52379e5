import { expect, test } from 'vitest'
import {
  answerNative,
  askNative,
  channelTo,
  CLAUDE,
} from '../../../../testing/worlds/native-scenario.ts'
import { COST, MODEL, setUp } from '../../../../testing/worlds/relay-scenario.ts'

const ABORTED = 'The tool call was aborted.'

/** A session whose call was interrupted before its result. The relay has those of other APIs. */
const INTERRUPTED = {
  model: MODEL,
  max_tokens: 50,
  tools: [{ name: 'read', input_schema: { type: 'object', properties: {} } }],
  messages: [
    { role: 'user', content: 'Read it.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] },
    { role: 'user', content: 'Go on.' },
  ],
}
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: ABORTED }
const MENDED = {
  messages: [
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1' }] },
    { role: 'user', content: [RESULT, { type: 'text', text: 'Go on.' }] },
  ],
}

test('a session of Anthropic goes on after an interrupted call, at its price', async () => {
  const world = await setUp([channelTo(CLAUDE, answerNative(CLAUDE))])
  for (const stream of [false, true]) {
    const text = JSON.stringify({ ...INTERRUPTED, stream })
    const answer = await askNative(world, CLAUDE, { stream, text })
    expect([answer.status, answer.headers.get('x-tollgate-adapted')]).toEqual([200, 'messages'])
    expect(await answer.text()).toMatch(/Hello.* there/s)
    expect(world.sent(-1)).toMatchObject(MENDED)
  }
  expect(await world.charges()).toEqual([COST, COST])
})
