import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import {
  NOW,
  NOW_MS,
  openNode,
  openAuditedWorld,
  openBatchWorld,
  request,
  settled,
  voided,
} from '../../../testing/ledger/batch-world.ts'
import { settlement } from '../../../testing/ledger/ledger-world.ts'
import { basis } from '../../../testing/ledger/sample-basis.ts'
import { tokenAccount, userAccount } from '../account.ts'
import { audit } from '../audit/audit.ts'

const HOUR = Math.floor(NOW_MS / 3_600_000)
const DAY = Math.floor(NOW_MS / 86_400_000)

describe.each(DATABASES)('on %s', (kind) => {
  const world = openAuditedWorld(kind)

  /** A user with a lease, and a token that has one too if it is limited. */
  async function open({
    quota = 1000,
    limit,
    lease = 100,
  }: { quota?: number; limit?: number; lease?: number } = {}) {
    const { userId, tokenId } = await world.addCustomer(quota, limit)
    const context = request(userId, tokenId, { tokenLimited: limit !== undefined })
    if (lease > 0) await world.node.lease(userAccount(userId), lease)
    if (lease > 0 && limit !== undefined) await world.node.lease(tokenAccount(tokenId), lease)
    return { userId, tokenId, context }
  }

  test('a settled request is charged its cost from its lease, and counted everywhere', async () => {
    const channel = await world.addChannel()
    const { userId, tokenId, context } = await open({ limit: 500 })
    const states = await world.node.flush({ records: [settled(context, 30, { channel })] })
    expect(states).toEqual([
      { account: userAccount(userId), isOpen: true, lease: 70, balance: 970, leased: 70 },
      { account: tokenAccount(tokenId), isOpen: true, lease: 70, balance: 470, leased: 70 },
    ])
    expect(await world.user(userId)).toMatchObject({
      quota: 970,
      quota_leased: 70,
      used_quota: 30,
      request_count: 1,
    })
    expect(await world.token(tokenId)).toMatchObject({
      remain_quota: 470,
      quota_leased: 70,
      used_quota: 30,
      accessed_time: NOW,
      status: 1,
    })
    expect(await world.rowsOf('ledger_days', userId)).toEqual([
      {
        user_id: userId,
        token_id: tokenId,
        day: DAY,
        charged: 30,
        token_charged: 30,
        budget_charged: 0,
        uncollected: 0,
        requests: 1,
      },
    ])
    expect(await world.rowsOf('logs', userId)).toMatchObject([
      {
        user_id: userId,
        token_id: tokenId,
        type: 2,
        created_at: NOW,
        username: 'alice',
        token_name: 'laptop',
        model_name: 'gpt-4o',
        upstream_model: 'gpt-4o-mini',
        channel,
        quota: 30,
        prompt_tokens: 30,
        request_id: context.requestId,
        outcome: 'settled',
        end_reason: 'finished',
        elapsed_time: 700,
        first_token_time: 90,
        late: 0,
      },
    ])
  })

  test('a log row stores what its charge was computed from', async () => {
    const { userId, context } = await open()
    await world.node.flush({ records: [settled(context, 30, { held: 100 })] })
    const [log] = await world.rowsOf('logs', userId)
    const { attempts } = settlement(30)
    expect(log).toMatchObject({ held: 100, attempts: JSON.stringify(attempts) })
    expect(JSON.parse(log && 'basis' in log ? log.basis : '')).toEqual({ ...basis(30), held: 100 })
  })

  test('a void takes nothing and is one record', async () => {
    const { userId, tokenId, context } = await open({ limit: 500 })
    const records = [
      voided(context, { endReason: 'upstream_error', content: 'no channel', held: 100 }),
    ]
    await world.node.flush({ records })
    expect(await world.user(userId)).toMatchObject({
      quota: 1000,
      quota_leased: 100,
      used_quota: 0,
      request_count: 1,
    })
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 500, quota_leased: 100 })
    expect(await world.rowsOf('logs', userId)).toMatchObject([
      {
        outcome: 'void',
        held: 100,
        end_reason: 'upstream_error',
        content: 'no channel',
        basis: '',
      },
    ])
    expect(await world.rowsOf('rollups', userId)).toMatchObject([
      { requests: 1, failures: 1, latency_3: 0 },
    ])
  })

  test('a thousand ends of a few users are charged each to its own', async () => {
    const people = await Promise.all(
      [1, 2, 3, 4].map(() => open({ quota: 100_000, lease: 20_000 })),
    )
    const records = Array.from({ length: 1000 }, (_, index) => {
      const { userId, tokenId } = people[index % 4] ?? { userId: 0, tokenId: 0 }
      return settled(request(userId, tokenId), index % 4)
    })
    await world.node.flush({ records })
    const quotas = await Promise.all(people.map(async ({ userId }) => world.user(userId)))
    expect(quotas.map(({ quota }) => quota)).toEqual([100_000, 99_750, 99_500, 99_250])
    expect(quotas.map(({ request_count }) => request_count)).toEqual([250, 250, 250, 250])
  })

  // guards: L2.1
  test('a cost above the lease takes the free balance, never what others lease', async () => {
    const { userId, context } = await open({ quota: 100, lease: 20 })
    const other = await openNode(world.ledgerDatabase)
    await other.lease(userAccount(userId), 50)
    const parts = [{ account: userAccount(userId), amount: 20 }]
    await world.node.flush({ records: [settled(context, 90, { parts })] })
    expect(await world.user(userId)).toMatchObject({ quota: 50, quota_leased: 50, used_quota: 50 })
    expect(await world.rowsOf('logs', userId)).toMatchObject([{ quota: 50, uncollected: 40 }])
    await other.flush({ records: [settled(request(userId, context.tokenId), 50)] })
    expect(await world.user(userId)).toMatchObject({ quota: 0, quota_leased: 0, used_quota: 100 })
    expect(await world.rowsOf('ledger_days', userId)).toMatchObject([
      { charged: 100, uncollected: 40, requests: 2 },
    ])
  })

  // guards: C3.2
  test('no more is taken from a lease than it has, whatever the record says', async () => {
    const { userId, context } = await open({ quota: 100, lease: 20 })
    const other = await openNode(world.ledgerDatabase)
    await other.lease(userAccount(userId), 80)
    await world.node.flush({ records: [settled(context, 70)] })
    expect(await world.user(userId)).toMatchObject({ quota: 80, quota_leased: 80 })
    expect(await world.rowsOf('logs', userId)).toMatchObject([{ quota: 20, uncollected: 50 }])
    expect(await world.leaseOf(world.node.epoch, userAccount(userId))).toBeUndefined()
  })

  // guards: C4.1
  test('the owner pays in full for a request whose token was lowered while it ran', async () => {
    const { userId, tokenId, context } = await open({ limit: 100 })
    await editToken(tokenId, 30)
    await world.node.flush({ records: [settled(context, 80)] })
    expect(await world.user(userId)).toMatchObject({ quota: 920, quota_leased: 20 })
    expect(await world.token(tokenId)).toMatchObject({
      remain_quota: 0,
      quota_leased: 0,
      used_quota: 80,
    })
    expect(await world.rowsOf('ledger_days', userId)).toMatchObject([
      { charged: 80, token_charged: 30, uncollected: 0 },
    ])
  })

  const editToken = (tokenId: number, wanted: number) =>
    world.database.transaction((tx) =>
      world.ledger.editQuota(tx, {
        kind: 'token',
        ownerId: tokenId,
        targetBalance: wanted,
        reason: 'edit',
        actorId: 1,
      }),
    )

  test('a token is charged at most what its owner was charged', async () => {
    const { userId, tokenId, context } = await open({ quota: 100, limit: 500, lease: 40 })
    await world.node.flush({ records: [settled(context, 140)] })
    expect(await world.user(userId)).toMatchObject({ quota: 0, quota_leased: 0 })
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 400, quota_leased: 0 })
    expect(await world.rowsOf('ledger_days', userId)).toMatchObject([
      { charged: 100, token_charged: 100, uncollected: 40 },
    ])
  })

  test('a token exhausted by its requests gets that status, and every node learns of it', async () => {
    const { tokenId, userId, context } = await open({ limit: 100 })
    await world.node.flush({ records: [settled(context, 99)] })
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 1, status: 1 })
    const before = await changes()
    const last = request(userId, tokenId, { tokenLimited: true })
    await world.node.flush({ records: [settled(last, 1)] })
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 0, status: 4 })
    expect(await changes()).toBe(before + 1)
    await world.node.flush({ records: [settled({ ...last, requestId: 'another' }, 0)] })
    expect(await changes()).toBe(before + 1)
  })

  async function changes(): Promise<number> {
    const { value } = await world.database.kysely
      .selectFrom('meta')
      .select('value')
      .where('name', '=', 'changes')
      .executeTakeFirstOrThrow()
    return Number(value)
  }

  test('a token that was disabled while its request ran stays disabled', async () => {
    const { tokenId, context } = await open({ limit: 100 })
    await change('tokens', tokenId, { status: 2 })
    await world.node.flush({ records: [settled(context, 100)] })
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 0, status: 2 })
  })

  const change = (table: 'users' | 'tokens', id: number, set: Record<string, unknown>) =>
    world.database.kysely.updateTable(table).set(set).where('id', '=', id).execute()

  test('requests that end after their owner was banned or their token deleted are still charged', async () => {
    const { userId, tokenId, context } = await open({ limit: 100 })
    await change('users', userId, { status: 2 })
    await change('tokens', tokenId, { key_hash: null, key_sealed: null })
    const states = await world.node.flush({ records: [settled(context, 60)] })
    expect(states).toMatchObject([{ isOpen: false }, { isOpen: false, lease: 40 }])
    expect(await world.user(userId)).toMatchObject({ quota: 940, quota_leased: 40 })
    expect(await world.token(tokenId)).toMatchObject({ remain_quota: 40, quota_leased: 40 })
  })

  test('the time of a token never goes backwards', async () => {
    const { userId, tokenId } = await open()
    const end = (at: number) => settled(request(userId, tokenId), 1, { at })
    await world.node.flush({ records: [end(NOW + 9), end(NOW)] })
    await world.node.flush({ records: [end(NOW - 50)] })
    expect(await world.token(tokenId)).toMatchObject({ accessed_time: NOW + 9 })
  })

  test('hours and days come from the record', async () => {
    const { userId, tokenId } = await open()
    const end = (at: number) => settled(request(userId, tokenId), 5, { at })
    await world.node.flush({ records: [end(NOW), end(NOW - 3600), end(NOW - 86_400)] })
    const days = await world.rowsOf('ledger_days', userId)
    expect(days.map((row) => 'day' in row && row.day)).toEqual(
      expect.arrayContaining([DAY, DAY - 1]),
    )
    expect(days).toHaveLength(2)
    const hours = await world.rowsOf('rollups', userId)
    expect(hours.map((row) => 'hour' in row && row.hour)).toEqual(
      expect.arrayContaining([HOUR, HOUR - 1, HOUR - 24]),
    )
  })

  test('the hours count requests, failures, tokens and durations', async () => {
    const { userId, tokenId } = await open({ lease: 200 })
    const context = () => request(userId, tokenId)
    await world.node.flush({
      records: [
        settled(context(), 30),
        settled(context(), 40, { elapsedMs: 60_001, firstTokenMs: 0 }),
        voided(context()),
      ],
    })
    await world.node.flush({ records: [settled(context(), 1, { endReason: 'broken_stream' })] })
    expect(await world.rowsOf('rollups', userId)).toMatchObject([
      {
        hour: HOUR,
        user_id: userId,
        token_id: tokenId,
        channel_id: 0,
        model_name: 'gpt-4o',
        requests: 4,
        failures: 2,
        prompt_tokens: 71,
        quota: 71,
        latency_3: 2,
        latency_9: 1,
        first_token_0: 2,
      },
    ])
  })
})

