import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../testing/harness/databases.ts'
import { everyRow } from '../../testing/harness/dump-tables.ts'
import { openOnce } from '../../testing/harness/open-once.ts'
import { idOf, openControlPlane, tokenForm } from '../../testing/worlds/control-plane.ts'
import { deleteToken, findToken, lockToken, searchTokens, updateToken } from './tokens.ts'

describe.each(DATABASES)('the queries of tokens on %s', (kind) => {
  const plane = openOnce(() => openControlPlane(kind))
  test('find, change and delete nothing for other users than the owner', async () => {
    const [owner, other] = [await plane.addPerson(), await plane.addPerson()]
    const { database } = plane
    const id = idOf(await plane.call('POST', '/api/token/', { as: owner, body: tokenForm }))
    const foreign = { userId: other.id, id }
    const before = await everyRow(database)
    expect(await findToken(database.kysely, foreign)).toBeUndefined()
    expect(await searchTokens(database.kysely, other.id, { keyword: '', size: 100 })).toEqual([])
    await database.transaction(async (tx) => {
      expect(await lockToken(tx, kind, foreign)).toBeUndefined()
      await updateToken(tx, foreign, { name: 'taken' })
      expect(await deleteToken(tx, foreign)).toBe(false)
    })
    expect(await everyRow(database)).toEqual(before)
    expect(await findToken(database.kysely, { userId: owner.id, id })).toMatchObject({ id })
  })
})
