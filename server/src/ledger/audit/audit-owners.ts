import { type RawBuilder, sql } from 'kysely'
import { REDEMPTION_STATUS } from '@tollgate/contract'

type Owner = 'user' | 'token'

/** Rows of (id) that name an account. The account's own row is never deleted. */
const named = (table: string, column: string, where: RawBuilder<unknown> = sql`true`) =>
  sql`select ${sql.ref(column)} as id from ${sql.table(table)} where ${where}`

const ownerKindIs = (owner: Owner | 'budget') => sql`kind = ${sql.lit(owner)}`

/** Gifts that were credited to another account than the one their source names. */
const strayGifts = (reason: 'new-user' | 'inviter' | 'invitee', receiver: string) => sql`
  select 'credit ' || c.source as "where", 'receiver against whom it is for' as what,
    c.owner_id as found, ${sql.ref(receiver)} as expected
  from users u join credits c on c.source = ${sql.lit(`${reason}:`)} || u.id
  where c.kind <> 'user' or c.owner_id <> ${sql.ref(receiver)}
  order by c.id`

/**
 * Balances are computed per existing account, so the records of a missing account need a check of
 * their own.
 */
const orphans = (owner: Owner, records: readonly RawBuilder<unknown>[]) => sql`
  select ${sql.lit(`${owner} `)} || n.id as "where", 'records of an account that is gone' as what,
    count(*) as found, 0 as expected
  from (${sql.join(records, sql` union all `)}) as n
  where n.id not in (select id from ${sql.table(`${owner}s`)})
  group by n.id order by n.id`

/** Checks who charges, gifts and earnings belong to. */
export const OWNERS = [
  orphans('user', [
    named('credits', 'owner_id', ownerKindIs('user')),
    named('ledger_days', 'user_id'),
    named('partner_entries', 'user_id'),
    named('quota_leases', 'owner_id', ownerKindIs('user')),
    named('redemptions', 'redeemed_by', sql`status = ${sql.lit(REDEMPTION_STATUS.used)}`),
    named('tokens', 'user_id'),
  ]),
  orphans('token', [
    named('credits', 'owner_id', ownerKindIs('token')),
    named('ledger_days', 'token_id'),
    named('quota_leases', 'owner_id', ownerKindIs('token')),
    named('quota_leases', 'owner_id', ownerKindIs('budget')),
    named('token_budgets', 'token_id'),
  ]),
  sql`select 'token ' || t.id as "where", 'owner against whoever was charged' as what,
        t.user_id as found, d.user_id as expected
      from tokens t join (select distinct token_id, user_id from ledger_days) as d
        on d.token_id = t.id
      where d.user_id <> t.user_id order by t.id, d.user_id`,
  strayGifts('new-user', 'u.id'),
  strayGifts('invitee', 'u.id'),
  strayGifts('inviter', 'u.inviter_id'),
  sql`select 'earning ' || e.source as "where", 'earner against the inviter' as what,
        e.user_id as found, u.inviter_id as expected
      from partner_entries e join credits c on c.source = e.source and c.kind = 'user'
        join users u on u.id = c.owner_id
      where e.source like 'redemption:%' and e.user_id <> u.inviter_id
      order by e.id`,
]
