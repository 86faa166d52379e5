import { beforeAll, expect, test } from 'vitest'
import {
  accessTokenOf,
  type Answer,
  type Call,
  type Person,
} from '../../../testing/worlds/control-plane.ts'
import { describePlane } from '../../../testing/worlds/describe-planes.ts'
import { mailedTo } from '../../../testing/worlds/outbox.ts'
import { setRow } from '../../../testing/worlds/rows.ts'
import { createLog } from '../../process/log.ts'
import { createLoginLimits } from './login-limits.ts'

const PASSWORD = 'correct horse'
/** Statuses of the failures that are let through. */
const TEN = Array<number>(10).fill(200)

describePlane('failed logins', [], ({ plane }) => {
  let alice: Person
  let bob: Person
  let email: string
  let calls = 0

  beforeAll(async () => {
    alice = await plane.addPerson()
    bob = await plane.addPerson()
    email = `${alice.username}@example.org`
    await setRow(plane, 'users', alice.id, { email })
    await setPassword(alice, PASSWORD)
    await setPassword(bob, PASSWORD)
  })

  const setPassword = async ({ id }: Person, password: string) => {
    const password_hash = await plane.passwords.hash(password)
    await setRow(plane, 'users', id, { password_hash })
  }

  /** Uses a new address for every call, and optionally a device cookie. */
  const logIn = (username: string, password = 'wrong password', device = '') => {
    const address = `203.0.${calls >> 8}.${++calls & 255}`
    const headers = device === '' ? {} : { cookie: device }
    return plane.call('POST', '/api/user/login', { body: { username, password }, address, headers })
  }

  const fail = async (username: string, times: number, device = '') => {
    const statuses = []
    for (let count = 0; count < times; count++) {
      statuses.push((await logIn(username, 'wrong password', device)).status)
    }
    return statuses
  }

  const openLimits = () =>
    createLoginLimits({ ...plane, log: createLog('silent'), now: () => plane.clock.now }, 'login')

  const deviceOf = ({ headers }: Answer) =>
    [headers['set-cookie']].flat().find((cookie) => cookie?.startsWith('device=')) ?? ''

  const valueOf = (cookie: string) => cookie.split(';')[0] ?? ''

  test('from many addresses lock no one out of a browser that logged in before', async () => {
    plane.clock.now += 20 * 60 * 1000
    const cookie = deviceOf(await logIn(bob.username, PASSWORD))
    expect(cookie).toMatch(
      /; Max-Age=31536000; Path=\/api\/user\/login; HttpOnly; SameSite=Strict$/,
    )
    const first = valueOf(cookie)
    const second = valueOf(deviceOf(await logIn(bob.username, PASSWORD)))
    const ofAlice = valueOf(deviceOf(await logIn(alice.username, PASSWORD)))
    await fail(bob.username, 10)
    for (const device of ['', ofAlice, `${first}A`, first.replace(/\.[\w-]+$/, '.x'), 'device=']) {
      expect((await logIn(bob.username, PASSWORD, device)).status).toBe(429)
    }
    const again = await logIn(bob.username, PASSWORD, first)
    expect([again.success, valueOf(deviceOf(again))]).toEqual([true, first])
    expect(await fail(bob.username, 11, first)).toEqual([...TEN, 429])
    expect((await logIn(bob.username, PASSWORD, second)).success).toBe(true)
    await setPassword(bob, `${PASSWORD} 2`)
    expect((await logIn(bob.username, `${PASSWORD} 2`, second)).status).toBe(429)
  })

  test('lock no one out of the browser in which they changed or reset their password', async () => {
    plane.clock.now += 20 * 60 * 1000
    const person = await plane.addPerson()
    const change = (body: object, call: Call) =>
      plane.call('PUT', '/api/user/self', { ...call, body })
    const changed = await change({ password: PASSWORD }, { as: person })
    const ofChange = valueOf(deviceOf(changed))
    await fail(person.username, 10)
    expect((await logIn(person.username, PASSWORD)).status).toBe(429)
    expect((await logIn(person.username, PASSWORD, ofChange)).success).toBe(true)
    const headers = { authorization: accessTokenOf(bob) }
    for (const answer of [
      await change({ display_name: 'x' }, { as: person }),
      await change({ display_name: 'x' }, { headers }),
    ]) {
      expect([answer.success, deviceOf(answer)]).toEqual([true, ''])
    }

    const to = `${person.username}@example.org`
    await setRow(plane, 'users', person.id, { email: to })
    await plane.setOption('SMTPServer', 'mail.example')
    await plane.setOption('ServerAddress', 'https://gate.example')
    await plane.call('GET', `/api/reset_password?email=${to}`)
    const link = new URL((await mailedTo(plane, to)).at(-1) ?? '')
    const body = { email: to, token: link.searchParams.get('token') }
    const reset = await plane.call('POST', '/api/user/reset', { body })
    const password = String(reset.data)
    expect((await logIn(person.username, password)).status).toBe(429)
    expect((await logIn(person.username, password, ofChange)).status).toBe(429)
    expect((await logIn(person.username, password, valueOf(deviceOf(reset)))).success).toBe(true)
  })

  test('reveal no more from a known browser than from any other', async () => {
    plane.clock.now += 20 * 60 * 1000
    const device = valueOf(deviceOf(await logIn(alice.username, PASSWORD)))
    const nobody = await logIn('nobody', 'x', device)
    const wrong = await logIn(bob.username, 'x', device)
    expect([nobody.status, nobody.text]).toEqual([wrong.status, wrong.text])
    expect([deviceOf(nobody), deviceOf(wrong)]).toEqual(['', ''])
    const self = await plane.call('GET', '/api/user/self', { headers: { cookie: device } })
    expect(self.status).toBe(401)
  })

  test('by name do not reveal its address, and give no account more guesses', async () => {
    expect(await fail(`not-${email}`, 11)).toEqual([...TEN, 429])
    expect(await fail(email, 11)).toEqual([...TEN, 429])
    expect(await fail(alice.username, 9)).toEqual(TEN.slice(1))
    // The right password exceeds the limit by one guess and gets the response of a wrong one.
    const [right, wrong] = [await logIn(alice.username, PASSWORD), await logIn('nobody')]
    expect([right.status, right.text]).toEqual([200, wrong.text])
    plane.clock.now += 20 * 60 * 1000
    expect((await logIn(alice.username, PASSWORD)).success).toBe(true)
    expect((await logIn(email, PASSWORD)).success).toBe(true)
  })

  test('by others under a name do not reduce the attempts of the own address', async () => {
    const { take } = openLimits()
    const tryAs = (name: string, address: string) =>
      take({ address, name, user: undefined, device: null })
    for (let tried = 0; tried < 10; tried++) await tryAs('root', `203.0.113.${tried}`)
    for (let tried = 0; tried < 30; tried++) {
      await expect(tryAs('root', '198.51.100.1')).rejects.toThrow('too_many_requests')
    }
    for (let tried = 0; tried < 20; tried++) await tryAs(`name${tried}`, '198.51.100.1')
    await expect(tryAs('another', '198.51.100.1')).rejects.toThrow('too_many_requests')
  })

  test('count for a known address until the password changes', async () => {
    const { take } = openLimits()
    const home = '198.51.100.17'
    const ann = { id: bob.id + 1000, password_hash: 'of the first password' }
    const tryAs = (address: string, changes: object = {}) =>
      take({ address, name: 'ann', user: ann, device: null, ...changes })
    const lockElsewhere = async () => {
      for (let tried = 0; tried < 10; tried++) await tryAs(`192.0.2.${tried}`)
      await expect(tryAs('192.0.2.99')).rejects.toThrow('too_many_requests')
    }
    await (await tryAs(home)).forgive()
    await lockElsewhere()
    for (let tried = 0; tried < 10; tried++) await tryAs(home)
    await expect(tryAs(home)).rejects.toThrow('too_many_requests')
    for (let tried = 0; tried < 10; tried++)
      await tryAs(home, { name: `x${tried}`, user: undefined })
    await expect(tryAs(home, { name: 'y', user: undefined })).rejects.toThrow('too_many_requests')

    plane.clock.now += 20 * 60 * 1000
    await plane.call('GET', '/api/status')
    await lockElsewhere()
    const changed = { ...ann, password_hash: 'of another password' }
    await expect(tryAs(home, { user: changed })).rejects.toThrow('too_many_requests')
    await tryAs(home)
  })
})
