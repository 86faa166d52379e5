import pg from 'pg'
import { expect, inject, test } from 'vitest'
import {
  answerAsAsked,
  answerChat,
  answerJson,
  type Behaviour,
  chatAnswer,
  chunk,
  DONE,
  gated,
  gatedStream,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { stoppingBefore } from '../../../testing/ledger/delayed-holds.ts'
import {
  ASKED,
  COST,
  expectRefusal,
  QUOTA,
  setUp,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'
import { createLog } from '../../process/log.ts'

/** Blocks a database, ends its sessions, and opens it again. */
async function outageOf({ databaseUrl = '' }: World) {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  const name = new URL(databaseUrl).pathname.slice(1)
  await admin.connect()
  return {
    begin: async () => {
      await admin.query(`alter database ${name} allow_connections false`)
      await admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
        [name],
      )
    },
    end: async () => {
      await admin.query(`alter database ${name} allow_connections true`)
      await admin.end()
    },
  }
}

// guards: C15.3
test('while the database is away new requests get 503, and are served when it is back', async () => {
  const lines: string[] = []
  const log = createLog('warn', { write: (line) => lines.push(line) })
  const world = await setUp(answerChat(), { kind: 'postgres', log })
  expect((await world.ask()).status).toBe(200)
  const outage = await outageOf(world)
  await outage.begin()
  await expectRefusal(world.ask(), 503, 'database_unavailable')
  await expectRefusal(
    { ...world, key: 'sk-01234567890123456789' }.ask(),
    503,
    'database_unavailable',
  )
  const told = lines.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId)
  expect(told).toHaveLength(2)
  for (const { error } of told) {
    const { message } = error.cause ?? error
    expect(message).toMatch(/terminat|not currently accepting|not queryable/i)
  }
  await outage.end()
  await waitUntil(async () => (await world.ask()).status === 200)
  expect(world.calls()).toEqual([2])
  const { account } = await world.books()
  expect(account.quota).toBe(QUOTA - 2 * COST)
})

// guards: C15.6
test('a stream that cannot raise its hold during an outage reports it, and pays for its output', async () => {
  const words = Array.from({ length: 500 }, () => chunk({ content: ' token' }))
  const { script: long, letGo: resolve } = gatedStream(words[0] ?? '', [...words, DONE])
  const world = await setUp(long, {
    kind: 'postgres',
    quota: 1500,
    options: [['StreamHoldTokens', '256']],
    limits: { settleWaitMs: 200 },
    upstreamLimits: { firstByteMs: 20_000, idleMs: 20_000 },
  })
  const streamed = await world.ask(STREAMED)
  const outage = await outageOf(world)
  await outage.begin()
  resolve()
  const text = await streamed.text()
  expect(text).toContain('database_unavailable')
  expect(text).not.toContain('insufficient_user_quota')
  await outage.end()
  await waitUntil(() =>
    world.books().then(
      ({ log }) => log !== undefined,
      () => false,
    ),
  )
  const { log } = await world.books()
  expect(log).toMatchObject({ end_reason: 'database_away', outcome: 'settled', uncollected: 0 })
  expect(log?.completion_tokens).toBeGreaterThan(100)
})

test('a running request ends normally, and is charged once when the database is back', async () => {
  const { promise: goOn, resolve } = Promise.withResolvers<void>()
  const slow: Behaviour = async (response, request) => {
    const streams = request.body.includes('"stream":true')
    if (streams) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk({ content: 'Hello' }))
    }
    await goOn
    if (streams) response.end(WHOLE_STREAM.slice(2).join(''))
    else await answerChat()(response, request)
  }
  const world = await setUp(slow, {
    kind: 'postgres',
    limits: { settleWaitMs: 200 },
    upstreamLimits: { firstByteMs: 20_000, idleMs: 20_000 },
  })
  const whole = world.ask(ASKED)
  const streamed = await world.ask(STREAMED)
  await waitUntil(async () => world.calls()[0] === 2)
  const outage = await outageOf(world)
  await outage.begin()
  resolve()
  expect((await streamed.text()).endsWith(DONE)).toBe(true)
  expect((await whole).status).toBe(200)
  await outage.end()
  const isBack = () => world.books().then(({ account: { request_count } }) => request_count === 2)
  await waitUntil(() => isBack().catch(() => false))
  const { account, logs } = await world.books()
  expect(account).toMatchObject({ quota: QUOTA - 2 * COST, request_count: 2 })
  expect(logs.map(({ quota, outcome }) => [quota, outcome])).toEqual([
    [COST, 'settled'],
    [COST, 'settled'],
  ])
})

// guards: L1.3, L1.4
test.each(
  (['sqlite', 'postgres'] as const).flatMap((kind) => [
    { kind, what: 'an answer in one piece', body: ASKED },
    { kind, what: 'a stream', body: STREAMED },
  ]),
)('$what whose charge is not recorded is not completed ($kind)', async ({ kind, body }) => {
  const { withLedger, letGo } = stoppingBefore('settle')
  const limits = { settleWaitMs: 200 }
  const world = await setUp(answerAsAsked, { kind, limits, withLedger })
  const answer = await world.ask(body)
  const text = await answer.text()
  expect(text).toContain('database_unavailable')
  expect(text).not.toContain('usage')
  expect(text).not.toContain(DONE)
  letGo()
  expect((await world.books()).account.quota).toBe(QUOTA - COST)
})

test("an epoch that others closed keeps the provider's report", async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 1500, total_tokens: 1510 }
  const { script: slow, letGo: resolve } = gated(answerJson(chatAnswer('Hello', usage)))
  const world = await setUp(slow, { upstreamLimits: { firstByteMs: 20_000 } })
  const answer = world.ask({ ...ASKED, max_tokens: 2000 })
  await waitUntil(async () => world.calls()[0] === 1)
  const { kysely } = world.database
  await kysely.updateTable('ledger_nodes').set({ closed_at: 1 }).execute()
  await kysely.updateTable('users').set({ quota_leased: 0 }).execute()
  await kysely.deleteFrom('quota_leases').execute()
  const runs = kysely.selectFrom('ledger_nodes').selectAll()
  await waitUntil(async () => (await runs.execute()).length === 2)
  resolve()
  expect((await answer).status).toBe(200)
  await world.expectLog({
    completion_tokens: 1500,
    outcome: 'settled',
    uncollected: 0,
    usage_source: 'reported',
  })
})
