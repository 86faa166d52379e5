import { afterEach, describe, expect, test, vi } from 'vitest'
import { DATABASES } from '../../testing/databases.ts'
import { ask, ASKED, books, setUp, STREAMED, tearDown } from '../../testing/relay-scenario.ts'
import {
  answerJson,
  answerStream,
  chatAnswer,
  DONE,
  WHOLE_STREAM,
} from '../../testing/scripted-upstream.ts'

vi.mock('gpt-tokenizer/encoding/o200k_base', () => ({
  countTokens: () => {
    throw new Error('planted')
  },
}))

afterEach(tearDown)

describe.each(DATABASES)('what cannot be counted, on %s', (kind) => {
  const whole = answerJson(chatAnswer('Hello there', null))
  const stream = answerStream([...WHOLE_STREAM.slice(0, 4), DONE])

  test.each([
    ['an answer', whole, ASKED],
    ['a stream', stream, STREAMED],
  ])('is estimated, so that %s without a report is charged', async (_what, answer, asked) => {
    const world = await setUp([{ script: [answer] }], { kind })
    const { status } = await ask(world, asked)
    expect(status).toBe(200)
    const { log } = await books(world)
    expect(log).toMatchObject({ outcome: 'settled' })
    expect(log?.prompt_tokens).toBeGreaterThan(0)
    expect(log?.completion_tokens).toBeGreaterThan(0)
    expect(JSON.parse(log?.basis ?? '').usage_source).toBe('approximate')
  })
})
