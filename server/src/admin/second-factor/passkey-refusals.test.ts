import { describe, expect, test } from 'vitest'
import { errorText, ROLE } from '@tollgate/contract'
import { createAuthenticator, type Faults } from '../../../testing/fakes/authenticator.ts'
import { accessTokenOf, type Answer, type Person } from '../../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import { cookieIn, openSecondFactorWorld } from '../../../testing/worlds/second-factor-world.ts'

const REFUSED = errorText('passkey_refused', {}, 'en')
const EXPIRED = errorText('passkey_expired', {}, 'en')
const SESSION_NEEDED = errorText('session_needed', {}, 'en')
const TICKET_MS = 5 * 60 * 1000

/** Responses that no browser of the owner sends. */
const FAULTS: [string, Faults][] = [
  ['of another origin', { origin: 'https://evil.example' }],
  ['of another port', { origin: 'http://localhost:8443' }],
  ['made for another host', { rpId: 'evil.example' }],
  ['of another challenge', { challenge: 'A'.repeat(43) }],
  ['of a person who was not recognised', { withoutVerification: true }],
  ['without user presence', { withoutPresence: true }],
  ['of another ceremony', { type: 'payment.get' }],
  ['from a frame of another site', { crossOrigin: true }],
]

describeWorlds(openSecondFactorWorld, 'refused passkeys, on %s', (world, kind) => {
  const create = (person: Person, faults: Faults) => world.createPasskey(person, faults)

  test('one of two concurrent logins with the same counter succeeds', async () => {
    const { authenticator } = await world.addPasskey(await world.addPerson())
    const faults = { counter: 5 }
    const answers = await Promise.all(
      [1, 2].map(() => world.signInByPasskey(authenticator, { faults })),
    )
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test.each(FAULTS)('a login %s is refused', async (_, faults) => {
    const owner = await world.addPerson()
    const { authenticator } = await world.addPasskey(owner)
    const alone = await world.signInByPasskey(authenticator, { faults })
    expect([alone.success, alone.message, cookieIn(alone, 'session')]).toEqual([false, REFUSED, ''])
    const { ticket } = await world.pending(owner)
    const second = await world.signInByPasskey(authenticator, { ticket, faults })
    expect([second.success, second.message]).toEqual([false, REFUSED])
    expect((await world.signInByPasskey(authenticator, { ticket })).success).toBe(true)
  })

  test.each([
    ['with a signature of another key', { signature: Buffer.alloc(70, 7) }],
    ['without a signature', { signature: Buffer.alloc(0) }],
    ['in the name of another account', { userHandle: 'A'.repeat(43) }],
  ])('a login %s is refused', async (_, faults) => {
    const { authenticator } = await world.addPasskey(await world.addPerson())
    expect((await world.signInByPasskey(authenticator, { faults })).message).toBe(REFUSED)
  })

  test.each(FAULTS)('a registration %s is refused', async (_, faults) => {
    const owner = await world.addPerson()
    expect((await create(owner, faults)).message).toBe(REFUSED)
    expect(await world.factorsOf(owner)).toMatchObject({ passkeys: [], recovery_codes_left: 0 })
  })

  test('an answer is valid once, and a challenge is answered once', async () => {
    const { authenticator } = await world.addPasskey(await world.addPerson())
    const path = '/api/user/login/passkey'
    const begin = async () =>
      world.challenge(await world.plane.call('POST', `${path}/options`, { body: {} }))
    const { ticket, options } = await begin()
    const body = { ticket, response: authenticator.get(options) }
    const send = (sent: unknown) =>
      world.plane.call('POST', path, { body: sent, address: world.newAddress() })
    const twice = await Promise.all([send(body), send(body)])
    expect(twice.filter(({ success }) => success)).toHaveLength(1)
    expect((await send(body)).message).toBe(EXPIRED)
    const other = await begin()
    expect((await send({ ...body, ticket: other.ticket })).message).toBe(REFUSED)
    const late = await begin()
    world.plane.clock.now += TICKET_MS
    const tooLate = { ticket: late.ticket, response: authenticator.get(late.options) }
    expect((await send(tooLate)).message).toBe(EXPIRED)
  })

  test('a challenge for one purpose is invalid for another', async () => {
    const owner = await world.addPerson()
    const { authenticator } = await world.addPasskey(owner)
    const confirming = await world.plane.call('POST', '/api/user/confirm/passkey', { as: owner })
    const { ticket, options } = world.challenge(confirming)
    const body = { ticket, response: authenticator.get(options) }
    const signIn = await world.plane.call('POST', '/api/user/login/passkey', { body })
    expect(signIn.message).toBe(EXPIRED)
    const sent = { as: owner, body: { ...body, name: 'x' } }
    const created = await world.plane.call('POST', '/api/user/2fa/passkey', sent)
    expect(created.message).toBe(EXPIRED)
  })

  test('a challenge of another user is invalid', async () => {
    const [owner, stranger] = [await world.addPerson(), await world.addPerson()]
    const authenticator = createAuthenticator()
    const { ticket, options } = await world.beginPasskey(owner)
    const body = { ticket, name: 'phone', response: authenticator.create(options) }
    const answer = await world.plane.call('POST', '/api/user/2fa/passkey', { as: stranger, body })
    expect(answer.message).toBe(EXPIRED)
  })

  test('the passkey of another account does not finish a login', async () => {
    const [owner, stranger] = [await world.addPerson(), await world.addPerson()]
    await world.addPasskey(owner)
    const { authenticator } = await world.addPasskey(stranger)
    const { ticket } = await world.pending(owner)
    expect((await world.signInByPasskey(authenticator, { ticket })).message).toBe(REFUSED)
    expect((await world.signInByPasskey(createAuthenticator())).message).toBe(REFUSED)
  })

  test('a counter that does not increase is refused, because it may be a copy', async () => {
    const { authenticator } = await world.addPasskey(await world.addPerson())
    const signIn = (counter: number) =>
      world.signInByPasskey(authenticator, { faults: { counter } })
    expect((await signIn(9)).success).toBe(true)
    for (const counter of [9, 8, 0]) {
      expect([counter, (await signIn(counter)).message]).toEqual([counter, REFUSED])
    }
    expect(world.plane.logLines.join('')).toContain('Response counter value')
    expect((await signIn(10)).success).toBe(true)
  })

  describe('an attestation', () => {
    test.each(['packed', 'tpm', 'made-up'])(
      'in the unrequested format %s is refused before its certificates are read',
      async (fmt) => {
        const attStmt = new Map<string, unknown>([
          ['alg', -7],
          ['sig', Buffer.alloc(70, 1)],
          ['x5c', [Buffer.alloc(100, 0x30)]],
        ])
        const answer = await create(await world.addPerson(), { attestation: { fmt, attStmt } })
        expect(answer.message).toBe(REFUSED)
        expect(world.plane.logLines.at(-1)).toContain(`attestation ${fmt} was not asked for`)
      },
    )

    test.each([
      ['no CBOR', Buffer.from('not cbor at all')],
      ['nested without end', Buffer.alloc(20_000, 0x81)],
      ['empty', Buffer.alloc(0)],
    ])('that is %s is refused', async (_, attestation) => {
      const owner = await world.addPerson()
      const { ticket, options } = await world.beginPasskey(owner)
      const response = createAuthenticator().create(options)
      response.response.attestationObject = attestation.toString('base64url')
      const body = { ticket, name: 'x', response }
      const answer = await world.plane.call('POST', '/api/user/2fa/passkey', { as: owner, body })
      expect([answer.status, answer.message]).toEqual([200, REFUSED])
    })
  })

  test('a response of any shape is refused with a message', async () => {
    const { authenticator } = await world.addPasskey(await world.addPerson())
    const path = '/api/user/login/passkey'
    for (const change of [
      { response: undefined },
      { response: {} },
      { response: { clientDataJSON: 5 } },
      { rawId: 'other' },
      { type: 'password' },
      { id: '!' },
      { id: authenticator.credentialId, response: { clientDataJSON: 'e30' } },
    ]) {
      const begun = await world.plane.call('POST', `${path}/options`, { body: {} })
      const { ticket, options } = world.challenge(begun)
      const response = { ...authenticator.get(options), ...change }
      const sent = { body: { ticket, response }, address: world.newAddress() }
      const answer = await world.plane.call('POST', path, sent)
      expect([answer.status, answer.success]).toEqual([200, false])
      expect(answer.message).toMatch(/passkey|"response|"id/)
    }
  })

  test('wrong answers are limited by address, and so are challenges', async () => {
    const address = world.newAddress()
    const body = { ticket: 'A'.repeat(43), response: { id: 'AAAA' } }
    const path = '/api/user/login/passkey'
    const refusedOf = async (count: number, send: () => Promise<Answer>) => {
      const answers = await Promise.all(Array.from({ length: count }, send))
      return answers.filter(({ status }) => status === 429).length
    }
    expect(await refusedOf(21, () => world.plane.call('POST', path, { body, address }))).toBe(1)
    const ask = () => world.plane.call('POST', `${path}/options`, { body: {}, address })
    expect(await refusedOf(101, ask)).toBe(1)
  })

  test('a stolen access token adds no passkey and reads no secret', async () => {
    const owner = await world.addPerson()
    const headers = { authorization: accessTokenOf(owner) }
    for (const [method, path] of [
      ['GET', '/api/user/2fa'],
      ['POST', '/api/user/2fa/totp'],
      ['PUT', '/api/user/2fa/totp'],
      ['DELETE', '/api/user/2fa/totp'],
      ['POST', '/api/user/2fa/recovery_codes'],
      ['POST', '/api/user/2fa/passkey/options'],
      ['DELETE', '/api/user/2fa/passkey/1'],
      ['POST', '/api/user/confirm'],
      ['GET', '/api/oauth/wechat/bind?code=1'],
      ['GET', '/api/oauth/email/bind?email=thief@example.org&code=1'],
    ] as const) {
      const body = method === 'GET' ? undefined : { code: '123456' }
      const answer = await world.plane.call(method, path, { headers, body })
      expect([path, answer.message]).toEqual([path, SESSION_NEEDED])
    }
  })

  test.each([
    ['a user', ROLE.user],
    ['root', ROLE.root],
  ])('a stolen access token of %s opens no session', async (_, role) => {
    const owner = await world.addPerson(role)
    await world.addTotp(owner)
    const headers = { authorization: accessTokenOf(owner) }
    const send = (method: 'PUT' | 'DELETE', path: string, body?: object) =>
      world.plane.call(method, path, { headers, body })
    const password = 'of the thief'
    const answers = [
      await send('PUT', '/api/user/self', { password }),
      await send('PUT', '/api/user/', { id: owner.id, password }),
      await send('DELETE', `/api/user/${owner.id}/2fa`),
    ]
    const refused = role === ROLE.root ? SESSION_NEEDED : errorText('not_allowed', {}, 'en')
    expect(answers.map(({ message }) => message)).toEqual([SESSION_NEEDED, refused, refused])
    expect((await world.pending(owner)).factors).toContain('totp')
    expect((await send('PUT', '/api/user/self', { display_name: 'x' })).success).toBe(true)
    const edit = { id: owner.id, display_name: 'y', password: '' }
    expect((await send('PUT', '/api/user/', edit)).success).toBe(role === ROLE.root)
  })
})
