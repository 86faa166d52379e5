import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import {
  exactly,
  NOW,
  openNode,
  openBatchWorld,
  request,
  settled,
  type TestNode,
  voided,
} from '../../../testing/ledger/batch-world.ts'
import { whileLogFails } from '../../../testing/ledger/while-log-fails.ts'
import { nextPeriodStart } from '../../domain/budget-period.ts'
import { tokenAccount, userAccount } from '../account.ts'
import { audit } from '../audit/audit.ts'
import type { EndRecord } from '../record.ts'

describe.each(DATABASES)('on %s', (kind) => {
  let node: TestNode
  let userId: number
  let tokenId: number

  const world = openOnce(() => openBatchWorld(kind))

  /** A new epoch with leases of 200 on a user and on a limited token. */
  beforeEach(async () => {
    node = await openNode(world.ledgerDatabase)
    userId = await world.addUser(1000)
    tokenId = await world.addToken(userId, 500)
    await node.lease(userAccount(userId), 200)
    await node.lease(tokenAccount(tokenId), 200)
  })

  /** Apart from the quarantined records, the audit must find nothing. */
  afterEach(async () => {
    world.errors.splice(0)
    const resolved = { resolved_at: NOW }
    await world.database.kysely.updateTable('ledger_faults').set(resolved).execute()
    expect(await audit(world.database)).toEqual([])
  })

  const end = (cost = 10) => settled(request(userId, tokenId, { tokenLimited: true }), cost)

  /** Records that none of our journals should contain. */
  const poison: [what: string, spoil: (record: EndRecord) => object][] = [
    ['a negative cost', ({ basis }) => ({ cost: -10, basis: { ...basis, cost: -10 } })],
    ['a cost that is not explained', () => ({ cost: 11 })],
    ['a void that costs', () => ({ outcome: 'void', basis: null })],
    ['a cost that is none', () => ({ cost: Number.NaN })],
    ['a cost of text', () => ({ cost: '10' })],
    ['a negative part', () => ({ parts: [{ account: userAccount(userId), amount: -10 }] })],
    [
      'a part of another account',
      ({ parts }) => ({ parts: [...parts.slice(1), { account: userAccount(1e6), amount: 10 }] }),
    ],
    ['an owner of text', ({ context }) => ({ context: { ...context, userId: 'x' } })],
    ['half an owner', ({ context }) => ({ context: { ...context, userId: 0.5 } })],
    ['no token', ({ context }) => ({ context: { ...context, tokenId: null } })],
    ['no channel', () => ({ channel: undefined })],
    [
      'a budget of no period',
      () => ({
        parts: [{ account: { kind: 'budget', ownerId: tokenId, period: 'x' }, amount: 1 }],
      }),
    ],
    ['no parts', () => ({ parts: undefined })],
    ['no context', () => ({ context: undefined })],
    ['no time', () => ({ at: null })],
    ['tokens below zero', ({ basis }) => ({ basis: { ...basis, cached_tokens: -1 } })],
    ['tokens that are none', ({ basis }) => ({ basis: { ...basis, prompt_tokens: 0.5 } })],
    ['no end reason', () => ({ endReason: undefined })],
    ['no basis', () => ({ basis: undefined })],
  ]

  // guards: C6.1
  test.each(poison)(
    'a record with %s is quarantined, and the others are applied',
    async (_what, spoil) => {
      const good = Array.from({ length: 6 }, () => end())
      // Safe because the test is about malformed records.
      const bad = { ...end(), ...spoil(end()) } as EndRecord
      const records = [...good.slice(0, 4), bad, ...good.slice(4)]
      const states = await node.flush({ records, leaseRequests: [exactly(userAccount(userId), 5)] })
      expect(await world.user(userId)).toMatchObject({ quota: 940, request_count: 6 })
      const { quota_leased } = await world.user(userId)
      expect(states[0]).toMatchObject({ lease: quota_leased, balance: 940 })
      expect(await world.rowsOf('logs', userId)).toHaveLength(6)
      expect(await world.faultsOf(node.epoch)).toMatchObject([
        { run: node.epoch, position: 7, created_at: NOW, resolved_at: null },
      ])
      expect(world.errors).toHaveLength(1)
      expect((await audit(world.database)).map(({ what }) => what)).toEqual(['unresolved faults'])
      expect(await node.tryFlush({ records: [end()] })).toMatchObject({ type: 'done' })
    },
  )

  test('the leases of a quarantined record are released', async () => {
    const bad = { ...end(70), at: Number.NaN }
    const states = await node.flush({ records: [end(30), bad] })
    expect(states).toMatchObject([
      { lease: 100, leased: 100, balance: 970 },
      { lease: 100, leased: 100, balance: 470 },
    ])
    expect(await world.user(userId)).toMatchObject({ quota: 970, quota_leased: 100 })
    expect(await world.leaseOf(node.epoch, tokenAccount(tokenId))).toBe(100)
    const [fault] = await world.faultsOf(node.epoch)
    expect(JSON.parse(fault?.record ?? '')).toMatchObject({ cost: 70, context: bad.context })
  })

  test.each(['a\0b', 'a\ud800b'])(
    'text that a database refuses blocks no other record: %j',
    async (text) => {
      const bad = { ...end(), endReason: text, upstreamModel: text }
      const model = { ...end(), context: { ...end().context, model: text } }
      const id = { ...end(), context: { ...end().context, requestId: text } }
      await node.flush({ records: [end(), bad, model, id, end()] })
      const { quota, quota_leased } = await world.user(userId)
      const faults = await world.faultsOf(node.epoch)
      expect(quota).toBe(950 + 10 * faults.length)
      expect(quota_leased).toBe(150)
      // Half of a surrogate pair is sent to PostgreSQL as U+FFFD.
      const isRefused = kind === 'postgres' && text.includes('\0')
      expect(faults).toHaveLength(isRefused ? 3 : 0)
      const differences = await audit(world.database)
      expect(differences).toHaveLength(isRefused ? 1 : 0)
    },
  )

  test('a request that was charged is not charged again', async () => {
    const record = end()
    await node.flush({ records: [record] })
    await node.flush({ records: [end(), record, end()] })
    const twin = end()
    await node.flush({ records: [twin, { ...twin, elapsedMs: 1 }] })
    expect(await world.user(userId)).toMatchObject({ quota: 960, request_count: 4 })
    const errors = (await world.faultsOf(node.epoch)).map(({ error }) => error)
    expect(errors).toEqual([
      `request ${record.context.requestId} was charged before`,
      `request ${twin.context.requestId} was charged before`,
    ])
  })

  // guards: C9.4
  test('a request that ends in a later month than it began is charged once', async () => {
    const month = nextPeriodStart('month', Math.floor(Date.now() / 1000))
    const astride = () => request(userId, tokenId, { openedAt: month - 10 })
    const [charged, interrupted] = [astride(), astride()]
    const before = { at: month - 5 }
    await node.flush({ records: [settled(charged, 10, before), voided(interrupted, before)] })
    const after = { at: month + 5 }
    const again = [end(), settled(interrupted, 10, after), settled(charged, 10, after)]
    await node.flush({ records: again })
    expect(await world.user(userId)).toMatchObject({ quota: 970, request_count: 3 })
    const rows = await world.rowsOf('logs', userId)
    expect(rows.filter((row) => 'late' in row && row.late === 1)).toHaveLength(1)
    expect(rows).toHaveLength(3)
    expect((await world.faultsOf(node.epoch)).map(({ error }) => error)).toEqual([
      `request ${charged.requestId} was charged before`,
    ])
  })

  // guards: C9.6
  test('… also if the clock of its machine was set back meanwhile', async () => {
    const month = nextPeriodStart('month', Math.floor(Date.now() / 1000))
    const [before, after] = [month - 7200, month + 7200]
    const begun = () => request(userId, tokenId, { openedAt: after })
    const [one, two] = [begun(), begun()]
    await node.flush({ records: [one, two].map((context) => voided(context, { at: after })) })
    await node.flush({ records: [settled(one, 10, { at: before })] })
    const other = settled(request(userId, tokenId, { openedAt: before }), 10, { at: before })
    await node.flush({ records: [settled(two, 10, { at: before }), other] })
    expect(await world.user(userId)).toMatchObject({ quota: 970, request_count: 3 })
    expect(await world.rowsOf('logs', userId)).toHaveLength(3)
  })

  test('a missing token or owner blocks no other record, and is charged nothing', async () => {
    const own = await openBatchWorld(kind)
    const ownerId = await own.addUser(1000)
    const tokenLimited = true
    const known = settled(request(ownerId, await own.addToken(ownerId)), 10)
    const orphan = settled(request(ownerId, 888, { tokenLimited }), 10)
    const nobody = settled(request(999, 888, { tokenLimited }), 10)
    await own.node.flush({ records: [orphan, nobody, known] })
    expect(await own.user(ownerId)).toMatchObject({ quota: 980 })
    expect(await own.faultsOf(own.node.epoch)).toEqual([])
    expect(await own.rowsOf('ledger_days', 999)).toMatchObject([{ charged: 0, uncollected: 10 }])
    expect((await audit(own.database)).map(({ what }) => what)).toEqual([
      'records of an account that is gone',
      'records of an account that is gone',
    ])
    await own.close()
  })

  test('a late record and a void that cannot be written are quarantined too', async () => {
    const { epoch } = node
    const bad = { ...end(), at: Number.NaN }
    await world.ledgerDatabase.closeEpoch({
      epoch,
      type: 'finished',
      voids: [{ ...bad, cost: 0, outcome: 'void' }],
    })
    await world.ledgerDatabase.applyLate({ epoch, from: 0, to: 2, records: [bad, end()] })
    expect(await world.user(userId)).toMatchObject({ quota: 990, quota_leased: 0 })
    expect(await world.faultsOf(node.epoch)).toHaveLength(2)
    expect(world.errors).toHaveLength(2)
  })

  test('a database that fails at every query keeps the batch for a retry', async () => {
    await sql`alter table rollups rename to elsewhere`.execute(world.database.kysely)
    const records = [end(), end()]
    await expect(node.tryFlush({ records })).rejects.toThrow(/rollups/)
    await sql`alter table elsewhere rename to rollups`.execute(world.database.kysely)
    expect(await world.faultsOf(node.epoch)).toEqual([])
    await node.flush({ records })
    expect(await world.user(userId)).toMatchObject({ quota: 980 })
  })

  // guards: C6.2
  test('a database that refuses several records for the same reason keeps the batch for a retry', async () => {
    const records = [end(), end(), end()]
    await whileLogFails(world.database, 'P0001', async () => {
      await expect(node.tryFlush({ records })).rejects.toThrow('the log fails')
      expect(await world.faultsOf(node.epoch)).toEqual([])
      const states = await node.flush({ records: records.slice(0, 1) })
      expect(states).toMatchObject([{ lease: 190 }, { lease: 190 }])
    })
    expect(await world.faultsOf(node.epoch)).toHaveLength(1)
    await node.flush({ records: records.slice(1) })
    expect(await world.user(userId)).toMatchObject({ quota: 980 })
  })

  test('… but not late records, which no other batch could join', async () => {
    const records = [end(), end()]
    await whileLogFails(world.database, 'P0001', async () => {
      await world.ledgerDatabase.applyLate({ epoch: 'former', from: 0, to: 2, records })
    })
    expect(await world.faultsOf('former')).toHaveLength(2)
  })

  // SQLite statements cannot be made to fail this way.
  if (kind === 'postgres')
    // guards: C6.3
    test('corrupt data is not blamed on a record', async () => {
      const records = [end()]
      await whileLogFails(world.database, 'XX001', async () => {
        await expect(node.tryFlush({ records })).rejects.toThrow('the log fails')
      })
      expect(await world.faultsOf(node.epoch)).toEqual([])
      await node.flush({ records })
      expect(await world.user(userId)).toMatchObject({ quota: 990 })
    })

  test('faults of a journal are reported once each', async () => {
    const { epoch } = node
    const faults = [
      { number: 7, text: 'half of a li', error: 'the line is broken' },
      { number: 9, text: '', error: 'the record is missing' },
      { number: 9, text: '\0', error: 'another \ud800' },
    ]
    await Promise.all([1, 2, 3].map(() => world.ledgerDatabase.reportFaults(epoch, faults)))
    await world.ledgerDatabase.reportFaults(epoch, [])
    expect(await world.faultsOf(node.epoch)).toMatchObject([
      { run: epoch, position: 7, record: 'half of a li', error: 'the line is broken' },
      { position: 9, record: '' },
      { position: 9, record: '', error: 'another \ufffd' },
    ])
  })
})
