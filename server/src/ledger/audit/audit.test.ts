import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import {
  exactly,
  NOW,
  openBatchWorld,
  request,
  settled,
  voided,
} from '../../../testing/ledger/batch-world.ts'
import { tokenAccount, userAccount } from '../account.ts'
import { audit, countAccounts } from './audit.ts'
import type { Difference } from './difference.ts'

const PLACE =
  /^(user|token|channel|model|all groups|request|redemption|credit|earning|epoch|budget of token) /

/** Changes of a column of tables whose rows are sums of hours. */
const ofHours = (tables: readonly string[], columns: readonly string[]) =>
  Object.fromEntries(
    tables.flatMap((table) =>
      columns.map((column) => [
        `${table} against rollups: ${column}`,
        [`update ${table} set ${column} = ${column} + 1`],
      ]),
    ),
  )

describe.each(DATABASES)('on %s', (kind) => {
  const world = openOnce(() => openBatchWorld(kind))
  /** Two ended requests and leases, on one user, one token with a budget, and one channel. */
  beforeAll(async () => {
    const { userId, tokenId } = await world.addCustomer(1000, 500)
    const channel = await world.addChannel()
    const budget = { kind: 'budget', ownerId: tokenId, period: 86_400 } as const
    await world.database.kysely
      .insertInto('token_budgets')
      .values({
        token_id: tokenId,
        period_start: budget.period,
        limit_quota: 200,
        spent: 0,
        quota_leased: 0,
      })
      .execute()
    const accounts = [userAccount(userId), tokenAccount(tokenId), budget]
    const parts = accounts.map((account) => ({ account, amount: 70 }))
    const context = () => request(userId, tokenId, { tokenLimited: true })
    await world.node.flush({ leaseRequests: accounts.map((account) => exactly(account, 100)) })
    await world.node.flush({
      records: [
        settled(context(), 70, { channel, parts, ...costing(channel, 900) }),
        voided(context()),
      ],
    })
    await addRedemptions(userId)
  })

  /** One attempt that cost this much at its channel. */
  const costing = (channel: number, cost: number) =>
    ({
      attempts: [{ channel, status: 200, reason: '', milliseconds: 1, cost, cost_source: 'list' }],
      providerCost: cost,
    }) as const

  /** A used code, with a gift code of another user who earned by it, and an unused code. */
  async function addRedemptions(userId: number) {
    const ownerId = await world.addUser(0)
    await world.database.transaction(async (tx) => {
      await tx.updateTable('users').set({ inviter_id: ownerId }).where('id', '=', userId).execute()
      const code = { user_id: 1, name: 'audit', quota: 119, created_time: 1, redeemed_time: 1 }
      const unused = { ...code, id: 8, key: 'unused', status: 1, redeemed_by: 0 }
      const used = { ...code, id: 7, key: 'used', status: 3, redeemed_by: userId }
      await tx.insertInto('redemptions').values([unused, used]).execute()
      const parts = { reason: '', actorId: userId }
      const credits = [
        { ownerId: userId, amount: 119, source: 'redemption:7' },
        { ownerId: userId, amount: 5, source: 'gift:7:redeemer' },
        { ownerId, amount: 5, source: 'gift:7:owner' },
        { ownerId: userId, amount: 3, source: `new-user:${userId}` },
        { ownerId: userId, amount: 2, source: `invitee:${userId}` },
        { ownerId, amount: 4, source: `inviter:${userId}` },
      ]
      for (const credit of credits) {
        await world.ledger.credit(tx, { ...parts, ...credit, kind: 'user' })
      }
      await world.ledger.earn(tx, { ...parts, userId: ownerId, amount: 1, source: 'redemption:7' })
    })
  }

  /** Returns what the audit finds after a change, and undoes the change. */
  async function auditAfter(change: string): Promise<Difference[]> {
    const tx = await world.database.kysely.startTransaction().execute()
    try {
      await sql.raw(change).execute(tx)
      return await audit({ ...world.database, snapshot: (run) => run(tx) })
    } finally {
      await tx.rollback().execute()
    }
  }

  test('finds nothing in correct books', async () => {
    expect(await audit(world.database)).toEqual([])
    expect(await countAccounts(world.database)).toBe(3)
  })

  test('finds nothing in a fault that was resolved', async () => {
    const { kysely } = world.database
    const fault = { run: 'r', position: 1, record: '', error: '', created_at: 1, resolved_at: NOW }
    await kysely.insertInto('ledger_faults').values(fault).execute()
    expect(await audit(world.database)).toEqual([])
  })

  // guards: L3.1
  test('finds nothing when log rows were deleted', async () => {
    expect(await auditAfter(`delete from logs where outcome = 'settled'`)).toEqual([])
  })

  const lostCredit = (source: string) =>
    `update credits set source = 'x' where source = '${source}'`

  /** Changes by the difference that reports them. */
  const planted: Record<string, readonly string[]> = {
    'quota against credits − charges': [
      'update users set quota = quota + 1',
      `delete from credits where kind = 'user'`,
    ],
    'remain_quota against credits − charges': ['update tokens set remain_quota = remain_quota + 1'],
    'used_quota against charges': [
      'update users set used_quota = 0',
      'update tokens set used_quota = 0',
    ],
    'request_count against requests': ['update users set request_count = 9'],
    'used_quota against rollups': ['update channels set used_quota = 9'],
    'quota_leased against leases': [
      `delete from quota_leases where kind = 'user'`,
      `update quota_leases set amount = 0 where kind = 'token'`,
      `update quota_leases set amount = amount + 1 where kind = 'budget'`,
    ],
    'lease of a missing budget': [`update quota_leases set period = 0 where kind = 'budget'`],
    'leases of a closed epoch': [
      'update ledger_nodes set closed_at = 1',
      'delete from ledger_nodes',
    ],
    'spent of budgets against charges': [
      'update token_budgets set spent = spent + 1',
      'delete from token_budgets',
      'update ledger_days set budget_charged = 0',
    ],
    'unresolved faults': [
      `insert into ledger_faults (run, position, record, error, created_at)
        values ('r', 1, '', '', 1)`,
    ],
    'rollups against charges: charged': ['update rollups set quota = quota + 1'],
    'rollups against charges: requests': ['delete from rollups'],
    'log against rollups: provider_cost': [
      'update logs set provider_cost = provider_cost + 1',
      'update logs set provider_cost = null',
      'update rollups set provider_cost = provider_cost + 1',
    ],
    'log against charges: charged': ['update logs set quota = 5 where quota = 70'],
    'log against charges: uncollected': ['update logs set uncollected = 5 where quota = 70'],
    'cost against its basis': [
      `update logs set basis = replace(basis, '"prompt_tokens":70', '"prompt_tokens":71')`,
      `update logs set basis = ''`,
    ],
    'charged and uncollected against cost': [
      `update logs set basis = replace(basis, '"cost":70', '"cost":71')`,
    ],
    'invite_balance against earnings': [
      'update users set invite_balance = 9',
      'delete from partner_entries',
    ],
    'cash-back without its redemption': [`update partner_entries set source = 'redemption:8'`],
    'credit of a used code': [
      lostCredit('redemption:7'),
      'update redemptions set quota = 120 where id = 7',
      'update redemptions set redeemed_by = 999 where id = 7',
    ],
    'credit of a code that is not used': ['update redemptions set status = 1 where id = 7'],
    'gift against its owner': [lostCredit('gift:7:owner'), lostCredit('redemption:7')],
    'gift against its redeemer': [
      lostCredit('gift:7:redeemer'),
      `update credits set amount = 6 where source = 'gift:7:owner'`,
    ],
    'records of an account that is gone': [
      'delete from users where quota > 900',
      'delete from users where invite_balance > 0',
      'delete from tokens',
    ],
    'owner against whoever was charged': [
      'update tokens set user_id = (select max(id) from users)',
    ],
    'earner against the inviter': ['update users set inviter_id = 0'],
    'receiver against whom it is for': ['new-user', 'invitee', 'inviter'].map(
      (reason) =>
        `update credits set owner_id = (select max(id) from users where id <> owner_id)
          where source like '${reason}:%'`,
    ),
    ...ofHours(['model_hours', 'channel_hours', 'user_hours'], ['quota']),
    ...ofHours(
      ['model_hours', 'channel_hours', 'user_hours', 'group_hours'],
      ['provider_cost', 'costed_quota'],
    ),
    ...Object.fromEntries(
      ['model_hours', 'channel_hours', 'user_hours'].map((table) => [
        `${table} against rollups: requests`,
        [`delete from ${table}`],
      ]),
    ),
  }

  test('finds nothing when the row of a used code was deleted', async () => {
    expect(await auditAfter('delete from redemptions where id = 7')).toEqual([])
  })

  // guards: L4.2
  test.each(
    Object.entries(planted).flatMap(([report, changes]) =>
      changes.map((change) => ({ change, report })),
    ),
  )('finds what $change changed directly in the database', async ({ change, report }) => {
    const differences = await auditAfter(change)
    expect(differences.map(({ what }) => what).join('\n')).toContain(report)
    for (const { where } of differences) expect(where).toMatch(PLACE)
  })

  test('reads one snapshot, also while requests run', async () => {
    const { userId, tokenId } = await world.addCustomer(100_000)
    const relaying = (async () => {
      for (let index = 0; index < 40; index++) {
        await world.node.flush({
          records: [settled(request(userId, tokenId), index)],
          leaseRequests: [exactly(userAccount(userId), 50)],
        })
      }
    })()
    for (let times = 0; times < 5; times++) expect(await audit(world.database)).toEqual([])
    await relaying
    expect(await audit(world.database)).toEqual([])
  })
})
