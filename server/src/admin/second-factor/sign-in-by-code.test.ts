import { expect, test } from 'vitest'
import { errorText } from '@tollgate/contract'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import { outboxOf } from '../../../testing/worlds/outbox.ts'
import { setRow, storedRows } from '../../../testing/worlds/rows.ts'
import {
  cookieIn,
  openSecondFactorWorld,
  PASSWORD,
} from '../../../testing/worlds/second-factor-world.ts'

const STEP_MS = 30_000
const TICKET_MS = 5 * 60 * 1000

const WRONG = errorText('code_wrong', {}, 'en')
const EXPIRED = errorText('sign_in_expired', {}, 'en')

describeWorlds(openSecondFactorWorld, 'logging in by a code on %s', (world, kind) => {
  const isSignedIn = async (session: string) =>
    (await world.plane.call('GET', '/api/user/self', { as: session })).success === true

  const addOwner = async () => {
    const owner = await world.addPerson()
    return { owner, ...(await world.addTotp(owner)) }
  }

  test('a code is accepted once, and none of an earlier step after it', async () => {
    const { owner, secret } = await addOwner()
    const [before, code] = [world.codeOf(secret, -STEP_MS), world.codeOf(secret)]
    const { ticket } = await world.pending(owner)
    expect((await world.signInByCode({ ticket, code })).success).toBe(true)
    for (const again of [code, before]) {
      const second = await world.pending(owner)
      const { message } = await world.signInByCode({ ticket: second.ticket, code: again })
      expect(message).toBe(WRONG)
    }
    world.nextStep()
    const third = await world.pending(owner)
    const next = { ticket: third.ticket, code: world.codeOf(secret) }
    expect((await world.signInByCode(next)).success).toBe(true)
  })

  test('a recovery code is accepted once, in any case and with or without its hyphen', async () => {
    const { owner, recovery_codes } = await addOwner()
    expect(recovery_codes).toHaveLength(10)
    expect(new Set(recovery_codes).size).toBe(10)
    const typed = (code: string) => ` ${code.replace('-', '').toLowerCase()} `
    for (const code of recovery_codes.slice(0, 2)) {
      expect(code).toMatch(/^[2-9A-HJ-NP-Z]{5}-[2-9A-HJ-NP-Z]{5}$/)
      const { ticket } = await world.pending(owner)
      expect((await world.signInByCode({ ticket, code: typed(code) })).success).toBe(true)
      const again = await world.pending(owner)
      expect((await world.signInByCode({ ticket: again.ticket, code })).message).toBe(WRONG)
    }
    expect(await world.factorsOf(owner)).toMatchObject({ totp: true, recovery_codes_left: 8 })
  })

  test('the database contains neither secret nor recovery code in plain text', async () => {
    const { secret, recovery_codes } = await addOwner()
    const tables = ['second_factors', 'recovery_codes', 'auth_tickets'] as const
    const rows = await Promise.all(tables.map((table) => storedRows(world.plane, table)))
    const stored = JSON.stringify(rows)
    for (const plain of [secret, ...recovery_codes]) {
      expect(stored).not.toContain(plain)
      expect(stored).not.toContain(plain.replace('-', ''))
    }
  })

  test.each(['a recovery code', 'a code of the app'])(
    'one of two concurrent uses of %s succeeds',
    async (what) => {
      const { owner, secret, recovery_codes } = await addOwner()
      const code = what === 'a recovery code' ? (recovery_codes[0] ?? '') : world.codeOf(secret)
      const tickets = [await world.pending(owner), await world.pending(owner)]
      const answers = await Promise.all(
        tickets.map(({ ticket }) => world.signInByCode({ ticket, code })),
      )
      expect(answers.filter(({ success }) => success)).toHaveLength(1)
    },
  )

  test('one of two concurrent uses of a ticket succeeds', async () => {
    const { owner, recovery_codes } = await addOwner()
    const { ticket } = await world.pending(owner)
    const answers = await Promise.all(
      recovery_codes.slice(0, 2).map((code) => world.signInByCode({ ticket, code })),
    )
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
    // The losing request did not consume its code.
    expect(await world.factorsOf(owner)).toMatchObject({ recovery_codes_left: 9 })
  })

  test('a ban that commits after the ticket was read still refuses the login', async () => {
    const { owner, recovery_codes } = await addOwner()
    const { ticket } = await world.pending(owner)
    await setRow(world.plane, 'users', owner.id, { status: 2 })
    const [code = ''] = recovery_codes
    expect((await world.signInByCode({ ticket, code })).success).toBe(false)
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test('the password alone opens no session and makes no browser known; the code opens one', async () => {
    const { owner, secret } = await addOwner()
    const address = world.newAddress()
    const first = await world.logIn(owner, { address })
    expect(first.data).toEqual({
      require_2fa: true,
      ticket: expect.stringMatching(/^[\w-]{43}$/),
      factors: ['totp', 'recovery_code'],
    })
    expect(first.headers['set-cookie']).toBeUndefined()
    const { ticket } = await world.pending(owner, { address })
    const body = { ticket, code: world.codeOf(secret) }
    const answer = await world.plane.call('POST', '/api/user/login/2fa', { body, address })
    expect(answer.data).toEqual({
      id: owner.id,
      username: owner.username,
      display_name: owner.username,
      role: owner.role,
      status: 1,
    })
    expect(await isSignedIn(cookieIn(answer, 'session'))).toBe(true)
    expect(cookieIn(answer, 'device')).not.toBe('')
  })

  test('the URI for authenticator apps names the server and the user', async () => {
    const { owner, secret, uri } = await addOwner()
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(uri).toBe(
      `otpauth://totp/Tollgate:${owner.username}?issuer=Tollgate&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    )
  })

  test('a code of the previous, current and next step is accepted, no other', async () => {
    for (const [steps, isTaken] of [
      [-2, false],
      [-1, true],
      [0, true],
      [1, true],
      [2, false],
    ] as const) {
      const { owner, secret } = await addOwner()
      world.nextStep()
      const { ticket } = await world.pending(owner)
      const code = world.codeOf(secret, steps * STEP_MS)
      const { success } = await world.signInByCode({ ticket, code })
      expect([steps, success]).toEqual([steps, isTaken])
    }
  })

  test('the code that enabled the app is used up', async () => {
    const owner = await world.addPerson()
    const begun = await world.plane.call('POST', '/api/user/2fa/totp', { as: owner })
    const secret = world.secretIn(begun)
    const code = world.codeOf(secret)
    await world.plane.call('PUT', '/api/user/2fa/totp', { as: owner, body: { code } })
    const { ticket } = await world.pending(owner)
    expect((await world.signInByCode({ ticket, code })).message).toBe(WRONG)
  })

  test.each([
    ['spaces', (code: string) => ` ${code.slice(0, 3)} ${code.slice(3)} `],
    ['a hyphen', (code: string) => `${code.slice(0, 3)}-${code.slice(3)}`],
    [
      'wide digits',
      (code: string) => code.replace(/\d/g, (one) => '０１２３４５６７８９'[Number(one)] ?? ''),
    ],
  ])('a code may be typed with %s', async (_, typed) => {
    const { owner, secret } = await addOwner()
    const { ticket } = await world.pending(owner)
    const code = typed(world.codeOf(secret))
    expect((await world.signInByCode({ ticket, code })).success).toBe(true)
  })

  test('a recovery code of another user is invalid', async () => {
    const [one, other] = [await addOwner(), await addOwner()]
    const { ticket } = await world.pending(one.owner)
    const [code = ''] = other.recovery_codes
    expect((await world.signInByCode({ ticket, code })).message).toBe(WRONG)
  })

  test('an encrypted secret copied to another account does not work there', async () => {
    const [victim, thief] = [await addOwner(), await addOwner()]
    const { kysely } = world.plane.database
    const { id } = thief.owner
    const [row] = await storedRows(world.plane, 'second_factors', { user_id: id })
    const copy = kysely.updateTable('second_factors').set({ totp_sealed: row?.totp_sealed ?? '' })
    await copy.where('user_id', '=', victim.owner.id).execute()
    const { ticket } = await world.pending(victim.owner)
    const code = world.codeOf(thief.secret)
    expect((await world.signInByCode({ ticket, code })).message).toBe(WRONG)
  })

  test('a ticket is valid once, for five minutes, and for one user', async () => {
    const { owner, secret, recovery_codes } = await addOwner()
    const [first = '', second = '', third = ''] = recovery_codes
    const { ticket } = await world.pending(owner)
    expect((await world.signInByCode({ ticket, code: first })).success).toBe(true)
    expect((await world.signInByCode({ ticket, code: second })).message).toBe(EXPIRED)
    const late = await world.pending(owner)
    world.plane.clock.now += TICKET_MS
    const code = world.codeOf(secret)
    expect((await world.signInByCode({ ticket: late.ticket, code })).message).toBe(EXPIRED)
    for (const unknown of ['', 'x', 'A'.repeat(43)]) {
      expect((await world.signInByCode({ ticket: unknown, code: third })).message).toBe(EXPIRED)
    }
  })

  test('a ticket does not authenticate calls', async () => {
    const { owner } = await addOwner()
    const { ticket } = await world.pending(owner)
    const bySession = await world.plane.call('GET', '/api/user/self', { as: ticket })
    expect(bySession.status).toBe(401)
    const headers = { authorization: `Bearer ${ticket}` }
    expect((await world.plane.call('GET', '/api/user/self', { headers })).success).toBe(false)
  })

  test("many logins by someone who knows the password do not end the owner's", async () => {
    const { owner, secret } = await addOwner()
    const { ticket } = await world.pending(owner)
    for (let count = 0; count < 25; count++) {
      world.plane.clock.now += 1000
      await world.ticketOf(owner)
    }
    const code = world.codeOf(secret)
    expect((await world.signInByCode({ ticket, code })).success).toBe(true)
  })

  const changePassword = (as: Person) =>
    world.plane.call('PUT', '/api/user/self', { as, body: { password: 'another one' } })
  const ban = async ({ username }: Person) => {
    const body = { username, action: 'disable' }
    return world.plane.call('POST', '/api/user/manage', { as: await world.addPerson(100), body })
  }
  const removeTotp = (as: Person) => world.plane.call('DELETE', '/api/user/2fa/totp', { as })
  test.each([
    ['a new password', changePassword],
    ['a ban', ban],
    ['a change of the second factors', removeTotp],
  ])('%s ends logins in progress', async (_, end) => {
    const { owner, recovery_codes } = await addOwner()
    const { ticket } = await world.pending(owner)
    expect((await end(owner)).success).toBe(true)
    const [code = ''] = recovery_codes
    expect((await world.signInByCode({ ticket, code })).message).toBe(EXPIRED)
  })

  test('a password reset neither bypasses nor removes the second factor', async () => {
    const { owner, secret } = await addOwner()
    const { secrets, database, clock } = world.plane
    const token = 'token-of-the-mail'
    await database.kysely
      .insertInto('verification_codes')
      .values({
        purpose: 'reset',
        email: owner.email,
        code_hash: secrets.hashOneTime(`reset\n${owner.email}\n${token}`),
        expires_at: Math.floor(clock.now / 1000) + 600,
      })
      .execute()
    const sent = { body: { email: owner.email, token }, address: world.newAddress() }
    const reset = await world.plane.call('POST', '/api/user/reset', sent)
    expect([reset.success, cookieIn(reset, 'session')]).toEqual([true, ''])
    const login = await world.plane.call('POST', '/api/user/login', {
      body: { username: owner.username, password: reset.data },
      headers: { cookie: `device=${cookieIn(reset, 'device')}` },
      address: world.newAddress(),
    })
    const { ticket } = world.pendingIn(login)
    const answer = await world.signInByCode({ ticket, code: world.codeOf(secret) })
    expect(answer.success).toBe(true)
  })

  test('the owner receives a mail about changes, once mail is set up', async () => {
    const { owner } = await addOwner()
    const eventsOf = async (id: number) =>
      (await outboxOf(world.plane)).flatMap((message) =>
        message.type === 'second-factor' && message.user_id === id ? [message.event] : [],
      )
    expect(await eventsOf(owner.id)).toEqual([])
    await world.plane.setOption('SMTPServer', 'mail.example')
    const other = await addOwner()
    const [code = ''] = other.recovery_codes
    const { ticket } = await world.pending(other.owner)
    await world.signInByCode({ ticket, code })
    await world.plane.call('POST', '/api/user/2fa/recovery_codes', { as: other.owner })
    await world.plane.call('DELETE', '/api/user/2fa/totp', { as: other.owner })
    expect(await eventsOf(other.owner.id)).toEqual([
      'totp_added',
      'recovery_code_used',
      'recovery_codes_made',
      'totp_removed',
    ])
    await world.plane.setOption('SMTPServer', '')
  })

  test('a browser with another session keeps only the new one', async () => {
    const { owner, recovery_codes } = await addOwner()
    const [code = ''] = recovery_codes
    const { ticket } = await world.pending(owner)
    const old = await world.plane.signIn(owner.id)
    const from = { as: old, address: world.newAddress() }
    const session = cookieIn(await world.signInByCode({ ticket, code }, from), 'session')
    expect([await isSignedIn(old), await isSignedIn(session)]).toEqual([false, true])
  })

  test("a login that still needs a code keeps the browser's session", async () => {
    const { owner } = await addOwner()
    const session = await world.plane.signIn(owner.id)
    await world.logIn(owner, { as: session, address: world.newAddress() })
    expect(await isSignedIn(session)).toBe(true)
  })

  test('a wrong password is answered as for an account without a second factor', async () => {
    const { owner } = await addOwner()
    const person = await world.addPerson()
    const wrong = async ({ username }: Person) =>
      world.plane.call('POST', '/api/user/login', {
        body: { username, password: `not ${PASSWORD}` },
        address: world.newAddress(),
      })
    expect((await wrong(owner)).text).toBe((await wrong(person)).text)
  })
})
