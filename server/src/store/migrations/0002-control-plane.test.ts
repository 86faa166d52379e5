import { describe, expect, test } from 'vitest'
import { DATABASES, openEmptyDatabase } from '../../../testing/harness/databases.ts'
import { leaveFormerDatabase } from '../../../testing/harness/former-database.ts'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import { userRow } from '../../../testing/worlds/user-row.ts'
import { openDatabase } from '../database.ts'
import { updateUser } from '../users.ts'

const person = (id: number, parts: object) =>
  userRow(`u${id}`, { id, display_name: '', aff_code: `code${id}`, ...parts })

describe.each(DATABASES)('on %s', (kind) => {
  const place = openPerTest(() => openEmptyDatabase(kind))
  const fill = (users: ReturnType<typeof person>[]) =>
    leaveFormerDatabase(place, '0001-initial', (kysely) =>
      kysely.insertInto('users').values(users).execute(),
    )

  test('users of the first version keep their identities, and two never share one', async () => {
    await fill([
      person(1, { email: 'Ann@example.org', github_id: '7', aff_code: 'AAAAAAAA' }),
      person(2, { email: 'ann@example.org', github_id: '7', aff_code: 'BBBAAAAA' }),
      person(3, { email: 'bob@example.org', wechat_id: 'w', aff_code: 'abc' }),
    ])
    const database = await openDatabase(place)
    const rows = await database.kysely
      .selectFrom('users')
      .select(['id', 'email', 'github_id', 'wechat_id', 'oidc_id', 'gift_code', 'invite_balance'])
      .orderBy('id')
      .execute()
    await database.close()
    const without = {
      github_id: '',
      wechat_id: '',
      oidc_id: '',
      gift_code: null,
      invite_balance: 0,
    }
    expect(rows).toEqual([
      { ...without, id: 1, email: 'ann@example.org', github_id: '7', gift_code: 'AAAAA' },
      { ...without, id: 2, email: '' },
      { ...without, id: 3, email: 'bob@example.org', wechat_id: 'w' },
    ])
  })

  test('the oldest of names that differ by case or width only keeps the name', async () => {
    await fill([
      person(1, { username: 'Ann' }),
      person(2, { username: 'ANN' }),
      person(3, { username: 'Ｂｏｂ' }),
    ])
    const database = await openDatabase(place)
    const rows = await database.kysely
      .selectFrom('users')
      .select(['username', 'username_folded'])
      .orderBy('id')
      .execute()
    expect(rows).toEqual([
      { username: 'Ann', username_folded: 'ann' },
      { username: 'ANN', username_folded: null },
      { username: 'Ｂｏｂ', username_folded: 'bob' },
    ])
    // A form sends back an unchanged name.
    await database.transaction((tx) => updateUser(tx, 2, { username: 'ANN', display_name: 'A' }))
    await expect(
      database.transaction((tx) => updateUser(tx, 2, { username: 'bob' })),
    ).rejects.toThrow(/unique/i)
    await database.close()
  })

  test.each(['email', 'github_id', 'wechat_id', 'lark_id', 'oidc_id'] as const)(
    'one %s belongs to one user, and any number of users may have none',
    async (column) => {
      const database = await openDatabase(place)
      const add = (id: number, value: string) =>
        database.kysely
          .insertInto('users')
          .values(person(id, { [column]: value }))
          .execute()
      await add(1, 'x')
      await add(2, '')
      await add(3, '')
      await expect(add(4, 'x')).rejects.toThrow(/unique/i)
      await database.close()
    },
  )
})
