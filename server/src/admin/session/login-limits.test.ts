import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ControlPlane, openControlPlane, type Person } from '../../../testing/control-plane.ts'
import { DATABASES } from '../../../testing/databases.ts'
import { hashPassword } from '../../http/password.ts'
import { createLoginLimits } from './login-limits.ts'

const PASSWORD = 'correct horse'

describe.each(DATABASES)('failures of logins on %s', (kind) => {
  let plane: ControlPlane
  let alice: Person
  let email: string
  let calls = 0

  beforeAll(async () => {
    plane = await openControlPlane(kind)
    alice = await plane.addPerson()
    email = `${alice.username}@example.org`
    await plane.database.kysely
      .updateTable('users')
      .set({ email, password_hash: await hashPassword(PASSWORD) })
      .where('id', '=', alice.id)
      .execute()
  })
  afterAll(() => plane.close())

  const logIn = (username: string, password = 'wrong password') => {
    const address = `203.0.113.${++calls}`
    return plane.call('POST', '/api/user/login', { body: { username, password }, address })
  }

  const fail = async (username: string, times: number) => {
    const statuses = []
    for (let count = 0; count < times; count++) statuses.push((await logIn(username)).status)
    return statuses
  }

  test('under a name do not tell whose address it is, and no account has more guesses for it', async () => {
    const ten = Array.from({ length: 10 }, () => 200)
    expect(await fail(`not-${email}`, 11)).toEqual([...ten, 429])
    expect(await fail(email, 11)).toEqual([...ten, 429])
    expect(await fail(alice.username, 9)).toEqual(ten.slice(1))
    // The right password is one guess too many now, and is answered like a wrong one.
    const [right, wrong] = [await logIn(alice.username, PASSWORD), await logIn('nobody')]
    expect([right.status, right.text]).toEqual([200, wrong.text])
    plane.clock.now += 20 * 60 * 1000
    expect((await logIn(alice.username, PASSWORD)).success).toBe(true)
    expect((await logIn(email, PASSWORD)).success).toBe(true)
  })
})

test('who is refused for what others tried under a name has all tries of the own address left', () => {
  const { take } = createLoginLimits(() => 0)
  const tryAs = (name: string, address: string) => () => take({ address, name, userId: undefined })
  for (let tried = 0; tried < 10; tried++) tryAs('root', `203.0.113.${tried}`)()
  for (let tried = 0; tried < 30; tried++) {
    expect(tryAs('root', '198.51.100.1')).toThrow('too_many_requests')
  }
  for (let tried = 0; tried < 20; tried++) tryAs(`name${tried}`, '198.51.100.1')()
  expect(tryAs('another', '198.51.100.1')).toThrow('too_many_requests')
})
