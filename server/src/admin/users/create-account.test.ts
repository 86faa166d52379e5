import { expect, test } from 'vitest'
import { AppError, QUOTA_MAX, ROLE } from '@tollgate/contract'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describeFreshPlanes } from '../../../testing/worlds/describe-planes.ts'
import { creditsOf, notesOf, setRow, storedRows } from '../../../testing/worlds/rows.ts'
import { audit } from '../../ledger/audit/audit.ts'
import { insertUser } from '../../store/users.ts'
import { withNewAccount } from './create-account.ts'

let names = 0
const newName = () => `new${++names}`

describeFreshPlanes('a new account on %s', ['root', 'user'], ({ plane, root, user: inviter }) => {
  const register = (parts: object = {}) =>
    plane.call('POST', '/api/user/register', {
      body: { username: newName(), password: 'correct horse', ...parts },
      address: `2001:db8:${names.toString(16)}::1`,
    })

  const rowOf = async (by: { id: number } | { username: string }) => {
    const [row] = await storedRows(plane, 'users', by)
    if (row === undefined) throw new Error('there is no such user')
    return row
  }

  const setGifts = async (gifts: Record<'NewUser' | 'Invitee' | 'Inviter', number>) => {
    await plane.setOption('QuotaForNewUser', String(gifts.NewUser))
    await plane.setOption('QuotaForInvitee', String(gifts.Invitee))
    await plane.setOption('QuotaForInviter', String(gifts.Inviter))
  }

  const inviteCodeOf = async ({ id }: Person) => (await rowOf({ id })).aff_code

  test('has the default token, no gift, no address and no display name of its own', async () => {
    const username = newName()
    expect((await register({ username, email: 'a@example.org' })).success).toBe(true)
    const row = await rowOf({ username })
    expect(row).toMatchObject({ role: 1, status: 1, quota: 0, display_name: username, email: '' })
    expect(row.gift_code).toBe(row.aff_code.slice(-5))
    expect(await storedRows(plane, 'tokens', { user_id: row.id })).toMatchObject([
      { name: 'default', unlimited_quota: 1, expired_time: -1, status: 1, models: '' },
    ])
    expect(await creditsOf(plane, row.id)).toEqual([])
    expect(await notesOf(plane, row.id)).toEqual([])
  })

  test('gives an inviter with too young an account nothing, and others their gift', async () => {
    await setGifts({ NewUser: 700, Invitee: 50, Inviter: 9 })
    await plane.setOption('GiftAccountAgeDays', '1')
    const young = await plane.addPerson()
    const username = newName()
    const answer = await register({ username, aff_code: await inviteCodeOf(young) })
    await plane.setOption('GiftAccountAgeDays', '0')
    expect(answer.success).toBe(true)
    expect((await rowOf({ username })).quota).toBe(750)
    expect((await rowOf({ id: young.id })).quota).toBe(0)
  })

  test('gives the new user, the invited and the inviter the configured gifts, once, with a log row each', async () => {
    await setGifts({ NewUser: 700, Invitee: 50, Inviter: 9 })
    const username = newName()
    const aff_code = await inviteCodeOf(inviter)
    expect((await register({ username, aff_code })).success).toBe(true)
    expect((await register({ username, aff_code })).success).toBe(false)
    const { id, quota, inviter_id } = await rowOf({ username })
    expect([quota, inviter_id]).toEqual([750, inviter.id])
    expect((await rowOf({ id: inviter.id })).quota).toBe(9)
    expect(await creditsOf(plane, id)).toMatchObject([
      { amount: 700, source: `new-user:${id}`, actor_id: id },
      { amount: 50, source: `invitee:${id}`, actor_id: id },
    ])
    expect(await creditsOf(plane, inviter.id)).toMatchObject([
      { amount: 9, source: `inviter:${id}`, actor_id: id },
    ])
    const notes = [...(await notesOf(plane, id)), ...(await notesOf(plane, inviter.id))]
    expect(notes).toMatchObject([
      { type: 4, quota: 700, username },
      { type: 4, quota: 50, username },
      { type: 4, quota: 9, username: inviter.username },
    ])
    expect(await audit(plane.database)).toEqual([])
  })

  test('each gift is given independently', async () => {
    const aff_code = await inviteCodeOf(inviter)
    await setGifts({ NewUser: 0, Invitee: 0, Inviter: 9 })
    await register({ aff_code })
    await setGifts({ NewUser: 0, Invitee: 50, Inviter: 0 })
    const username = newName()
    await register({ username, aff_code })
    expect((await rowOf({ username })).quota).toBe(50)
    expect((await rowOf({ id: inviter.id })).quota).toBe(9)
    expect(await audit(plane.database)).toEqual([])
  })

  test('a hundred concurrent invitations are a hundred gifts', async () => {
    await setGifts({ NewUser: 1, Invitee: 2, Inviter: 3 })
    const aff_code = await inviteCodeOf(inviter)
    const answers = []
    for (let round = 0; round < 10; round++) {
      const calls = Array.from({ length: 10 }, () => register({ aff_code }))
      answers.push(...(await Promise.all(calls)))
    }
    expect(answers.filter(({ success }) => success === true)).toHaveLength(100)
    expect((await rowOf({ id: inviter.id })).quota).toBe(300)
    expect(await creditsOf(plane, inviter.id)).toHaveLength(100)
    expect(await audit(plane.database)).toEqual([])
  })

  test('an unknown invite code, and one of a banned or deleted user, have no effect', async () => {
    await setGifts({ NewUser: 0, Invitee: 50, Inviter: 9 })
    const codes = ['nobody', ' ', '0']
    for (const action of ['disable', 'delete']) {
      const gone = await plane.addPerson()
      codes.push(await inviteCodeOf(gone))
      const body = { username: gone.username, action }
      await plane.call('POST', '/api/user/manage', { as: root, body })
    }
    for (const aff_code of codes) {
      const username = newName()
      expect((await register({ username, aff_code })).success).toBe(true)
      expect(await rowOf({ username })).toMatchObject({ quota: 0, inviter_id: 0 })
    }
    expect(await storedRows(plane, 'credits')).toEqual([])
  })

  test('an inviter with a full balance does not block registrations', async () => {
    const rich = await plane.addPerson(ROLE.user, QUOTA_MAX - 5)
    await setGifts({ NewUser: 0, Invitee: 0, Inviter: 9 })
    expect((await register({ aff_code: await inviteCodeOf(rich) })).success).toBe(true)
    expect((await rowOf({ id: rich.id })).quota).toBe(QUOTA_MAX - 5)
    expect(await audit(plane.database)).toEqual([])
  })

  test("an account created by an administrator has the new user's gift, logged in their name", async () => {
    await setGifts({ NewUser: 700, Invitee: 50, Inviter: 9 })
    const username = newName()
    const body = { username, password: 'correct horse', aff_code: await inviteCodeOf(inviter) }
    expect((await plane.call('POST', '/api/user/', { as: root, body })).success).toBe(true)
    const { id, quota, inviter_id } = await rowOf({ username })
    expect([quota, inviter_id]).toEqual([700, 0])
    expect(await creditsOf(plane, id)).toMatchObject([
      { amount: 700, source: `new-user:${id}`, actor_id: root.id },
    ])
  })

  test('duplicate random codes are drawn again and not reported as a taken name', async () => {
    const taken = await inviteCodeOf(inviter)
    const username = newName()
    /** Tries each of these codes until one is free. */
    const insertWith = (codes: string[]) =>
      withNewAccount(plane, { username }, (tx) =>
        insertUser(tx, {
          username,
          password_hash: '',
          display_name: '',
          role: 1,
          status: 1,
          email: '',
          github_id: '',
          wechat_id: '',
          access_token_hash: null,
          group: 'default',
          aff_code: codes.shift() ?? taken,
          inviter_id: 0,
          created_time: 0,
        }),
      )
    const error = await insertWith([]).catch((reason: unknown) => reason)
    expect(error).not.toBeInstanceOf(AppError)
    const id = await insertWith([taken, `xyz${taken.slice(-5)}`, 'free1234'])
    expect(await rowOf({ id })).toMatchObject({ aff_code: 'free1234', gift_code: 'e1234' })
    await expect(insertWith(['free5678'])).rejects.toMatchObject({ code: 'username_taken' })
  })

  test('names that differ by case or width only are the same name', async () => {
    await register({ username: 'Bob_Straße' })
    for (const username of ['bob_straße', 'BOB_Straße', 'Ｂob_straße']) {
      const body = { username, password: 'correct horse', id: inviter.id }
      for (const { message } of [
        await register({ username }),
        await plane.call('POST', '/api/user/', { as: root, body }),
        await plane.call('PUT', '/api/user/', { as: root, body }),
      ]) {
        expect(message).toBe(`The username "${username}" is taken.`)
      }
    }
  })

  test('a user may change the case of their own name', async () => {
    const username = inviter.username.toUpperCase()
    const answer = await plane.call('PUT', '/api/user/self', { as: inviter, body: { username } })
    expect(answer.success).toBe(true)
    expect((await rowOf({ id: inviter.id })).username_folded).toBe(inviter.username)
  })

  test('one of many concurrent requests for a name succeeds, and the others learn that it is taken', async () => {
    await setGifts({ NewUser: 5, Invitee: 0, Inviter: 0 })
    const username = newName()
    const forms = Array.from({ length: 10 }, (_, index) =>
      index % 2 ? username : username.toUpperCase(),
    )
    const answers = await Promise.all(forms.map((form) => register({ username: form })))
    const refused = answers.filter(({ success }) => success === false)
    expect(refused).toHaveLength(9)
    for (const { message } of refused)
      expect(message).toMatch(/^The username "new\d+" is taken\.$/i)
    expect(await storedRows(plane, 'credits')).toHaveLength(1)
    expect(await audit(plane.database)).toEqual([])
  })

  test("a deleted user releases the name, and cannot get the new user's gift again", async () => {
    const email = 'a@example.org'
    await setRow(plane, 'users', inviter.id, { email })
    const body = { username: inviter.username, action: 'delete' }
    await plane.call('POST', '/api/user/manage', { as: root, body })
    expect((await register({ username: inviter.username })).success).toBe(true)
    await expect(setRow(plane, 'users', root.id, { email })).rejects.toThrow(/unique/i)
  })
})
