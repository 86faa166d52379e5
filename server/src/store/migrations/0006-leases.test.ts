import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openUpgraded } from '../../../testing/harness/former-database.ts'

test.each(DATABASES)(
  'on %s holds of running requests are released, and their epochs are closed',
  async (kind) => {
    const { kysely } = await openUpgraded(kind, '0004-channel-status-time', async (before) => {
      await sql`insert into users (username, aff_code, quota, quota_leased)
    values ('alice', 'a', 100, 70)`.execute(before)
      await sql`insert into tokens (user_id, remain_quota, quota_leased) values (1, 90, 70)`.execute(
        before,
      )
      await sql`insert into ledger_nodes (run, label, started_at) values ('r', 'old', 5)`.execute(
        before,
      )
      await sql`insert into ledger_nodes (run, label, started_at, closed_at)
    values ('s', 'older', 3, 4)`.execute(before)
      await sql`insert into holds (request_id, run, user_id, token_id, user_amount, token_amount)
    values ('q', 'r', 1, 1, 70, 70)`.execute(before)
      await sql`insert into ledger_days (user_id, token_id, day, charged, requests)
    values (1, 1, 1, 5, 1)`.execute(before)
    })

    const users = kysely.selectFrom('users').select(['quota', 'quota_leased'])
    expect(await users.execute()).toEqual([{ quota: 100, quota_leased: 0 }])
    const tokens = kysely
      .selectFrom('tokens')
      .select(['remain_quota', 'quota_leased', 'budget_quota', 'budget_period'])
    const token = { remain_quota: 90, quota_leased: 0, budget_quota: 0, budget_period: '' }
    expect(await tokens.execute()).toEqual([token])
    const begun = { beat: 0, position: 0 }
    expect(await kysely.selectFrom('ledger_nodes').selectAll().orderBy('run').execute()).toEqual([
      { run: 'r', label: 'old', started_at: 5, closed_at: 5, finished_at: 5, ...begun },
      { run: 's', label: 'older', started_at: 3, closed_at: 4, finished_at: 4, ...begun },
    ])
    const days = kysely.selectFrom('ledger_days').select('budget_charged')
    expect(await days.execute()).toEqual([{ budget_charged: 0 }])
    await expect(sql`select * from holds`.execute(kysely)).rejects.toThrow(/holds/)

    const lease = { run: 'r', kind: 'user', owner_id: 1, period: 0 }
    const leases = kysely.insertInto('quota_leases')
    await expect(leases.values({ ...lease, amount: -1 }).execute()).rejects.toThrow(/check/i)
    await leases.values({ ...lease, amount: 1 }).execute()
    await expect(leases.values({ ...lease, amount: 2 }).execute()).rejects.toThrow(/unique/i)
    const budget = { token_id: 1, period_start: 0, limit_quota: 10, spent: 6, quota_leased: 5 }
    const budgets = kysely.insertInto('token_budgets')
    await expect(budgets.values(budget).execute()).rejects.toThrow(/check/i)
    await budgets.values({ ...budget, spent: 60, quota_leased: 0 }).execute()
  },
)
