import { beforeAll, expect, test } from 'vitest'
import { CONFIRMATION_SECONDS, errorText, OPTIONS, ROLE } from '@tollgate/contract'
import { everyRow } from '../../../testing/harness/dump-tables.ts'
import {
  accessTokenOf,
  type Answer,
  type Call,
  type Person,
} from '../../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import {
  cookieIn,
  openSecondFactorWorld,
  PASSWORD,
} from '../../../testing/worlds/second-factor-world.ts'

const CONFIRMATION_MS = CONFIRMATION_SECONDS * 1000
const WINDOW_MS = 20 * 60 * 1000

const NEEDED = errorText('confirmation_needed', {}, 'en')
const WRONG_PASSWORD = errorText('wrong_password', {}, 'en')
const EXPIRED = errorText('passkey_expired', {}, 'en')
const UNAVAILABLE = errorText('confirmation_way_unavailable', {}, 'en')

type Guarded = [string, (target: Person) => ['GET' | 'POST' | 'PUT' | 'DELETE', string, unknown?]]

const PASSWORD_CHANGE = { password: 'another one' }
const PROMOTION = { action: 'promote' }
const PAYOUT = { amount: 10_000, note: '' }
const REQUIRED = { key: 'SecondFactorRequired', value: 'false' }

/** Performed by root, who is allowed every one of them. */
const GUARDED: Guarded[] = [
  ['make an access token', () => ['GET', '/api/user/token']],
  ['change the own password', () => ['PUT', '/api/user/self', PASSWORD_CHANGE]],
  ['promote a user', ({ username }) => ['POST', '/api/user/manage', { username, ...PROMOTION }]],
  ['record a payout', ({ id }) => ['POST', '/api/partner/payout', { user_id: id, ...PAYOUT }]],
  ['set the password of a user', ({ id }) => ['PUT', '/api/user/', { id, ...PASSWORD_CHANGE }]],
  ['set an identity of a user', ({ id }) => ['PUT', '/api/user/', { id, github_id: `g${id}` }]],
  ['reset the second factor of a user', ({ id }) => ['DELETE', `/api/user/${id}/2fa`]],
  ['begin an authenticator app', () => ['POST', '/api/user/2fa/totp']],
  ['enable an authenticator app', () => ['PUT', '/api/user/2fa/totp', { code: '123456' }]],
  ['remove an authenticator app', () => ['DELETE', '/api/user/2fa/totp']],
  ['make recovery codes', () => ['POST', '/api/user/2fa/recovery_codes']],
  ['begin a passkey', () => ['POST', '/api/user/2fa/passkey/options']],
  ['delete a passkey', () => ['DELETE', '/api/user/2fa/passkey/1']],
  ['bind an email address', () => ['GET', '/api/oauth/email/bind?email=a@b.example&code=x']],
  ['bind WeChat', () => ['GET', '/api/oauth/wechat/bind?code=x']],
  ['begin to bind another account', () => ['GET', '/api/oauth/start?provider=lark']],
  ['get a state to bind another account', () => ['GET', '/api/oauth/state']],
  ['end that administrators need a second factor', () => ['PUT', '/api/option/', REQUIRED]],
  ...Object.entries(OPTIONS)
    .filter(([, row]) => row.identity !== undefined)
    .map(([key]): Guarded => [`change ${key}`, () => ['PUT', '/api/option/', { key, value: ' ' }]]),
]

