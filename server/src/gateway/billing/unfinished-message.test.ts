import { expect, test } from 'vitest'
import { chargeBasisSchema } from '@tollgate/contract'
import { answerStream } from '../../../testing/fakes/scripted-upstream.ts'
import { askNative, channelTo, CLAUDE } from '../../../testing/worlds/native-scenario.ts'
import { setUp, STREAMED } from '../../../testing/worlds/relay-scenario.ts'

/** Most of the prompt came from the provider's cache, which the gateway cannot count. */
const CACHED = 500
const beginning = CLAUDE.firstEvents.map((event) =>
  event.replace('"input_tokens":10,', `"input_tokens":10,"cache_read_input_tokens":${CACHED},`),
)
const events = [...beginning, ...CLAUDE.textEvents('Hello', ' there')]

test.each(['OpenAI', 'Anthropic'] as const)('a cut stream pays its prompt: %s', async (dialect) => {
  const channel = channelTo(CLAUDE, answerStream(events, 'cut'))
  const world = await setUp([channel], { options: [['RetryTimes', '0']] })
  const response =
    dialect === 'OpenAI'
      ? await world.ask(STREAMED)
      : await askNative(world, CLAUDE, { stream: true })
  expect(await response.text()).toContain('error')
  const { log } = await world.books()
  expect(log).toMatchObject({ outcome: 'settled', end_reason: 'broken_stream' })
  const basis = chargeBasisSchema.parse(JSON.parse(log?.basis ?? ''))
  expect(basis).toMatchObject({ prompt_tokens: CACHED + 10, cached_tokens: CACHED })
  expect(basis.completion_tokens).toBe(3)
})

test('a message without its last event is not complete', async () => {
  const stopped = 'event: message_stop\ndata: {"type":"message_stop"}\n\n'
  const channel = channelTo(CLAUDE, answerStream([...events, stopped]))
  const world = await setUp([channel], { options: [['RetryTimes', '0']] })
  const text = await (await world.ask(STREAMED)).text()
  expect(text).not.toContain('[DONE]')
  await world.expectLog({ end_reason: 'broken_stream' })
})
