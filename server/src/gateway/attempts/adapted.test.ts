import { expect, test } from 'vitest'
import { answerAsAsked, answerError } from '../../../testing/fakes/scripted-upstream.ts'
import { answerNative, channelTo, CLAUDE } from '../../../testing/worlds/native-scenario.ts'
import { MODEL, setUp } from '../../../testing/worlds/relay-scenario.ts'
import { attemptsOf } from '../../../testing/worlds/stream-failover-scenario.ts'

const HEADER = 'x-tollgate-adapted'
const AT_MESSAGES = { path: '/v1/messages' }
const MESSAGE = {
  model: MODEL,
  max_tokens: 50,
  top_k: 3,
  temperature: 0.5,
  messages: [{ role: 'user', content: 'hi' }],
}

test.each([false, true])(
  'the answer and the log name what a provider got changed (stream: %s)',
  async (stream) => {
    const world = await setUp([{ script: [answerAsAsked] }])
    const response = await world.ask({ ...MESSAGE, stream, container: 'c' }, AT_MESSAGES)
    await response.text()
    expect(response.headers.get(HEADER)).toBe('top_k, other_members')
    expect(response.headers.get('access-control-expose-headers')).toContain('X-Tollgate-Adapted')
    expect(await attemptsOf(world)).toMatchObject([{ adapted: ['top_k', 'other_members'] }])
  },
)

test('a request that passes through names nothing', async () => {
  const world = await setUp([channelTo(CLAUDE, answerNative(CLAUDE))])
  const response = await world.ask(MESSAGE, AT_MESSAGES)
  await response.text()
  expect(response.headers.has(HEADER)).toBe(false)
  expect(await attemptsOf(world)).toMatchObject([{ adapted: [] }])
})

test('only the attempt that was changed names it, and the header is that of the answer', async () => {
  const world = await setUp(
    [
      { script: [answerError(500, {})] },
      { ...channelTo(CLAUDE, answerNative(CLAUDE)), priority: -1 },
    ],
    { options: [['RetryTimes', '1']] },
  )
  const response = await world.ask(MESSAGE, AT_MESSAGES)
  await response.text()
  expect(response.headers.has(HEADER)).toBe(false)
  expect(await attemptsOf(world)).toMatchObject([{ adapted: ['top_k'] }, { adapted: [] }])
})
