import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openUpgraded } from '../../../testing/harness/former-database.ts'

test.each(DATABASES)(
  'on %s sessions of the previous version continue, and have confirmed nothing',
  async (kind) => {
    const { kysely } = await openUpgraded(kind, '0014-asked-of-credits', async (before) => {
      await sql`insert into sessions (id_hash, user_id, created_time, expires_at)
        values ('b', 1, 20, 2000), ('a', 2, 10, 1000)`.execute(before)
    })

    const unknown = { address: '', user_agent: '', confirmed_at: 0 }
    const [a, b] = [
      { id: 1, id_hash: 'a', user_id: 2, created_time: 10, expires_at: 1000, last_seen_time: 10 },
      { id: 2, id_hash: 'b', user_id: 1, created_time: 20, expires_at: 2000, last_seen_time: 20 },
    ]
    expect(await kysely.selectFrom('sessions').selectAll().orderBy('id').execute()).toEqual([
      { ...a, ...unknown },
      { ...b, ...unknown },
    ])
    // A process of the earlier version keeps running until it is replaced.
    await sql`insert into sessions (id_hash, user_id, created_time, expires_at)
      values ('c', 3, 30, 3000)`.execute(kysely)
    const again = sql`insert into sessions (id_hash, user_id, created_time, expires_at)
      values ('c', 4, 40, 4000)`.execute(kysely)
    await expect(again).rejects.toThrow(/unique/i)
  },
)
