import { expect, test } from 'vitest'
import { answerJson, answerStream, chunk, DONE } from '../../../testing/fakes/scripted-upstream.ts'
import { ASKED, MODEL, setUp } from '../../../testing/worlds/relay-scenario.ts'

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

const ANSWERS = [
  { stream: false, script: empty },
  { stream: true, script: emptyStream },
]

test.each(ANSWERS)('an empty answer is charged by default, stream: $stream', async (given) => {
  const { stream, script } = given
  const world = await setUp([{ script: [script] }], { quota: QUOTA })
  const asked = await world.ask({ ...QUESTION, stream })
  await asked.text()
  const { log, account } = await world.books()
  expect(asked.status).toBe(200)
  // gpt-4o-mini: $0.15 per million tokens
  expect(log).toMatchObject({ quota: 75, outcome: 'settled' })
  expect(account).toMatchObject({ quota: QUOTA - 75 })
})

test.each(ANSWERS)('an empty answer may be free, stream: $stream', async (given) => {
  const { stream, script } = given
  const options: ['EmptyAnswers', string][] = [['EmptyAnswers', 'free']]
  const world = await setUp([{ script: [script] }], { quota: QUOTA, options })
  const asked = await world.ask({ ...QUESTION, stream })
  await asked.text()
  const { account, log } = await world.books()
  expect(asked.status).toBe(200)
  expect(world.calls()).toEqual([1])
  // The provider bills the prompt.
  expect(log).toMatchObject({ quota: 0, provider_cost: 150_000 })
  expect(account).toMatchObject({ quota: QUOTA })
})

test.each(ANSWERS)('another channel may answer instead, stream: $stream', async (given) => {
  const { stream, script } = given
  const options: ['EmptyAnswers', string][] = [['EmptyAnswers', 'retry']]
  const full = stream
    ? answerStream([
        chunk({ content: 'Hello' }),
        chunk({ finish: 'stop' }),
        chunk({ usage: { ...usage, completion_tokens: 5 } }),
        DONE,
      ])
    : answerJson({ ...answered('Hello'), usage: { ...usage, completion_tokens: 5 } })
  const world = await setUp([{ script: [script], priority: 1 }, { script: [full] }], {
    quota: QUOTA,
    options,
  })
  const asked = await world.ask({ ...QUESTION, stream })
  expect(await asked.text()).toContain('Hello')
  expect(world.calls()).toEqual([1, 1])
  const { log, account } = await world.books()
  // (1000 + 5 x 4) x 0.075
  expect(log).toMatchObject({ quota: 77, provider_cost: 2 * 150_000 + 5 * 600 })
  expect(account).toMatchObject({ quota: QUOTA - 77 })
})

test('an answer that explains why it is empty is charged', async () => {
  const options: ['EmptyAnswers', string][] = [['EmptyAnswers', 'retry']]
  const filtered = answerJson({ ...answered('', 'content_filter'), usage })
  const world = await setUp([{ script: [filtered] }, { script: [filtered] }], { options })
  await world.ask(QUESTION)
  expect((await world.books()).log).toMatchObject({ quota: 75 })
})
