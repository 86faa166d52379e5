import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { chargeBasisSchema } from '@tollgate/contract'
import {
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  DONE,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { CLAUDE } from '../../../testing/worlds/native-scenario.ts'
import { outboxOf } from '../../../testing/worlds/outbox.ts'
import { inOrder, MODEL, setUp, STREAMED } from '../../../testing/worlds/relay-scenario.ts'
import { readChannel } from '../../../testing/worlds/rows.ts'
import {
  asOther,
  attemptsOf,
  expectWhole,
  hasty,
  otherStream,
  partialStream,
  readStream,
  textEvents,
  two,
} from '../../../testing/worlds/stream-failover-scenario.ts'
import { recomputeCost } from '../../domain/price.ts'

const random = () => 0
const LOST = 'data: {"error":{"message":"lost","code":"server_error"}}\n\n'

describe('a stream that breaks off continues on another channel', () => {
  const breaks: [string, Behaviour][] = [
    ['when it is cut off', answerStream(partialStream, 'cut')],
    ['when it ends without its end', answerStream(partialStream, 'end')],
    ['when it reports an error', answerStream([...partialStream, LOST])],
  ]
  test.each(breaks)('%s: one text, one id, one end, one charge', async (_, first) => {
    const world = await setUp(two(first, otherStream))
    await expectWhole(world)
    expect(world.calls()).toEqual([1, 1])
    const { log } = await world.books()
    expect(log).toMatchObject({
      channel: world.channels[1],
      end_reason: 'finished',
      outcome: 'settled',
      upstream_model: 'gpt-4o-mini-other',
    })
    const basis = chargeBasisSchema.parse(JSON.parse(log?.basis ?? ''))
    // 8 tokens of prompt, charged once; the output is "Hello there" and ", how are you?".
    expect(basis).toMatchObject({
      prompt_tokens: 8,
      completion_tokens: 2 + 5,
      usage_source: 'counted',
    })
    expect(basis.rescued).toBeUndefined()
    expect(recomputeCost(basis)).toBe(log?.quota)
    const attempts = await attemptsOf(world)
    expect(attempts).toMatchObject([
      { channel: world.channels[0], status: 200 },
      {
        channel: world.channels[1],
        rescued: true,
        reason: '',
        unbilled_prompt_tokens: 8,
        unbilled_completion_tokens: 2,
      },
    ])
    expect(attempts[0]?.reason).not.toBe('')
  })

  test('and on a third if the second breaks too, before or after it has caught up', async () => {
    const early = answerStream(asOther(textEvents('Hel')), 'cut')
    const late = answerStream(asOther(textEvents('Hello there,')), 'cut')
    for (const second of [early, late, answerError(500, {})]) {
      const world = await setUp(inOrder(answerStream(partialStream, 'cut'), second, otherStream))
      await expectWhole(world)
      expect(world.calls()).toEqual([1, 1, 1])
      const { log } = await world.books()
      const basis = chargeBasisSchema.parse(JSON.parse(log?.basis ?? ''))
      expect(basis.prompt_tokens).toBe(8)
      expect(recomputeCost(basis)).toBe(log?.quota)
    }
  })

  test('or on the same one, if there is no other', async () => {
    const world = await setUp([answerStream(partialStream, 'cut'), otherStream], { random })
    await expectWhole(world)
    await world.books()
  })

  test('and reports the total usage on request', async () => {
    const world = await setUp(two(answerStream(partialStream, 'cut'), otherStream))
    const asked = { ...STREAMED, stream_options: { include_usage: true } }
    const { usage } = await expectWhole(world, asked)
    expect(usage).toEqual({ prompt_tokens: 8, completion_tokens: 7, total_tokens: 15 })
    await world.expectLog({ prompt_tokens: 8, completion_tokens: 7 })
  })

  // guards: C10.3
  test('each part at its own price if the channels have different models', async () => {
    const world = await setUp(
      two(answerStream(partialStream, 'cut'), otherStream, { mapping: 'dear' }),
      {
        options: [
          ['ModelRatio', `{"cheap": 1, "dear": 7}`],
          ['CompletionRatio', `{"cheap": 1, "dear": 3}`],
        ],
      },
    )
    const map = (name: string) => JSON.stringify({ unpriced: name })
    // In one transaction: a request in between would be served by the old settings.
    await world.database.change(async (tx) => {
      await tx.updateTable('abilities').set({ model: 'unpriced' }).execute()
      for (const [index, name] of ['cheap', 'dear'].entries()) {
        await tx
          .updateTable('channels')
          .set({ models: 'unpriced', model_mapping: map(name) })
          .where('id', '=', world.channels[index] ?? 0)
          .execute()
      }
    })
    const asked = { ...STREAMED, model: 'unpriced' }
    await waitUntil(async () => (await world.ask(asked)).status === 200)
    const { log } = await world.books()
    const basis = chargeBasisSchema.parse(JSON.parse(log?.basis ?? ''))
    const parts = [basis.prompt_tokens, basis.completion_tokens, basis.rescued]
    expect(parts).toEqual([
      8,
      7,
      [
        expect.objectContaining({
          price_model: 'dear',
          model_ratio: 7,
          completion_ratio: 3,
          completion_tokens: 5,
        }),
      ],
    ])
    expect(log?.quota).toBe(8 + 2 + 5 * 3 * 7)
    expect(recomputeCost(basis)).toBe(log?.quota)
  })
})

describe('a stream ends in an error event, and pays for its delivered output,', () => {
  const helloAnd = (...events: string[]) => answerStream([...textEvents('Hello'), ...events])
  const departures: [string, Behaviour][] = [
    ['when the other says something else', answerStream(asOther(textEvents('Hello you')))],
    ['when the other ends too soon', helloAnd(chunk({ finish: 'stop' }), DONE)],
    ['when the other is filtered', helloAnd(chunk({ finish: 'content_filter' }))],
    ['when the other refuses', answerError(400, { code: 'content_policy_violation' })],
  ]
  test.each(departures)('%s', async (_, second) => {
    const world = await setUp([
      ...two(answerStream(partialStream, 'cut'), second),
      { script: [otherStream], priority: -1 },
    ])
    const stream = readStream(await (await world.ask(STREAMED)).text())
    expect(stream).toMatchObject({ text: 'Hello there', doneCount: 0 })
    expect(stream.error).toBeDefined()
    expect(world.calls()).toEqual([1, 1, 0])
    await world.expectLog({
      end_reason: 'broken_stream',
      completion_tokens: 2,
      channel: world.channels[0],
    })
  })

  test('and the failed continuation is recorded with its attempt', async () => {
    const goodbye = answerStream(asOther(textEvents('Goodbye, my dear old friend, it was nice.')))
    const world = await setUp(two(answerStream(partialStream, 'cut'), goodbye))
    await (await world.ask(STREAMED)).text()
    const [, second] = await attemptsOf(world)
    expect(second).toMatchObject({ reason: 'departed', unbilled_prompt_tokens: 8 })
    expect(second?.unbilled_completion_tokens).toBeGreaterThan(8)
    expect(second?.unbilled_quota).toBeGreaterThan(0)
  })

  test('a stream with nothing but [DONE] instead of text counts as broken', async () => {
    const world = await setUp([
      ...two(answerStream(partialStream, 'cut'), answerStream([...textEvents('Hello'), DONE])),
      { script: [otherStream], priority: -1 },
    ])
    await expectWhole(world)
    expect(world.calls()).toEqual([1, 1, 1])
    await world.books()
  })

  const toolCall = `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { name: 'f' } }] } }],
  })}\n\n`
  const thought = `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    choices: [{ index: 0, delta: { reasoning_content: 'hm' } }],
  })}\n\n`
  const unfit: [string, string[], object][] = [
    ['when a tool call was under way', [...partialStream, toolCall], {}],
    ['when thoughts were sent', [thought, ...partialStream], {}],
    ['when several answers were asked for', partialStream, { n: 2 }],
    ['when probabilities were asked for', partialStream, { logprobs: true }],
  ]
  test.each(unfit)('%s: no other channel is tried', async (_, events, more) => {
    const world = await setUp(two(answerStream(events, 'cut'), otherStream))
    const stream = readStream(await (await world.ask({ ...STREAMED, ...more })).text())
    expect(stream.doneCount).toBe(0)
    expect(stream.error).toBeDefined()
    expect(world.calls()).toEqual([1, 0])
    await world.books()
  })

  test('when no attempts are left', async () => {
    const world = await setUp(two(answerStream(partialStream, 'cut'), otherStream), {
      options: [['RetryTimes', '0']],
    })
    expect(readStream(await (await world.ask(STREAMED)).text()).doneCount).toBe(0)
    expect(world.calls()).toEqual([1, 0])
    await world.books()
  })
})

test('a stream that its client stalled does not affect health, and is not continued', async () => {
  const event = chunk({ content: 'x'.repeat(60_000) })
  let written = 0
  // More than fits into the buffers on the way to a client that does not read.
  const long: Behaviour = async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (; written < 400; written += 1) {
      await new Promise((resolve) => response.write(event, resolve))
    }
    response.socket?.destroy()
  }
  const world = await setUp(two(long, otherStream), {
    quota: 1_000_000_000,
    limits: { clientStallTotalMs: 100 },
    upstreamLimits: { idleMs: 20_000 },
  })
  const answer = await world.ask(STREAMED)
  for (let looks = 0, before = -1; looks < 10; looks = written === before ? looks + 1 : 0) {
    before = written
    await sleep(50)
  }
  expect(readStream(await answer.text()).error).toBeDefined()
  expect(world.calls()).toEqual([1, 0])
  const { log } = await world.books()
  expect(log).toMatchObject({ end_reason: 'broken_stream', outcome: 'settled' })
  expect(log?.attempts).toContain('upstream_fault')
  const channel = await readChannel(world, world.channels[0] ?? 0)
  expect(world.gateway().health.view(channel, MODEL).successShare).toBeNull()
})

