import { once } from 'node:events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Receipt, ROLE, roundedRatio, USER_STATUS } from '@tollgate/contract'
import {
  answerChat,
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  DONE,
  neverAnswer,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { chargeAgain } from '../../../testing/ledger/charge-again.ts'
import {
  ASKED,
  MODEL,
  type Setup,
  setUp,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'
import { partialStream, otherStream } from '../../../testing/worlds/stream-failover-scenario.ts'
import { getReceipt } from './get-receipt.ts'

const CALLER = { id: 0, username: 'admin', role: ROLE.admin, status: USER_STATUS.enabled }
const READER = { caller: CALLER, language: 'en' } as const

async function receiptOf(world: World): Promise<Receipt> {
  const { log } = await world.books()
  return getReceipt(world, READER, log?.id ?? 0)
}

/** Hold, settlement and sum must agree to the unit, including the uncollected amount. */
function expectToAddUp(receipt: Receipt) {
  const { basis, quota, uncollected, held, outcome } = receipt
  expect(receipt.disconnect_policy).toBe('drain')
  expect(receipt.attempt_count).toBe(receipt.attempts.length)
  if (outcome === 'void') {
    expect([basis, quota, uncollected]).toEqual([null, 0, 0])
    return
  }
  if (basis === null) throw new Error('a charge without its basis')
  expect(chargeAgain(basis)).toBe(basis.cost)
  expect(quota + uncollected).toBe(basis.cost)
  expect(basis.held).toBe(held)
  expect([receipt.prompt_tokens, receipt.completion_tokens]).toEqual([
    basis.prompt_tokens,
    basis.completion_tokens,
  ])
}

/** Slightly above the requested limit, as some providers interpret limits. */
const much = { prompt_tokens: 10, completion_tokens: 1850, total_tokens: 1860 }
const talksOn: Behaviour = async (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const gone = once(response, 'close')
  for (let word = 0; word < 20_000 && !response.destroyed; word += 1) {
    if (response.write(chunk({ content: ' token' }))) continue
    await Promise.race([gone, new Promise((resolve) => response.once('drain', resolve))])
  }
  response.end(DONE)
}

describe('a receipt can be recomputed', () => {
  type Case = {
    scripts: [Behaviour, Behaviour?]
    setup?: Setup
    body?: object
    shows: object
  }
  const cases: [string, Case][] = [
    ['a whole answer', { scripts: [answerChat()], body: ASKED, shows: { end_reason: 'finished' } }],
    ['a stream', { scripts: [answerStream(WHOLE_STREAM)], shows: { end_reason: 'finished' } }],
    [
      'a stream that broke off',
      { scripts: [answerStream(partialStream, 'cut')], shows: { end_reason: 'broken_stream' } },
    ],
    [
      'a hedged stream',
      {
        scripts: [neverAnswer, answerStream(WHOLE_STREAM)],
        setup: {
          options: [['HedgeAfterSeconds', '0.2']],
          upstreamLimits: { firstByteMs: 20_000, idleMs: 20_000 },
        },
        shows: {
          end_reason: 'finished',
          // 10 tokens at 0.075, rounded up.
          attempts: [{ unbilled_prompt_tokens: 10, unbilled_quota: 1 }, { hedged: true }],
        },
      },
    ],
    [
      'a void after two attempts',
      { scripts: [answerError(500, {}), answerError(503, {})], shows: { outcome: 'void' } },
    ],
    [
      'what a balance cut off',
      {
        scripts: [talksOn],
        setup: { quota: 1000, options: [['StreamHoldTokens', '256']] },
        shows: { end_reason: 'quota_used_up', uncollected: 0 },
      },
    ],
    [
      'what no balance covers',
      {
        scripts: [answerChat('much', much)],
        setup: { quota: 500 },
        body: ASKED,
        shows: { quota: 500, uncollected: 56 },
      },
    ],
    [
      'a model that costs nothing',
      {
        scripts: [answerStream(WHOLE_STREAM)],
        setup: { quota: 0, options: [['ModelRatio', `{"${MODEL}":0}`]] },
        shows: { quota: 0, held: 0, basis: { cost: 0, model_ratio: 0 } },
      },
    ],
  ]
  test.each(cases)('for %s', async (_name, { scripts, setup = {}, body, shows }) => {
    const [first, second] = scripts
    const providers = [{ script: [first], priority: 1 }]
    const more = second === undefined ? [] : [{ script: [second] }]
    const world = await setUp([...providers, ...more], setup)
    await (await world.ask(body ?? STREAMED)).text()
    const receipt = await receiptOf(world)
    expect(receipt).toMatchObject(shows)
    expectToAddUp(receipt)
  })

  test('for a stream with failover at two prices', async () => {
    const world = await setUp([], { options: [['ModelRatio', '{"cheap":0.3,"dear":3.3}']] })
    const { upstream } = world
    const add = (name: string, script: Behaviour, priority: number) => {
      upstream.script(name, script)
      const model_mapping = JSON.stringify({ unpriced: name })
      const base_url = upstream.baseUrl(name)
      return world.addChannel({ base_url, models: 'unpriced', model_mapping, priority })
    }
    await add('dear', otherStream, 0)
    const asked = { ...STREAMED, model: 'unpriced' }
    await waitUntil(async () => (await world.ask(asked)).status === 200)
    await add('cheap', answerStream(partialStream, 'cut'), 1)
    await waitUntil(async () => {
      await (await world.ask(asked)).text()
      return upstream.requestsOf('cheap').length > 0
    })
    const receipt = await receiptOf(world)
    expect(receipt.attempts).toMatchObject([
      { rescued: false, unbilled_quota: 0 },
      // 8 tokens were read again and 2 were written again, at 3.3 and rounded up.
      { rescued: true, unbilled_completion_tokens: 2, unbilled_quota: 33 },
    ])
    expect(receipt.basis?.rescued).toMatchObject([{ model_ratio: 3.3, completion_tokens: 5 }])
    expectToAddUp(receipt)
  })

  test('for an answer whose client had disconnected', async () => {
    const world = await setUp([{ script: [answerStream(partialStream, 'hang')] }])
    const client = world.askAndLeave(STREAMED)
    await client.firstByte()
    await client.leave()
    const receipt = await receiptOf(world)
    expect(receipt).toMatchObject({ end_reason: 'client_left', basis: { usage_source: 'counted' } })
    expectToAddUp(receipt)
  })

  const ratio = fc.oneof(
    fc.constantFrom(0, 0.1, 0.3, 1, 1.1, 1 / 3, 2.19 / 0.55),
    fc.double({ min: 0, max: 50, noNaN: true }),
  )
  const reported = fc
    .record({
      fresh: fc.nat(100_000),
      cached_tokens: fc.nat(100_000),
      cache_write_tokens: fc.nat(100_000),
      completion_tokens: fc.integer({ min: 1, max: 100_000 }),
    })
    .map(({ fresh, completion_tokens, ...details }) => ({
      prompt_tokens: fresh + details.cached_tokens + details.cache_write_tokens,
      completion_tokens,
      prompt_tokens_details: details,
    }))

  test('for any usage at any prices', async () => {
    const allow = { 'OAI-029': 'the limit is above every usage' }
    const world = await setUp([{ script: [answerChat()], allow }], { quota: 1_000_000_000_000 })
    // Long enough for every usage the test reports.
    const messages = [{ role: 'user', content: 'x'.repeat(600_000) }]
    const asked = { ...ASKED, messages, max_tokens: 100_000 }
    const property = fc.asyncProperty(
      reported,
      fc.tuple(ratio, ratio, ratio, ratio, ratio),
      async (usage, [model, completion, cache, written, group]) => {
        await world.setOption('ModelRatio', JSON.stringify({ [MODEL]: model }))
        await world.setOption('CompletionRatio', JSON.stringify({ [MODEL]: completion }))
        await world.setOption('CacheRatio', JSON.stringify({ [MODEL]: cache }))
        await world.setOption('CacheWriteRatio', JSON.stringify({ [MODEL]: written }))
        await world.setOption('GroupRatio', JSON.stringify({ default: group }))
        world.upstream.script('p0', answerChat('Hello', usage))
        expect((await world.ask(asked)).status).toBe(200)
        const receipt = await receiptOf(world)
        expect(receipt.basis).toMatchObject({
          ...usage.prompt_tokens_details,
          group_ratio: roundedRatio(group),
        })
        expect(receipt.basis?.price_version).toMatch(/\+options$/)
        expectToAddUp(receipt)
      },
    )
    await fc.assert(property, { numRuns: 20 })
  })
})
