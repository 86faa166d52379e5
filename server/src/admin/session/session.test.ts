import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ROLE, USER_STATUS } from '@tollgate/contract'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { statementsDuring } from '../../../testing/harness/statements.ts'
import {
  accessTokenOf,
  idOf,
  openControlPlane,
  type Person,
} from '../../../testing/worlds/control-plane.ts'
import { createHeldPasswords } from '../../../testing/worlds/held-passwords.ts'
import { readUser, setRow, storedRows } from '../../../testing/worlds/rows.ts'
import { newSessionId } from '../../secrets.ts'
import { saveProfile } from '../users/profile-change.ts'

const PASSWORD = 'correct horse'

describe.each(DATABASES)('sessions on %s', (kind) => {
  const { passwords, hold } = createHeldPasswords()
  const plane = openOnce(() => openControlPlane(kind, { passwords }))
  let password_hash: string
  let root: Person
  /** A new user for every test, with the password. */
  let alice: Person

  beforeAll(async () => {
    password_hash = await passwords.hash(PASSWORD)
  })
  beforeEach(async () => {
    root = await plane.addPerson(ROLE.root)
    alice = await plane.addPerson()
    await setRow(plane, 'users', alice.id, { password_hash })
  })

  const logIn = (
    password: string,
    { username = alice.username, address = `2001:db8:${alice.id.toString(16)}::1` } = {},
  ) => plane.call('POST', '/api/user/login', { body: { username, password }, address })

  const cookieOf = (answer: { headers: Record<string, unknown> }) => {
    const [cookie = ''] = [answer.headers['set-cookie']].flat().map(String)
    return { cookie, session: /^session=([\w-]*);/.exec(cookie)?.[1] ?? '' }
  }

  const isSignedIn = async (session: string) =>
    (await plane.call('GET', '/api/user/self', { as: session })).success === true

  const hasAccessToken = async (person: Person) => {
    const headers = { authorization: accessTokenOf(person) }
    return (await plane.call('GET', '/api/user/self', { headers })).success === true
  }

  const giveOtherPassword = async (userId: number) => {
    const change = { password_hash: await passwords.hash('another horse') }
    return () =>
      plane.database.transaction((tx) => saveProfile(tx, userId, { change, sessionHash: '' }))
  }

  test('login returns five fields and a cookie that scripts and other sites cannot use', async () => {
    const answer = await logIn(PASSWORD)
    expect(Object.keys(answer.data ?? {}).toSorted()).toEqual(
      ['display_name', 'id', 'role', 'status', 'username'].toSorted(),
    )
    const { cookie, session } = cookieOf(answer)
    expect(cookie).toMatch(/; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(await isSignedIn(session)).toBe(true)
    expect(JSON.stringify(await storedRows(plane, 'sessions'))).not.toContain(session)
  })

  test('an email address logs in its user, also in capitals', async () => {
    const email = 'alice@example.com'
    await setRow(plane, 'users', alice.id, { email })
    expect((await logIn(PASSWORD, { username: email })).success).toBe(true)
    expect((await logIn(PASSWORD, { username: 'Alice@Example.com' })).success).toBe(true)
    await plane.database.kysely.updateTable('users').set({ email: '' }).execute()
    expect((await logIn(PASSWORD, { username: '' })).success).toBe(false)
  })

  test('login does not reveal addresses: the same number of statements, the same lock', async () => {
    const email = `${alice.username}@example.org`
    await setRow(plane, 'users', alice.id, { email })
    await logIn('wrong password', { username: 'warm@example.org' })
    const seen = []
    for (const name of [email, `not-${email}`]) {
      const statements = await statementsDuring(() => logIn('wrong password', { username: name }))
      const statuses: number[] = []
      for (let count = 0; count < 10; count++) {
        const username = count % 2 === 0 ? name : name.toUpperCase()
        const address = `203.0.113.${count + 100}`
        statuses.push((await logIn('wrong password', { username, address })).status)
      }
      seen.push({ statements, statuses })
    }
    expect(seen[0]).toEqual(seen[1])
    expect(seen[0]?.statuses.at(-1)).toBe(429)
  })

  test('a change of password ends every other session', async () => {
    const here = cookieOf(await logIn(PASSWORD)).session
    const elsewhere = cookieOf(await logIn(PASSWORD)).session
    const body = { username: '', display_name: 'Alice', password: 'another horse' }
    expect((await plane.call('PUT', '/api/user/self', { as: here, body })).success).toBe(true)
    expect(await isSignedIn(here)).toBe(true)
    expect(await isSignedIn(elsewhere)).toBe(false)
    expect(await hasAccessToken(alice)).toBe(false)
    expect((await logIn(PASSWORD)).success).toBe(false)
    expect((await logIn('another horse')).success).toBe(true)
  })

  test('a password set by an administrator ends the sessions of its owner', async () => {
    const { session } = cookieOf(await logIn(PASSWORD))
    const id = idOf(await plane.call('GET', '/api/user/self', { as: session }))
    const body = { id, password: 'given by admin' }
    expect((await plane.call('PUT', '/api/user/', { as: root, body })).success).toBe(true)
    expect(await isSignedIn(session)).toBe(false)
    expect(await hasAccessToken(alice)).toBe(false)
  })

  test('a login by a password that is changed meanwhile opens no session', async () => {
    const changePassword = await giveOtherPassword(alice.id)
    const { reached, release } = hold()
    const login = logIn(PASSWORD)
    await reached
    await changePassword()
    release()
    const answer = await login
    expect(answer.success).toBe(false)
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('a user deleted meanwhile does not get the name back', async () => {
    const { reached, release } = hold()
    const body = { username: `${alice.username}x`, password: 'another horse' }
    const change = plane.call('PUT', '/api/user/self', { as: alice, body })
    await reached
    const removal = { username: alice.username, action: 'delete' }
    await plane.done('POST', '/api/user/manage', { as: root, body: removal })
    release()
    const answer = await change
    expect(answer.success).toBe(false)
    expect((await readUser(plane, alice.id)).username).toMatch(/^deleted_/)
  })

  test('a body that arrives after a demotion has no effect', async () => {
    const admin = await plane.addPerson(ROLE.admin)
    const address = await plane.listen()
    const late = request(`${address}/api/option/`, {
      method: 'PUT',
      headers: { cookie: `session=${admin.session}`, expect: '100-continue' },
    })
    late.flushHeaders()
    await once(late, 'continue')
    const body = { username: admin.username, action: 'demote' }
    await plane.call('POST', '/api/user/manage', { as: root, body })
    late.end(JSON.stringify({ key: 'Notice', value: 'late' }))
    const [answer] = await once(late, 'response')
    expect(answer.statusCode).toBe(401)
    expect(await text(answer)).toContain('log in again')
    expect(plane.settings.current().Notice).toBe('')
  })

  test('constant password changes by one user do not block the logins of others', async () => {
    const body = { password: 'another horse' }
    const change = () => plane.call('PUT', '/api/user/self', { as: alice, body })
    const answers = await Promise.all(Array.from({ length: 15 }, change))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5)
    plane.clock.now += 20 * 60 * 1000
    alice.session = await plane.signIn(alice.id)
    expect((await change()).success).toBe(true)
    plane.clock.now -= 20 * 60 * 1000
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test('the cookie is Secure if the request or the page used HTTPS, and only then', async () => {
    const body = { username: alice.username, password: PASSWORD }
    const cookieBy = async (address: string, headers: Record<string, string>) =>
      cookieOf(await plane.call('POST', '/api/user/login', { body, headers, address })).cookie
    const forwarded = { 'x-forwarded-proto': 'https' }
    expect(await cookieBy('10.9.1.1', forwarded)).toContain('; Secure')
    expect(await cookieBy('192.0.2.9', forwarded)).not.toContain('Secure')
    expect(await cookieBy('192.0.2.9', { origin: 'https://localhost' })).toContain('; Secure')
  })

  test('logout ends the session itself, not only the cookie', async () => {
    const { session } = cookieOf(await logIn(PASSWORD))
    const answer = await plane.call('GET', '/api/user/logout', { as: session })
    expect(answer.success).toBe(true)
    expect(cookieOf(answer).session).toBe('')
    expect(await isSignedIn(session)).toBe(false)
  })

  test('a login replaces the session the browser had, and adopts no id that it sends', async () => {
    const { session: former } = cookieOf(await logIn(PASSWORD))
    const body = { username: alice.username, password: PASSWORD }
    for (const sent of [former, newSessionId()]) {
      const answer = await plane.call('POST', '/api/user/login', { as: sent, body })
      const { session } = cookieOf(answer)
      expect([await isSignedIn(session), await isSignedIn(sent)]).toEqual([true, false])
    }
  })

  test('a wrong name, a wrong password and a ban have the same answer', async () => {
    const unknown = await logIn(PASSWORD, { username: 'nobody' })
    const wrong = await logIn('wrong password')
    await setRow(plane, 'users', alice.id, { status: USER_STATUS.disabled })
    const banned = await logIn(PASSWORD)
    expect(unknown.text).toBe(wrong.text)
    expect(banned.text).toBe(wrong.text)
    expect(wrong.status).toBe(200)
    expect(wrong.success).toBe(false)
    expect(wrong.headers['set-cookie']).toBeUndefined()
  })

  test('an account without a password refuses every password', async () => {
    const wrong = await logIn('wrong password')
    await setRow(plane, 'users', alice.id, { password_hash: '' })
    const answers = [await logIn(PASSWORD), await logIn('x')]
    expect(answers.map(({ text }) => text)).toEqual([wrong.text, wrong.text])
    expect((await logIn('')).success).toBe(false)
  })

  test('login is refused while password login is off', async () => {
    await plane.setOption('PasswordLoginEnabled', 'false')
    expect((await logIn(PASSWORD)).success).toBe(false)
    const other = await logIn('wrong password')
    await plane.setOption('PasswordLoginEnabled', 'true')
    expect(other.message).toContain('turned off')
  })

  test('root, without another way in, can log in by password even then', async () => {
    await setRow(plane, 'users', root.id, { password_hash })
    await plane.setOption('PasswordLoginEnabled', 'false')
    const right = await logIn(PASSWORD, { username: root.username })
    const wrong = await logIn('wrong password', { username: root.username })
    const unknown = await logIn('wrong password', { username: 'nobody' })
    await plane.setOption('PasswordLoginEnabled', 'true')
    expect([right.success, wrong.success]).toEqual([true, false])
    expect(wrong.text).toBe(unknown.text)
  })

  test('a password is hashed for unknown names too, with the same limit of concurrent hashes', async () => {
    const { reached, release } = hold(80)
    const attempts = Array.from({ length: 80 }, (_, index) =>
      logIn('wrong password', { username: `nobody${index}`, address: `198.18.0.${index}` }),
    )
    await reached
    release()
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
  })

  test('successful logins do not count', async () => {
    for (let count = 0; count < 12; count++) {
      expect((await logIn(PASSWORD)).success).toBe(true)
    }
  })

  test('an empty password keeps the old one and every session', async () => {
    const here = cookieOf(await logIn(PASSWORD)).session
    const elsewhere = cookieOf(await logIn(PASSWORD)).session
    const body = { username: `${alice.username}2`, display_name: 'Alice', password: '' }
    expect((await plane.call('PUT', '/api/user/self', { as: here, body })).success).toBe(true)
    expect(await isSignedIn(elsewhere)).toBe(true)
    expect(await hasAccessToken(alice)).toBe(true)
    expect((await logIn(PASSWORD, { username: `${alice.username}2` })).success).toBe(true)
  })

  test('users who delete their own account are logged out; root cannot', async () => {
    const { session } = cookieOf(await logIn(PASSWORD))
    expect((await plane.call('DELETE', '/api/user/self', { as: session })).success).toBe(true)
    expect(await isSignedIn(session)).toBe(false)
    expect((await logIn(PASSWORD)).success).toBe(false)
    expect((await plane.call('DELETE', '/api/user/self', { as: root })).success).toBe(false)
    expect(await isSignedIn(root.session)).toBe(true)
  })

  test('a session that has ended cannot set a password', async () => {
    const changePassword = await giveOtherPassword(alice.id)
    const { reached, release } = hold()
    const body = { password: 'password of a thief' }
    const change = plane.call('PUT', '/api/user/self', { as: alice, body })
    await reached
    await changePassword()
    release()
    const answer = await change
    expect(answer.success).toBe(false)
    expect((await logIn('another horse')).success).toBe(true)
  })
})
