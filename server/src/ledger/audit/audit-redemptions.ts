import { sql } from 'kysely'
import { GIFT_PERCENT, REDEMPTION_STATUS } from '@tollgate/contract'

const USED = sql.lit(REDEMPTION_STATUS.used)

/**
 * The credits and earnings of each redemption, by its id. Rows of codes may be deleted; credits and
 * earnings may not.
 */
export const REDEMPTIONS = [
  sql`select 'redemption ' || r.id as "where", 'credit of a used code' as what,
        coalesce(c.amount, 0) as found, r.quota as expected
      from redemptions r left join credits c
        on c.source = 'redemption:' || r.id and c.kind = 'user' and c.owner_id = r.redeemed_by
      where r.status = ${USED} and coalesce(c.amount, 0) <> r.quota
      order by r.id`,
  sql`select 'redemption ' || r.id as "where", 'credit of a code that is not used' as what,
        c.amount as found, 0 as expected
      from redemptions r join credits c on c.source = 'redemption:' || r.id
      where r.status <> ${USED}
      order by r.id`,
  giftsAgainst('redeemer', 'owner'),
  giftsAgainst('owner', 'redeemer'),
  sql`select 'earning ' || e.source as "where", 'cash-back without its redemption' as what,
        e.amount as found, 0 as expected
      from partner_entries e left join credits c on c.source = e.source
      where e.source like 'redemption:%' and c.id is null
      order by e.id`,
]

/**
 * A gift is its percentage of a booked redemption if the gift to the other side was booked too,
 * else 0.
 */
function giftsAgainst(side: 'redeemer' | 'owner', other: 'redeemer' | 'owner') {
  const code = sql`replace(replace(g.source, 'gift:', ''), ${sql.lit(`:${side}`)}, '')`
  return sql`
    select "where", what, found, expected from (
      select g.id, 'credit ' || g.source as "where", ${sql.lit(`gift against its ${other}`)} as what,
        g.amount as found, case when o.id is null then 0
          else coalesce(r.amount, 0) * ${sql.lit(GIFT_PERCENT)} / 100 end as expected
      from credits g
        left join credits o on o.source = 'gift:' || ${code} || ${sql.lit(`:${other}`)}
        left join credits r on r.source = 'redemption:' || ${code}
      where g.source like ${sql.lit(`gift:%:${side}`)}
    ) as gifts
    where found <> expected order by id`
}
