import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openUpgraded } from '../../../testing/harness/former-database.ts'
import { createCredits } from '../../ledger/balances/credit.ts'

describe.each(DATABASES)('edits of the previous version, on %s,', (kind) => {
  test('are recognized when they are repeated by their author', async () => {
    const database = await openUpgraded(kind, '0013-log-filters', async (kysely) => {
      await sql`insert into users (username, aff_code, quota) values ('ann', 'a', 150)`.execute(
        kysely,
      )
      await sql`insert into tokens (user_id, remain_quota) values (1, 70)`.execute(kysely)
      const edits = [
        { kind: 'user', amount: 50, source: 'edit:user:1:form:1' },
        { kind: 'token', amount: -30, source: 'edit:token:1:form:2' },
        // The migration gives the first credit this source.
        { kind: 'user', amount: 1, source: 'edit:user:1:7:form:1' },
        { kind: 'user', amount: 100, source: 'edit:00000000-0000-4000-8000-000000000000' },
      ]
      const row = { owner_id: 1, reason: 'edit', actor_id: 7, created_at: 5 }
      await kysely
        .insertInto('credits')
        .values(edits.map((edit) => ({ ...row, ...edit })))
        .execute()
    })

    const credits = createCredits({ database, now: Date.now })
    const edit = (change: {
      kind: 'user' | 'token'
      targetBalance: number
      editId: string
      actorId: number
    }) =>
      database.transaction((tx) =>
        credits.editQuota(tx, { ownerId: 1, seenBalance: 100, reason: 'edit', ...change }),
      )
    const ofUser = { kind: 'user', targetBalance: 150, editId: 'form:1', actorId: 7 } as const
    const ofToken = { kind: 'token', targetBalance: 70, editId: 'form:2', actorId: 7 } as const
    for (const sent of [ofUser, ofToken]) {
      expect(await edit(sent)).toEqual({ type: 'repeated', isSame: true })
    }
    expect(await edit({ ...ofUser, actorId: 8 })).toEqual({ type: 'booked', balance: 200 })
    const { kysely } = database
    expect(await kysely.selectFrom('users').select('quota').execute()).toEqual([{ quota: 200 }])
    expect(await kysely.selectFrom('tokens').select('remain_quota').execute()).toEqual([
      { remain_quota: 70 },
    ])
    const sources = await kysely.selectFrom('credits').select('source').orderBy('id').execute()
    expect(sources.map(({ source }) => source)).toEqual([
      'edit:user:1:7:form:1',
      'edit:token:1:7:form:2',
      'edit:user:1:7:7:form:1',
      'edit:00000000-0000-4000-8000-000000000000',
      'edit:user:1:8:form:1',
    ])
  })
})
