import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askBad, setUpBad } from '../../testing/bad-scenario.ts'
import { DATABASES } from '../../testing/databases.ts'
import { ASKED, COST, STREAMED, tearDown, type World } from '../../testing/relay-scenario.ts'
import {
  answerJson,
  answerStream,
  type Behaviour,
  chatAnswer,
  chunk,
  DONE,
  USAGE,
  WHOLE_STREAM,
} from '../../testing/scripted-upstream.ts'

afterAll(tearDown)

describe.each(DATABASES)('usage that cannot be believed, on %s', (kind) => {
  /** `hi` has 8 tokens with what stands around it, the answer 2. */
  const COUNTED = { prompt_tokens: 8, completion_tokens: 2, quota: 2 }
  const REPORTED = { prompt_tokens: 10, completion_tokens: 5, quota: COST }
  const rows: [string, unknown, 'counted' | 'reported'][] = [
    ['absent', undefined, 'counted'],
    ['null', null, 'counted'],
    ['a list', [10, 5], 'counted'],
    ['of texts', { prompt_tokens: '10', completion_tokens: '5' }, 'counted'],
    ['negative', { prompt_tokens: -10, completion_tokens: 5 }, 'counted'],
    ['negative in its output', { prompt_tokens: 10, completion_tokens: -5 }, 'counted'],
    ['fractions', { prompt_tokens: 10.5, completion_tokens: 5 }, 'counted'],
    ['beyond what any model reads', { ...USAGE, prompt_tokens: 2 ** 24 + 1 }, 'counted'],
    ['beyond what any model writes', { ...USAGE, completion_tokens: 2 ** 31 }, 'counted'],
    ['beyond numbers', { prompt_tokens: 1e300, completion_tokens: 5 }, 'counted'],
    [
      'with a negative cache',
      { ...USAGE, prompt_tokens_details: { cached_tokens: -9 } },
      'reported',
    ],
    [
      'with more reasoning than output',
      { ...USAGE, completion_tokens_details: { reasoning_tokens: 1e9 } },
      'reported',
    ],
  ]
  let world: World
  beforeAll(async () => {
    world = await setUpBad(kind)
  })

  test.each(rows)('%s', async (_name, usage, source) => {
    const whole = answerJson(JSON.stringify({ ...chatAnswer('Hello there', null), usage }))
    const event = `data: ${JSON.stringify({ choices: [], usage })}\n\n`
    const stream = answerStream([...WHOLE_STREAM.slice(0, 4), event, DONE])
    const asked: [Behaviour, object][] = [
      [whole, ASKED],
      [stream, STREAMED],
    ]
    for (const [behaviour, body] of asked) {
      const { response, text, log } = await askBad(world, behaviour, body)
      expect(response.status).toBe(200)
      expect(text).toContain('Hello')
      const expected = source === 'counted' ? COUNTED : REPORTED
      expect(log).toMatchObject({ ...expected, outcome: 'settled', end_reason: 'finished' })
      expect(JSON.parse(log.basis)).toMatchObject({ usage_source: source })
    }
  })
})

describe('usage that is reported more than once', () => {
  const usage = (prompt_tokens: number, completion_tokens: number) =>
    chunk({ usage: { prompt_tokens, completion_tokens } })
  const said = WHOLE_STREAM.slice(0, 4)
  const nonsense = chunk({ usage: { prompt_tokens: -1, completion_tokens: 'many' } })
  let world: World
  beforeAll(async () => {
    world = await setUpBad()
  })

  test.each([
    ['the same twice', [usage(10, 5), usage(10, 5)]],
    ['growing', [usage(10, 1), usage(10, 3), usage(10, 5)]],
    ['and then nonsense', [usage(10, 5), nonsense]],
    ['after nonsense', [nonsense, usage(10, 5)]],
  ])('%s is charged once', async (_name, usages) => {
    const { log } = await askBad(world, answerStream([...said, ...usages, DONE]), STREAMED)
    expect(log).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, quota: COST })
  })

  test('as a member of one answer twice is charged once', async () => {
    const text = JSON.stringify(chatAnswer())
    const twice = `${text.slice(0, -1)},"usage":{"prompt_tokens":10,"completion_tokens":5}}`
    const { log } = await askBad(world, answerJson(twice), ASKED)
    expect(log).toMatchObject({ quota: COST })
  })
})
