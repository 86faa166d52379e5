import { describe, expect, test, vi } from 'vitest'
import {
  answerJson,
  answerStream,
  chatAnswer,
  chunk,
  DONE,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { ASKED, setUp, STREAMED } from '../../../testing/worlds/relay-scenario.ts'
import { createLog } from '../../process/log.ts'

vi.mock('../../scheduler/count-thread.ts', () => ({
  countThread: { count: () => Promise.reject(new Error('planted')) },
}))

describe.each(DATABASES)('text that cannot be counted, on %s', (kind) => {
  const whole = answerJson(chatAnswer('Hello there', null))
  const stream = answerStream([...WHOLE_STREAM.slice(0, 4), DONE])

  test.each([
    ['an answer', whole, ASKED],
    ['a stream', stream, STREAMED],
  ])('is estimated, so that %s without a report is charged', async (_what, answer, asked) => {
    const world = await setUp(answer, { kind })
    const { status } = await world.ask(asked)
    expect(status).toBe(200)
    const { log } = await world.books()
    expect(log).toMatchObject({ outcome: 'settled' })
    expect(log?.prompt_tokens).toBeGreaterThan(0)
    expect(log?.completion_tokens).toBeGreaterThan(0)
    expect(JSON.parse(log?.basis ?? '').usage_source).toBe('approximate')
  })

  test('is reported in one log line, however many requests meet it', async () => {
    const lines: string[] = []
    const log = createLog('warn', { write: (line) => void lines.push(line) })
    const world = await setUp(whole, { kind, log })
    for (let index = 0; index < 3; index += 1) expect((await world.ask()).status).toBe(200)
    const told = lines.filter((line) => line.includes('tokens cannot be counted'))
    expect(told).toHaveLength(1)
    expect(told[0]).toMatch(/o200k_base.*planted|planted.*o200k_base/s)
    await world.books()
  })

  test('is estimated where a balance ends, with an error and a charge', async () => {
    const quota = 1000
    const words = Array.from({ length: 2000 }, () => chunk({ content: ' token' }))
    const world = await setUp(answerStream([...words, DONE]), {
      kind,
      quota,
      options: [['StreamHoldTokens', '256']],
    })
    const text = await (await world.ask(STREAMED)).text()
    expect(text).toContain('insufficient_user_quota')
    const { log } = await world.books()
    expect(log).toMatchObject({ outcome: 'settled', end_reason: 'quota_used_up', uncollected: 0 })
    expect(log?.quota).toBeGreaterThan(quota / 2)
  })

  // 20 000 bytes at a ratio of 0.075 cost 1500; estimated tokens would cost 570.
  test.each([
    [1700, 200],
    [1400, 403],
  ])('counts one token per byte with a balance of %d held', async (quota, told) => {
    const messages = [{ role: 'user', content: 'word '.repeat(4000) }]
    const world = await setUp(whole, { kind, quota })
    expect((await world.ask({ ...ASKED, messages })).status).toBe(told)
  })
})