describeWorlds(openSecondFactorWorld, 'confirmations on %s', (world, kind) => {
  beforeAll(async () => {
    await setUpLark()
  })

  const setUpLark = async () => {
    await world.plane.setOption('LarkClientId', 'id')
    await world.plane.setOption('LarkClientSecret', 'secret')
    await world.plane.setOption('ServerAddress', 'http://localhost')
  }

  /** A session whose confirmation has expired. */
  const stale = async (person: Person): Promise<Person> => {
    const session = await world.plane.signIn(person.id)
    await world.plane.database.kysely
      .updateTable('sessions')
      .set((eb) => ({ confirmed_at: eb('confirmed_at', '-', CONFIRMATION_SECONDS) }))
      .where('id_hash', '=', world.plane.secrets.hashSession(session))
      .execute()
    return { ...person, session }
  }

  const call = (as: Person, [method, path, body]: ReturnType<Guarded[1]>, more: Call = {}) =>
    world.plane.call(method, path, { as, address: world.newAddress(), body, ...more })

  const confirm = (as: Person, body: object) =>
    world.plane.call('POST', '/api/user/confirm', { as, body })

  const waysOf = async (as: Person) =>
    (await world.plane.call('GET', '/api/user/confirm', { as })).data

  const isAsked = ({ message, text }: Answer) =>
    message === NEEDED && JSON.parse(text).code === 'confirmation_needed'

  test('one of two concurrent confirmations by one recovery code succeeds', async () => {
    const owner = await world.addPerson()
    const [code = ''] = (await world.addTotp(owner)).recovery_codes
    const sessions = [await stale(owner), await stale(owner)]
    const answers = await Promise.all(sessions.map((as) => confirm(as, { code })))
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test.each(GUARDED)('is required to %s, which changes nothing without it', async (_, request) => {
    const [root, target] = [await world.addPerson(ROLE.root), await world.addPerson()]
    const old = await stale(root)
    const rows = async () => ({ ...(await everyRow(world.plane.database)), attempts: [] })
    const before = await rows()
    const refused = await call(old, request(target))
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      200,
      { success: false, message: NEEDED, code: 'confirmation_needed', ways: ['password'] },
    ])
    expect(await rows()).toEqual(before)
    expect((await confirm(old, { password: PASSWORD })).success).toBe(true)
    expect(isAsked(await call(old, request(target)))).toBe(false)
  })

  test.each([
    ['a name', { display_name: 'new name', password: '' }],
    ['the row as it was read', { username: '', password: '', github_id: '' }],
  ])('is not required to save %s', async (_, change) => {
    const root = await stale(await world.addPerson(ROLE.root))
    const target = await world.addPerson()
    const body = { id: target.id, ...change }
    const byAdmin = await call(root, ['PUT', '/api/user/', body])
    expect([byAdmin.success, byAdmin.message]).toEqual([true, ''])
    expect((await call(root, ['PUT', '/api/user/self', change])).success).toBe(true)
  })

  test('is not required for options that do not affect accounts', async () => {
    const root = await stale(await world.addPerson(ROLE.root))
    const body = { key: 'RetryTimes', value: '4' }
    expect((await call(root, ['PUT', '/api/option/', body])).success).toBe(true)
  })

  test('is given by a login for ten minutes', async () => {
    const owner = await world.addPerson()
    const login = await world.logIn(owner)
    const session = cookieIn(login, 'session')
    const as = { ...owner, session }
    const at = Math.floor(world.plane.clock.now / 1000)
    expect(await waysOf(as)).toEqual({
      confirmed_until: at + CONFIRMATION_SECONDS,
      ways: ['password'],
    })
    world.plane.clock.now += CONFIRMATION_MS - 1000
    expect((await call(as, ['GET', '/api/user/token'])).success).toBe(true)
    world.plane.clock.now += 1000
    expect(isAsked(await call(as, ['GET', '/api/user/token']))).toBe(true)
  })

  test('is not given by a session of an earlier version', async () => {
    const owner = await world.addPerson()
    const sessions = world.plane.database.kysely.updateTable('sessions').set({ confirmed_at: 0 })
    await sessions.where('user_id', '=', owner.id).execute()
    expect(await waysOf(owner)).toMatchObject({ confirmed_until: 0 })
    expect(isAsked(await call(owner, ['GET', '/api/user/token']))).toBe(true)
  })

  test('counts for its own session alone', async () => {
    const owner = await world.addPerson()
    const [one, other] = [await stale(owner), await stale(owner)]
    const at = Math.floor(world.plane.clock.now / 1000)
    const missing = errorText('field_missing', { field: 'password' }, 'en')
    expect((await confirm(other, {})).message).toBe(missing)
    const answer = await confirm(one, { password: PASSWORD })
    expect(answer.data).toEqual({ confirmed_until: at + CONFIRMATION_SECONDS })
    expect(isAsked(await call(other, ['GET', '/api/user/token']))).toBe(true)
  })

  test('with a second factor, needs a factor instead of the password', async () => {
    const owner = await world.addPerson()
    const { secret, recovery_codes } = await world.addTotp(owner)
    const { authenticator } = await world.addPasskey(owner)
    const old = await stale(owner)
    const refused = await call(old, ['GET', '/api/user/token'])
    expect(JSON.parse(refused.text).ways).toEqual(['totp', 'passkey', 'recovery_code'])
    expect((await confirm(old, { password: PASSWORD })).message).toBe(UNAVAILABLE)
    expect((await confirm(old, { code: world.codeOf(secret) })).success).toBe(true)
    const [code = ''] = recovery_codes
    expect((await confirm(await stale(owner), { code })).success).toBe(true)
    const begun = await world.plane.call('POST', '/api/user/confirm/passkey', { as: old })
    const { ticket, options } = world.challenge(begun)
    const response = authenticator.get(options)
    expect((await confirm(old, { ticket, response })).success).toBe(true)
    expect((await confirm(old, { ticket, response })).message).toBe(EXPIRED)
  })

  test('a code that confirmed does not log in, and vice versa', async () => {
    const owner = await world.addPerson()
    const { secret } = await world.addTotp(owner)
    const code = world.codeOf(secret)
    expect((await confirm(owner, { code })).success).toBe(true)
    const { ticket } = await world.pending(owner)
    expect((await world.signInByCode({ ticket, code })).success).toBe(false)
  })

  test('a passkey of another user, or without user verification, confirms nothing', async () => {
    const [owner, thief] = [await world.addPerson(), await world.addPerson()]
    const { authenticator } = await world.addPasskey(owner)
    const stolen = await world.addPasskey(thief)
    const begin = async () =>
      world.challenge(await world.plane.call('POST', '/api/user/confirm/passkey', { as: owner }))
    for (const [passkey, faults] of [
      [stolen.authenticator, {}],
      [authenticator, { withoutVerification: true }],
    ] as const) {
      const { ticket, options } = await begin()
      const answer = await confirm(owner, { ticket, response: passkey.get(options, faults) })
      expect(answer.message).toBe(errorText('passkey_refused', {}, 'en'))
    }
    const own = await world.plane.call('POST', '/api/user/confirm/passkey', { as: thief })
    const { ticket, options } = world.challenge(own)
    const answer = await confirm(owner, { ticket, response: authenticator.get(options) })
    expect(answer.message).toBe(EXPIRED)
  })

  test('an account with neither password nor second factor logs in again', async () => {
    const person = await world.plane.addPerson()
    const old = await stale(person)
    const refused = await call(old, ['GET', '/api/user/token'])
    expect(JSON.parse(refused.text)).toEqual({
      success: false,
      message: errorText('confirmation_by_sign_in', {}, 'en'),
      code: 'confirmation_needed',
      ways: [],
    })
    expect((await confirm(old, { password: PASSWORD })).message).toBe(UNAVAILABLE)
    const fresh = { ...person, session: await world.plane.signIn(person.id) }
    expect((await call(fresh, ['GET', '/api/user/token'])).success).toBe(true)
  })

  test('ten wrong attempts are allowed in twenty minutes, for each session', async () => {
    const owner = await world.addPerson()
    const [thief, own] = [await stale(owner), await stale(owner)]
    for (let tries = 0; tries < 10; tries++) {
      expect((await confirm(thief, { password: 'wrong one' })).message).toBe(WRONG_PASSWORD)
    }
    expect((await confirm(thief, { password: PASSWORD })).status).toBe(429)
    expect((await confirm(own, { password: PASSWORD })).success).toBe(true)
    world.plane.clock.now += WINDOW_MS
    const later = await stale(owner)
    expect((await confirm(later, { password: PASSWORD })).success).toBe(true)
  })

  test('successful confirmations are not counted', async () => {
    const owner = await world.addPerson()
    for (let times = 0; times < 12; times++) {
      expect((await confirm(owner, { password: PASSWORD })).success).toBe(true)
    }
  })

  test('an access token needs none, and cannot confirm', async () => {
    const root = await world.addPerson(ROLE.root)
    const headers = { authorization: accessTokenOf(root) }
    const asked = await world.plane.call('GET', '/api/user/confirm', { headers })
    expect(asked.data).toEqual({ confirmed_until: 0, ways: [] })
    const body = { key: 'SMTPPort', value: '2525' }
    expect((await world.plane.call('PUT', '/api/option/', { headers, body })).success).toBe(true)
    expect((await world.plane.call('GET', '/api/user/token', { headers })).success).toBe(true)
  })

  test('a binding belongs to its confirmed user: the state is valid until the browser returns', async () => {
    // Earlier tests have changed every option that affects who gets into accounts.
    await setUpLark()
    const owner = await world.addPerson()
    const started = await call(owner, ['GET', '/api/oauth/start?provider=lark'])
    expect(String(started.data)).toContain('state=')
    // A caller without a session needs no confirmation.
    const address = world.newAddress()
    const signIn = await world.plane.call('GET', '/api/oauth/start?provider=lark', { address })
    expect(signIn.success).toBe(true)
  })
})