const MISREPORTED = 900_000

test('an implausible report after failover counts against the channel that sent it', async () => {
  const beginning = CLAUDE.firstEvents.map((event) =>
    event.replace('"input_tokens":10', `"input_tokens":${MISREPORTED}`),
  )
  const breaks = answerStream([...beginning, ...CLAUDE.textEvents('Hello', ' there')], 'cut')
  const { type, mapping } = CLAUDE
  const world = await setUp(
    [{ type, mapping, script: [breaks], priority: 1 }, { script: [otherStream] }],
    { ...hasty, quota: 1e9 },
  )
  const stream = readStream(await (await world.ask(STREAMED)).text())
  expect(stream).toMatchObject({ text: 'Hello there, how are you?', isWhole: true })
  expect(world.calls()).toEqual([1, 1])
  await world.expectLog({ channel: world.channels[1], overruled: { prompt_tokens: MISREPORTED } })
  const { kysely } = world.database
  await waitUntil(async () => (await outboxOf(world)).length > 0)
  const misreported = { event: 'misreported', channel_id: world.channels[0] }
  expect(await outboxOf(world)).toMatchObject([misreported])
  const marked = await kysely
    .selectFrom('channels')
    .select(['id', 'misreported'])
    .orderBy('id')
    .execute()
  expect(marked.map(({ misreported }) => misreported)).toEqual([1, 0])
})
