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

describe.each(DATABASES)('on %s', (kind) => {
  const world = openOnce(() => openBatchWorld(kind))
  /** Two ended requests and leases, on one user, one token with a budget, and one channel. */
  beforeAll(async () => {
    const userId = await world.addUser(1000)
    const tokenId = await world.addToken(userId, 500)
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

  const planted: [what: string, sql: string, report: string][] = [
    ['a balance', 'update users set quota = quota + 1', 'quota against credits − charges'],
    [
      'a token balance',
      'update tokens set remain_quota = remain_quota + 1',
      'remain_quota against credits − charges',
    ],
    ['a lost credit', `delete from credits where kind = 'user'`, 'quota against credits'],
    ['used quota', 'update users set used_quota = 0', 'used_quota against charges'],
    ['a token used', 'update tokens set used_quota = 0', 'used_quota against charges'],
    ['a request count', 'update users set request_count = 9', 'request_count against requests'],
    ['a channel', 'update channels set used_quota = 9', 'used_quota against rollups'],
    ['a lost lease', `delete from quota_leases where kind = 'user'`, 'quota_leased against leases'],
    [
      'a token lease',
      `update quota_leases set amount = 0 where kind = 'token'`,
      'quota_leased against leases',
    ],
    [
      'a budget lease',
      `update quota_leases set amount = amount + 1 where kind = 'budget'`,
      'quota_leased against leases',
    ],
    [
      'a lease of another period',
      `update quota_leases set period = 0 where kind = 'budget'`,
      'lease of a missing budget',
    ],
    ['a closed epoch', 'update ledger_nodes set closed_at = 1', 'leases of a closed epoch'],
    ['a missing epoch', 'delete from ledger_nodes', 'leases of a closed epoch'],
    ['a budget', 'update token_budgets set spent = spent + 1', 'spent of budgets against charges'],
    ['a lost budget', 'delete from token_budgets', 'spent of budgets against charges'],
    [
      'a charge of a budget',
      'update ledger_days set budget_charged = 0',
      'spent of budgets against charges',
    ],
    [
      'a fault',
      `insert into ledger_faults (run, position, record, error, created_at) values ('r', 1, '', '', 1)`,
      'unresolved faults',
    ],
    ['a rollup', 'update rollups set quota = quota + 1', 'rollups against charges: charged'],
    ['a lost rollup', 'delete from rollups', 'rollups against charges: requests'],
    ...['model_hours', 'channel_hours', 'user_hours'].flatMap((table): typeof planted => [
      [`the sum of ${table}`, `update ${table} set quota = 3`, `${table} against rollups: quota`],
      [`what is lost of ${table}`, `delete from ${table}`, `${table} against rollups: requests`],
    ]),
    ...['model_hours', 'channel_hours', 'user_hours', 'group_hours'].flatMap(
      (table): typeof planted =>
        ['provider_cost', 'costed_quota'].map((column) => [
          `the ${column} of ${table}`,
          `update ${table} set ${column} = ${column} + 1`,
          `${table} against rollups: ${column}`,
        ]),
    ),
    [
      'what providers cost',
      'update logs set provider_cost = provider_cost + 1',
      'log against rollups: provider_cost',
    ],
    [
      'a cost that is lost in the log',
      'update logs set provider_cost = null',
      'log against rollups: provider_cost',
    ],
    [
      'a cost in the rollups',
      'update rollups set provider_cost = provider_cost + 1',
      'log against rollups: provider_cost',
    ],
    ['a log row', `update logs set quota = 5 where quota = 70`, 'log against charges: charged'],
    [
      'uncollected',
      'update logs set uncollected = 5 where quota = 70',
      'log against charges: uncollected',
    ],
    [
      'a basis',
      `update logs set basis = replace(basis, '"prompt_tokens":70', '"prompt_tokens":71')`,
      'cost against its basis',
    ],
    [
      'a cost',
      `update logs set basis = replace(basis, '"cost":70', '"cost":71')`,
      'charged and uncollected against cost',
    ],
    ['a lost basis', `update logs set basis = ''`, 'cost against its basis'],
    ['earnings', 'update users set invite_balance = 9', 'invite_balance against earnings'],
    ['a lost earning', 'delete from partner_entries', 'invite_balance against earnings'],
    [
      'a cash-back of nothing',
      `update partner_entries set source = 'redemption:8'`,
      'cash-back without its redemption',
    ],
    [
      'a used code whose credit is lost',
      `update credits set source = 'x' where source = 'redemption:7'`,
      'credit of a used code',
    ],
    [
      'a used code whose credit is less',
      'update redemptions set quota = 120 where id = 7',
      'credit of a used code',
    ],
    [
      'a used code that was credited to another',
      'update redemptions set redeemed_by = 999 where id = 7',
      'credit of a used code',
    ],
    [
      'a used code that was made fresh',
      'update redemptions set status = 1 where id = 7',
      'credit of a code that is not used',
    ],
    [
      'a gift without its owner',
      `update credits set source = 'x' where source = 'gift:7:owner'`,
      'gift against its owner',
    ],
    [
      'a gift without its redeemer',
      `update credits set source = 'x' where source = 'gift:7:redeemer'`,
      'gift against its redeemer',
    ],
    [
      'a gift of another size',
      `update credits set amount = 6 where source = 'gift:7:owner'`,
      'gift against its redeemer',
    ],
    ['a deleted user', 'delete from users where quota > 900', 'records of an account that is gone'],
    ['a deleted earner', 'delete from users where invite_balance > 0', 'that is gone'],
    ['a token that is gone', 'delete from tokens', 'records of an account that is gone'],
    [
      'a token of another',
      'update tokens set user_id = (select max(id) from users)',
      'owner against whoever was charged',
    ],
    ['a cash-back of another', 'update users set inviter_id = 0', 'earner against the inviter'],
    ...['new-user', 'invitee', 'inviter'].map((reason): [string, string, string] => [
      `a gift for ${reason} of another`,
      `update credits set owner_id = (select max(id) from users where id <> owner_id)
        where source like '${reason}:%'`,
      'receiver against whom it is for',
    ]),
    [
      'gifts without their redemption',
      `update credits set source = 'x' where source = 'redemption:7'`,
      'gift against its owner',
    ],
  ]

  test('finds nothing when the row of a used code was deleted', async () => {
    expect(await auditAfter('delete from redemptions where id = 7')).toEqual([])
  })

  // guards: L4.2
  test.each(planted)(
    'finds %s that was changed directly in the database',
    async (_what, text, report) => {
      const differences = await auditAfter(text)
      expect(differences.map(({ what }) => what).join('\n')).toContain(report)
      expect(
        differences.every(({ where }) =>
          /^(user|token|channel|model|all groups|request|redemption|credit|earning|epoch|budget of token) /.test(
            where,
          ),
        ),
      ).toBe(true)
    },
  )

  test('reads one snapshot, also while requests run', async () => {
    const userId = await world.addUser(100_000)
    const tokenId = await world.addToken(userId)
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