describe.each(DATABASES)('with the log switched off on %s', (kind) => {
  const world = openOnce(() =>
    openBatchWorld(kind, { keepsLog: () => ({ settled: false, void: true }) }),
  )
  // guards: C12.1
  test('the rollups are kept, and add up', async () => {
    const { userId, tokenId } = await world.addCustomer(1000)
    const records = [settled(request(userId, tokenId), 30), voided(request(userId, tokenId))]
    await world.node.flush({ records })
    expect(await world.rowsOf('logs', userId)).toMatchObject([{ outcome: 'void' }])
    expect(await world.rowsOf('ledger_days', userId)).toMatchObject([{ charged: 30, requests: 2 }])
    expect(await audit(world.database)).toEqual([])
  })

  test('a counter that is full does not stop a charge', async () => {
    const { userId, tokenId } = await world.addCustomer(1000)
    const channel = await world.addChannel()
    const { kysely } = world.database
    type Table = 'users' | 'tokens' | 'channels' | 'ledger_days' | 'rollups'
    const fill = (table: Table, set: Record<string, number>) =>
      kysely.updateTable(table).set(set).execute()
    const max = Number.MAX_SAFE_INTEGER
    await fill('users', { used_quota: max - 10, request_count: max })
    await fill('tokens', { used_quota: max - 10 })
    await fill('channels', { used_quota: max - 10 })
    await world.node.flush({ records: [settled(request(userId, tokenId), 1, { channel })] })
    await fill('ledger_days', { charged: max - 10, requests: max })
    await fill('rollups', { quota: max - 10, prompt_tokens: max })
    await world.node.flush({ records: [settled(request(userId, tokenId), 30, { channel })] })
    expect(await world.user(userId)).toMatchObject({
      quota: 969,
      used_quota: max,
      request_count: max,
    })
    expect(await world.token(tokenId)).toMatchObject({ used_quota: max })
    const used = await kysely.selectFrom('channels').select('used_quota').execute()
    expect(used).toEqual([{ used_quota: max }])
    expect(await world.rowsOf('ledger_days', userId)).toMatchObject([
      { charged: max, requests: max },
    ])
    expect(await world.rowsOf('rollups', userId)).toMatchObject([
      { quota: max, prompt_tokens: max },
    ])
  })
})
