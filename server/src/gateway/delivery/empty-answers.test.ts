import { expect, test } from 'vitest'
import { answerJson, answerStream, chunk, DONE } from '../../../testing/fakes/scripted-upstream.ts'
import { ASKED, inOrder, MODEL, type Setup, setUp } from '../../../testing/worlds/relay-scenario.ts'

const usage = { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 }
const answered = (content: string, finish_reason = 'stop') => ({
  model: MODEL,
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
})
const empty = answerJson({ ...answered(''), usage })
const emptyStream = answerStream([
  chunk({ content: '' }),
  chunk({ finish: 'stop' }),
  chunk({ usage }),
  DONE,
])
const QUESTION = { ...ASKED, messages: [{ role: 'user', content: 'word '.repeat(1000) }] }
const QUOTA = 1_000_000

const full = answerJson({ ...answered('Hello'), usage: { ...usage, completion_tokens: 5 } })
const fullStream = answerStream([
  chunk({ content: 'Hello' }),
  chunk({ finish: 'stop' }),
  chunk({ usage: { ...usage, completion_tokens: 5 } }),
  DONE,
])

/** gpt-4o-mini costs $0.15 per million tokens, 1000 of them 75 units, and five of output two. */
const CHARGES = [
  { mode: 'charge', calls: [1, 0], charged: { quota: 75, outcome: 'settled' } },
  { mode: 'free', calls: [1, 0], charged: { quota: 0, provider_cost: 150_000 } },
  { mode: 'retry', calls: [1, 1], charged: { quota: 77, provider_cost: 2 * 150_000 + 5 * 600 } },
] as const

test.each(CHARGES.flatMap((row) => [false, true].map((stream) => ({ ...row, stream }))))(
  'an empty answer with the option $mode, stream: $stream',
  async ({ mode, calls, charged, stream }) => {
    const scripts = stream ? [emptyStream, fullStream] : [empty, full]
    const options: Setup['options'] = mode === 'charge' ? [] : [['EmptyAnswers', mode]]
    const world = await setUp(inOrder(...scripts), { quota: QUOTA, options })
    const asked = await world.ask({ ...QUESTION, stream })
    expect((await asked.text()).includes('Hello')).toBe(mode === 'retry')
    expect([asked.status, world.calls()]).toEqual([200, calls])
    await world.expectLog(charged)
  },
)

test('an answer that explains why it is empty is charged', async () => {
  const options: ['EmptyAnswers', string][] = [['EmptyAnswers', 'retry']]
  const filtered = answerJson({ ...answered('', 'content_filter'), usage })
  const world = await setUp([{ script: [filtered] }, { script: [filtered] }], { options })
  await world.ask(QUESTION)
  await world.expectLog({ quota: 75 })
})
