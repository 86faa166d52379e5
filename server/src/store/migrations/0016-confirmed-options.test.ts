import { describe, expect, test } from 'vitest'
import { IDENTITY_WAYS } from '@tollgate/contract'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openUpgraded } from '../../../testing/harness/former-database.ts'
import { listUnconfirmed } from '../../settings/confirmation.ts'
import { findIdentityBlock } from '../../settings/identity-ways.ts'

describe.each(DATABASES)('on %s', (kind) => {
  test('changes of the previous version count as confirmed', async () => {
    const { kysely } = await openUpgraded(kind, '0014-asked-of-credits', (before) =>
      before
        .insertInto('option_changes')
        .values({
          key: 'ServerAddress',
          before: '',
          after: 'https://gate.example',
          actor_id: 7,
          actor_name: 'adam',
          created_at: 5,
        })
        .execute(),
    )
    expect(await listUnconfirmed(kysely)).toEqual([])
    for (const way of IDENTITY_WAYS) expect(await findIdentityBlock(kysely, { way })).toBeNull()
    expect(await kysely.selectFrom('option_changes').selectAll().execute()).toMatchObject([
      { confirmed: 1, confirmed_by: '', confirmed_at: 0 },
    ])
  })
})
