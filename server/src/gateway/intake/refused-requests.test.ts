import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { answerChat, answerError } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { ASKED, setUp, type Setup, type World } from '../../../testing/worlds/relay-scenario.ts'
import { audit } from '../../ledger/audit/audit.ts'
import { REFUSALS_PER_MINUTE_MAX, WRITE_AFTER_MS } from './refused-requests.ts'

const PAST = 1_600_000_000
const EXHAUSTED = 4

const refusedRows = ({ database: { kysely } }: World) =>
  kysely.selectFrom('logs').selectAll().where('outcome', '=', 'refused').orderBy('id').execute()

/** The rows, once they are written. */
async function writtenRows(world: World, clock: FakeClock) {
  await clock.passOnceWaited(WRITE_AFTER_MS)
  await waitUntil(async () => (await refusedRows(world)).length > 0)
  return refusedRows(world)
}

describe.each(DATABASES)('requests that are refused, on %s', (kind) => {
  const NOT_ALLOWED = { model_name: ASKED.model, endpoint: 'chat' }
  const usedUp = { token: { status: EXHAUSTED }, tokenQuota: 0 }
  const cases: [string, Setup, number, string, object?][] = [
    ['an expired key', { token: { expired_time: PAST } }, 401, 'invalid_api_key'],
    ['a used-up key', usedUp, 401, 'invalid_api_key'],
    [
      'a model not for the key',
      { token: { models: 'other' } },
      403,
      'model_not_allowed',
      NOT_ALLOWED,
    ],
    ['a balance of zero', { quota: 0 }, 403, 'insufficient_user_quota'],
  ]

  test.each(cases)('%s leaves a row at no cost', async (_, setup, status, end_reason, row = {}) => {
    const clock = FakeClock.withSockets()
    const world = await setUp(answerChat(), { kind, clock, ...setup })
    const answer = await world.ask()
    expect(answer.status).toBe(status)
    const [refused, ...others] = await writtenRows(world, clock)
    expect(refused).toMatchObject({
      ...row,
      end_reason,
      user_id: world.user,
      token_id: world.token,
      request_id: answer.headers.get('x-request-id'),
      type: 2,
      quota: 0,
      prompt_tokens: 0,
      attempts: '[]',
    })
    expect(others).toEqual([])
    expect(await audit(world.database)).toEqual([])
    const hours = await world.database.kysely.selectFrom('rollups').selectAll().execute()
    expect(hours).toEqual([])
  })

  test('a request for a model without a price leaves a row, so that its id is found', async () => {
    const options: Setup['options'] = [['DefaultModelRatio', 'null']]
    const clock = FakeClock.withSockets()
    const providers = [{ script: [answerChat()], models: 'unpriced,other' }]
    const world = await setUp(providers, { kind, clock, options })
    const answer = await world.ask({ ...ASKED, model: 'unpriced' })
    expect(answer.status).toBe(400)
    const request_id = answer.headers.get('x-request-id')
    const row = { end_reason: 'model_price_unset', model_name: 'unpriced', quota: 0, request_id }
    expect(await writtenRows(world, clock)).toMatchObject([row])
    expect(await audit(world.database)).toEqual([])
  })

  test('a client in a loop leaves few rows, and answered requests leave none', async () => {
    const options: Setup['options'] = [['TokenRequestsPerMinute', '1']]
    const clock = FakeClock.withSockets()
    const world = await setUp(answerChat(), { kind, clock, options })
    const statuses: number[] = []
    for (let count = 0; count < REFUSALS_PER_MINUTE_MAX + 3; count += 1) {
      statuses.push((await world.ask()).status)
    }
    expect([...new Set(statuses)]).toEqual([200, 429])
    const rows = await writtenRows(world, clock)
    expect(rows).toHaveLength(REFUSALS_PER_MINUTE_MAX)
    expect(new Set(rows.map(({ end_reason }) => end_reason))).toEqual(
      new Set(['rate_limit_exceeded']),
    )
    expect((await world.books()).account).toMatchObject({ request_count: 1 })
    expect(await audit(world.database)).toEqual([])
  })

  test('a refusal of the provider has the row of its hold alone', async () => {
    const world = await setUp(answerError(429, { message: 'slow down' }), { kind })
    expect((await world.ask()).status).toBe(429)
    await world.gateway().shutDown()
    expect(await refusedRows(world)).toEqual([])
  })

  test('LogErrorEnabled switches refusals off', async () => {
    const options: Setup['options'] = [['LogErrorEnabled', 'false']]
    const world = await setUp(answerChat(), { kind, quota: 0, options })
    expect((await world.ask()).status).toBe(403)
    await world.gateway().shutDown()
    expect(await refusedRows(world)).toEqual([])
  })
})
