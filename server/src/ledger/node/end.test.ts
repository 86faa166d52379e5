import { afterEach, describe, expect, test } from 'vitest'
import { QUOTA_MAX } from '@tollgate/contract'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import {
  holdAs,
  mustHold,
  openLedgerWorld,
  request,
  settlement,
} from '../../../testing/ledger/ledger-world.ts'
import { basis } from '../../../testing/ledger/sample-basis.ts'
import { audit } from '../audit/audit.ts'

describe.each(DATABASES)('on %s', (kind) => {
  const world = openOnce(() => openLedgerWorld(kind))
  afterEach(async () => {
    expect(await audit(world.database)).toEqual([])
  })

  const rows = (table: 'logs' | 'ledger_days', userId: number) =>
    world.database.kysely.selectFrom(table).selectAll().where('user_id', '=', userId).execute()

  async function open({
    quota = 1000,
    limit,
    max = 100,
  }: { quota?: number; limit?: number; max?: number } = {}) {
    const { userId, tokenId } = await world.addCustomer(quota, limit)
    const context = request(userId, tokenId)
    const hold = await mustHold(world, context, { min: 1, max })
    return { userId, tokenId, context, hold }
  }

  test('closing again changes nothing', async () => {
    const { userId, hold } = await open()
    await hold.settle(settlement(30))
    await hold.settle(settlement(99))
    await hold.void(settlement(0))
    expect(await world.user(userId)).toMatchObject({ quota: 970, request_count: 1 })

    const other = await open()
    await other.hold.void(settlement(0))
    await other.hold.settle(settlement(30))
    expect(await world.user(other.userId)).toMatchObject({ quota: 1000, request_count: 1 })
  })

  test('concurrent closing charges once', async () => {
    const { userId, hold } = await open()
    await Promise.all(Array.from({ length: 20 }, () => hold.settle(settlement(30))))
    expect(await world.user(userId)).toMatchObject({ quota: 970, request_count: 1 })
    expect(await rows('logs', userId)).toHaveLength(1)
  })

  // guards: C3.1
  test('a cost above the hold takes the free balance, never what other requests hold', async () => {
    const { userId, tokenId, hold } = await open({ quota: 100, max: 20 })
    const other = await mustHold(world, request(userId, tokenId), { min: 50, max: 50 })
    await hold.settle(settlement(90))
    expect(await world.user(userId)).toMatchObject({ quota: 50 })
    await other.settle(settlement(50))
    expect(await world.user(userId)).toMatchObject({ quota: 0, used_quota: 100 })
    expect(await rows('ledger_days', userId)).toMatchObject([{ charged: 100, uncollected: 40 }])
  })

  // guards: C16.1
  test('a token exhausted by its requests gets that status, and only then', async () => {
    const { userId, tokenId, hold } = await open({ limit: 100 })
    const later = await holdAs(world, request(userId, tokenId), { min: 1, max: 1 })
    expect(later.type).toBe('in_use')
    expect((await world.token(tokenId)).status).toBe(1)
    await hold.settle(settlement(100))
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 0, status: 4 })
  })

  // guards: C24.1
  test('a charge goes to the accounts that its hold was taken from', async () => {
    const unlimited = await open()
    const tokens = world.database.kysely.updateTable('tokens')
    await tokens.set({ unlimited_quota: 0 }).where('id', '=', unlimited.tokenId).execute()
    await unlimited.hold.settle(settlement(30))
    expect(await world.token(unlimited.tokenId)).toMatchObject({
      remain_quota: 0,
      used_quota: 30,
      status: 1,
    })
    const limited = await open({ limit: 100 })
    await tokens.set({ unlimited_quota: 1 }).where('id', '=', limited.tokenId).execute()
    await limited.hold.settle(settlement(100))
    expect(await world.token(limited.tokenId)).toMatchObject({ remain_quota: 0, status: 1 })
  })

  // guards: C6.4
  test('strings that a database refuses do not stop a charge', async () => {
    const { userId, tokenId } = await world.addCustomer(1000)
    const channel = await world.addChannel()
    const poison = 'a\0b\ud800c'
    const context = { ...request(userId, tokenId), model: poison, tokenName: poison }
    const hold = await mustHold(world, context, { min: 1, max: 100 })
    await hold.settle({
      ...settlement(30, { content: poison.repeat(100_000), channel }),
      upstreamModel: poison,
      attempts: [{ channel: 1, status: 500, reason: poison.repeat(1000), milliseconds: 0.4 }],
      basis: { ...basis(30), price_model: poison, group: poison },
    })
    const [log] = await world.database.kysely
      .selectFrom('logs')
      .selectAll()
      .where('user_id', '=', userId)
      .execute()
    expect(log).toMatchObject({ model_name: 'ab\ufffdc', upstream_model: 'ab\ufffdc', quota: 30 })
    expect(log).toMatchObject({ channel, elapsed_time: 700, first_token_time: 90 })
    expect(log?.content.length).toBe(2000)
    expect(JSON.parse(log?.attempts ?? '')).toMatchObject([{ milliseconds: 0 }])
  })

  test.each([
    ['a negative cost', -1],
    ['a fraction', 0.5],
    ['no number', Number.NaN],
    ['too much', QUOTA_MAX + 1],
  ])('%s is refused, and the hold can still be closed', async (_what, cost) => {
    const { userId, hold } = await open()
    const wrong = { ...settlement(cost), basis: { ...basis(30), cost } }
    await expect(hold.settle(wrong)).rejects.toThrow(RangeError)
    expect(world.ledger.running()).toBeGreaterThan(0)
    await hold.settle(settlement(30))
    expect(await world.user(userId)).toMatchObject({ quota: 970 })
  })

  // guards: L4.1
  test('a cost that its basis does not explain is refused', async () => {
    const { hold } = await open()
    await expect(hold.settle({ ...settlement(30), cost: 31 })).rejects.toThrow(RangeError)
    const negative = { ...basis(30), cached_tokens: -5 }
    await expect(hold.settle({ ...settlement(30), basis: negative })).rejects.toThrow(RangeError)
    await hold.settle(settlement(30))
  })

  test('durations distorted by a clock jump do not stop a charge', async () => {
    const { userId, hold } = await open()
    await hold.settle(settlement(30, { elapsedMs: -5.5, firstTokenMs: Number.NaN }))
    expect(await rows('logs', userId)).toMatchObject([{ elapsed_time: 0, first_token_time: 0 }])
  })
})
