import { describe, expect, test } from 'vitest'
import {
  answerJson,
  answerStream,
  type Behaviour,
  chatAnswer,
  chunk,
  DONE,
  USAGE,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { type DatabaseKind, DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { askBad, shareBadWorld } from '../../../testing/worlds/bad-scenario.ts'
import { outboxOf } from '../../../testing/worlds/outbox.ts'
import { ASKED, COST, STREAMED } from '../../../testing/worlds/relay-scenario.ts'

const USAGE_ASKED = { include_usage: true }

/** The usage that a client got, in an answer or in a stream. */
function toldIn(text: string): Record<string, unknown>[] {
  const events = text.startsWith('{') ? [text] : text.split('\n\n').map((event) => event.slice(6))
  return events
    .filter((event) => event.startsWith('{'))
    .map((event) => JSON.parse(event).usage)
    .filter((usage) => usage !== undefined && usage !== null)
}

function lastToldIn(text: string) {
  const { prompt_tokens, completion_tokens } = toldIn(text).at(-1) ?? {}
  return { prompt_tokens, completion_tokens }
}

/**
 * What a report is worth is decided before any statement, so PostgreSQL has the first row of each
 * outcome.
 */
const rowsOn = <Row extends readonly unknown[]>(
  kind: DatabaseKind,
  rows: readonly Row[],
  outcomeOf: (row: Row) => unknown,
) =>
  rows.filter(
    (row, index) =>
      kind === 'sqlite' || rows.findIndex((other) => outcomeOf(other) === outcomeOf(row)) === index,
  )

describe.each(DATABASES)('implausible usage, on %s', (kind) => {
  /** `hi` has 8 tokens with its chat formatting, the answer 2. */
  const COUNTED = { prompt_tokens: 8, completion_tokens: 2, quota: 2 }
  const REPORTED = { prompt_tokens: 10, completion_tokens: 5, quota: COST }
  const NO_PROMPT = { prompt_tokens: 8, completion_tokens: 5, quota: 3 }
  const NO_OUTPUT = { prompt_tokens: 10, completion_tokens: 2, quota: 2 }
  const REASONING = { completion_tokens_details: { reasoning_tokens: 1e9 } }
  const CACHE = { prompt_tokens_details: { cached_tokens: -9 } }
  const rows: [string, unknown, 'counted' | 'reported' | object][] = [
    ['without a prompt', { completion_tokens: 5 }, 'counted'],
    ['of no prompt', { prompt_tokens: 0, completion_tokens: 5 }, NO_PROMPT],
    ['of no output', { prompt_tokens: 10, completion_tokens: 0 }, NO_OUTPUT],
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
    ['with a negative cache', { ...USAGE, ...CACHE }, 'reported'],
    ['with more reasoning than output', { ...USAGE, ...REASONING }, 'reported'],
  ]
  const world = shareBadWorld(kind)

  test.each(rowsOn(kind, rows, ([, , source]) => source))('%s', async (_name, usage, source) => {
    const whole = answerJson(JSON.stringify({ ...chatAnswer('Hello there', null), usage }))
    const event = `data: ${JSON.stringify({ choices: [], usage })}\n\n`
    const stream = answerStream([...WHOLE_STREAM.slice(0, 4), event, DONE])
    const last = { index: 0, delta: {}, finish_reason: 'stop' }
    const withReason = `data: ${JSON.stringify({ choices: [last], usage })}\n\n`
    const streamed = { ...STREAMED, stream_options: USAGE_ASKED }
    const asked: [Behaviour, object][] = [
      [whole, ASKED],
      [stream, streamed],
      [answerStream([...WHOLE_STREAM.slice(0, 3), withReason, DONE]), streamed],
    ]
    for (const [behaviour, body] of asked) {
      const { response, text, log } = await askBad(world, behaviour, body)
      expect(response.status).toBe(200)
      expect(text).toContain('Hello')
      const half = typeof source === 'object' ? source : COUNTED
      const expected = source === 'reported' ? REPORTED : half
      expect(log).toMatchObject({ ...expected, outcome: 'settled', end_reason: 'finished' })
      const usage_source = source === 'reported' ? source : 'counted'
      expect(JSON.parse(log.basis)).toMatchObject({ usage_source })
      expect(expected).toMatchObject(lastToldIn(text))
    }
  })
})

const VIDEO = { type: 'file', file: { file_id: 'https://www.youtube.com/watch?v=x' } }
const SHOWN = { messages: [{ role: 'user', content: [VIDEO] }] }

describe.each(DATABASES)('usage that exceeds the request, on %s', (kind) => {
  const COUNTED = { prompt_tokens: 8, completion_tokens: 2, quota: 2 }
  const rows: [string, object, object, boolean][] = [
    ['100 000 tokens where 10 were asked', { completion_tokens: 1e5 }, { max_tokens: 10 }, false],
    ['a million of them', { completion_tokens: 1e6 }, { max_tokens: 10 }, false],
    ['more than the model can write', { completion_tokens: 2 ** 24 }, {}, false],
    ['a million tokens of prompt', { prompt_tokens: 1e6 }, {}, false],
    ['just too many for the limit', { completion_tokens: 10 + 257 }, { max_tokens: 10 }, false],
    ['just not too many for it', { completion_tokens: 10 + 256 }, { max_tokens: 10 }, true],
    ['as many for each of two', { completion_tokens: 2 * 266 }, { max_tokens: 10, n: 2 }, true],
    [
      'reasoning of a model that does not reason',
      { completion_tokens: 5010, completion_tokens_details: { reasoning_tokens: 5000 } },
      { max_tokens: 10 },
      false,
    ],
    ['a prompt with a thousand tokens of the provider', { prompt_tokens: 1026 }, {}, true],
    ['a prompt with thirty thousand of them', { prompt_tokens: 30_000 }, {}, false],
    ['a video that is referred to, as long as the window', { prompt_tokens: 128_000 }, SHOWN, true],
  ]
  const world = shareBadWorld(kind)

  const rowsHere = rowsOn(kind, rows, ([, , , isBelieved]) => isBelieved)
  test.each(rowsHere)('%s', async (_name, reported, limits, isBelieved) => {
    const usage = { ...USAGE, ...reported }
    const whole = answerJson(chatAnswer('Hello there', usage))
    const stream = answerStream([...WHOLE_STREAM.slice(0, 4), chunk({ usage }), DONE])
    const twice = 'n' in limits ? [whole] : [whole, stream]
    for (const behaviour of twice) {
      const asked = behaviour === whole ? ASKED : { ...STREAMED, stream_options: USAGE_ASKED }
      const { text, log } = await askBad(world, behaviour, { ...asked, ...limits })
      const basis = JSON.parse(log.basis)
      if (isBelieved) {
        expect(basis).toMatchObject({ usage_source: 'reported', ...usageOf(usage) })
        continue
      }
      expect(log).toMatchObject({ ...COUNTED, outcome: 'settled', end_reason: 'finished' })
      expect(basis).toMatchObject({ usage_source: 'overruled', overruled: usageOf(usage) })
      expect(COUNTED).toMatchObject(lastToldIn(text))
    }
  })

  test('is reported to the operator of the channel, once', async () => {
    const told = async () =>
      (await outboxOf(world)).filter((sent) => 'event' in sent && sent.event === 'misreported')
    await waitUntil(async () => (await told()).length > 0)
    expect(await told()).toEqual([
      expect.objectContaining({
        type: 'channel-alert',
        channel_id: world.channels[0],
        reason:
          'The provider reported 10 prompt and 100,000 completion tokens for one request; 8 and 2 were counted and charged.',
      }),
    ])
  })
})

const usageOf = ({ prompt_tokens, completion_tokens }: typeof USAGE) => ({
  prompt_tokens,
  completion_tokens,
})

describe('usage that arrives before the end of the answer', () => {
  const words = Array.from({ length: 500 }, () => chunk({ content: ' word' }))
  const early = chunk({ usage: { prompt_tokens: 10, completion_tokens: 1 } })
  const world = shareBadWorld()

  test('gives the prompt tokens, and the output is counted', async () => {
    const stream = answerStream([early, ...words, chunk({ finish: 'stop' }), DONE])
    const { log } = await askBad(world, stream, STREAMED)
    expect(log).toMatchObject({ prompt_tokens: 10, completion_tokens: 500 })
    expect(JSON.parse(log.basis).usage_source).toBe('counted')
  })

  test('gives the output tokens as well, if no more can be counted', async () => {
    const more = chunk({ usage: { prompt_tokens: 10, completion_tokens: 700 } })
    const stream = answerStream([more, ...words, chunk({ finish: 'stop' }), DONE])
    const { log } = await askBad(world, stream, STREAMED)
    expect(log).toMatchObject({ prompt_tokens: 10, completion_tokens: 700 })
  })
})

describe('usage that is reported more than once', () => {
  const usage = (prompt_tokens: number, completion_tokens: number) =>
    chunk({ usage: { prompt_tokens, completion_tokens } })
  const event = (json: object) => `data: ${JSON.stringify(json)}\n\n`
  const LAST = { prompt_tokens: 10, completion_tokens: 5 }
  const NO = { message: 'no' }
  const said = WHOLE_STREAM.slice(0, 4)
  const nonsense = chunk({ usage: { prompt_tokens: -1, completion_tokens: 'many' } })
  const world = shareBadWorld()

  test.each([
    ['the same twice', [usage(10, 5), usage(10, 5)]],
    ['growing', [usage(10, 1), usage(10, 3), usage(10, 5)]],
    ['and then nonsense', [usage(10, 5), nonsense]],
    ['after nonsense', [nonsense, usage(10, 5)]],
    ['elsewhere at last', [usage(10, 1), event({ choices: [], x_groq: { usage: LAST } })]],
    ['with an error', [usage(10, 1), event({ choices: [], usage: LAST, error: NO })]],
    ['without choices', [event({ usage: LAST })]],
    ['with a message', [event({ message: 'no', usage: LAST })]],
  ])('%s is charged and reported once', async (_name, usages) => {
    const asked = { ...STREAMED, stream_options: USAGE_ASKED }
    const { text, log } = await askBad(world, answerStream([...said, ...usages, DONE]), asked)
    expect(log).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, quota: COST })
    expect(toldIn(text)).toMatchObject([LAST])
    expect(text).not.toContain('error')
  })

  test('a repeated member in one answer is charged once', async () => {
    const text = JSON.stringify(chatAnswer())
    const twice = `${text.slice(0, -1)},"usage":{"prompt_tokens":10,"completion_tokens":5}}`
    const { log } = await askBad(world, answerJson(twice), ASKED)
    expect(log).toMatchObject({ quota: COST })
  })
})
