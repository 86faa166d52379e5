import { hashSync } from 'bcryptjs'
import { expect, test, vi } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { describeWorld } from '../../../testing/worlds/describe-planes.ts'
import { readUser, setRow, storedRows } from '../../../testing/worlds/rows.ts'
import {
  cookieIn,
  openSecondFactorWorld,
  PASSWORD,
} from '../../../testing/worlds/second-factor-world.ts'

describeWorld(openSecondFactorWorld, 'a login while its account changes', (world) => {
  /** Runs after the password was verified and before the session is opened. */
  function meanwhile(what: () => Promise<unknown>) {
    const { database } = world.plane
    const transaction = database.transaction
    return vi.spyOn(database, 'transaction').mockImplementationOnce(async (run) => {
      await what()
      return transaction(run)
    })
  }

  test.each([
    ['with a second factor', true],
    ['without', false],
  ])('leaves nothing that outlives a ban, for an account %s', async (_, hasFactor) => {
    const { plane } = world
    const [root, owner] = [await world.addPerson(ROLE.root), await world.addPerson()]
    if (hasFactor) await world.addTotp(owner)
    const manage = async (action: string) => {
      const body = { username: owner.username, action }
      expect((await plane.call('POST', '/api/user/manage', { as: root, body })).success).toBe(true)
    }
    const spy = meanwhile(() => manage('disable'))
    const answer = await world.logIn(owner)
    expect(spy).toHaveBeenCalled()
    vi.restoreAllMocks()
    expect([answer.success, cookieIn(answer, 'session')]).toEqual([false, ''])
    await manage('enable')
    for (const table of ['sessions', 'auth_tickets'] as const) {
      expect(await storedRows(plane, table, { user_id: owner.id })).toEqual([])
    }
    expect((await world.logIn(owner)).success).toBe(true)
  })

  test('replaces the hash of another gateway once, and keeps the password', async () => {
    const owner = await world.addPerson()
    const hashOf = async () => (await readUser(world.plane, owner.id)).password_hash
    const imported = hashSync(PASSWORD, 4)
    await setRow(world.plane, 'users', owner.id, { password_hash: imported })
    const body = { username: owner.username, password: 'another password' }
    expect((await world.plane.call('POST', '/api/user/login', { body })).success).toBe(false)
    expect(await hashOf()).toBe(imported)
    expect((await world.logIn(owner)).success).toBe(true)
    const replaced = await hashOf()
    expect(replaced).toMatch(/^\$argon2id/)
    expect((await world.logIn(owner)).success).toBe(true)
    expect(await hashOf()).toBe(replaced)
  })
})
