import { expect, test } from 'vitest'
import { errorText, ROLE } from '@tollgate/contract'
import {
  allowedIn,
  createAuthenticator,
  excludedIn,
  handleIn,
} from '../../../testing/fakes/authenticator.ts'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import { storedRows } from '../../../testing/worlds/rows.ts'
import { cookieIn, openSecondFactorWorld } from '../../../testing/worlds/second-factor-world.ts'

const REFUSED = errorText('passkey_refused', {}, 'en')
const TICKET_MS = 5 * 60 * 1000

describeWorlds(openSecondFactorWorld, 'passkeys on %s', (world, kind) => {
  const isSignedIn = async (session: string) =>
    (await world.plane.call('GET', '/api/user/self', { as: session })).success === true

  test('a new one is listed, comes with recovery codes, and logs in alone', async () => {
    const owner = await world.addPerson()
    const { authenticator, id, recovery_codes } = await world.addPasskey(owner)
    expect(recovery_codes).toHaveLength(10)
    const created_time = Math.floor(world.plane.clock.now / 1000)
    expect(await world.factorsOf(owner)).toEqual({
      totp: false,
      recovery_codes_left: 10,
      passkeys: [{ id, name: 'phone', created_time, last_used_time: 0 }],
      required: false,
    })
    const begun = await world.plane.call('POST', '/api/user/login/passkey/options', { body: {} })
    const { ticket, options } = world.challenge(begun)
    const body = { ticket, response: authenticator.get(options) }
    const answer = await world.plane.call('POST', '/api/user/login/passkey', { body })
    expect(answer.data).toMatchObject({ id: owner.id, username: owner.username })
    expect(await isSignedIn(cookieIn(answer, 'session'))).toBe(true)
    expect(cookieIn(answer, 'device')).not.toBe('')
    const used = { passkeys: [{ last_used_time: created_time }] }
    expect(await world.factorsOf(owner)).toMatchObject(used)
  })

  test('an account has at most twenty, also with concurrent registrations', async () => {
    const owner = await world.addPerson()
    for (let count = 0; count < 19; count++) await world.addPasskey(owner)
    const begun = [await world.beginPasskey(owner), await world.beginPasskey(owner)]
    const answers = await Promise.all(
      begun.map(({ ticket, options }) => {
        const body = { ticket, name: 'last', response: createAuthenticator().create(options) }
        return world.plane.call('POST', '/api/user/2fa/passkey', { as: owner, body })
      }),
    )
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
    const more = await world.plane.call('POST', '/api/user/2fa/passkey/options', { as: owner })
    expect(more.message).toBe(errorText('too_many_passkeys', { limit: 20 }, 'en'))
  })

  test('it is renamed and deleted by its owner; the last removes the recovery codes too', async () => {
    const owner = await world.addPerson()
    const { id, authenticator } = await world.addPasskey(owner)
    const second = await world.addPasskey(owner)
    expect(second.recovery_codes).toEqual([])
    const body = { id, name: '办公室的钥匙' }
    const renamed = await world.plane.call('PUT', '/api/user/2fa/passkey', { as: owner, body })
    expect(renamed.data).toMatchObject(body)
    await world.plane.call('DELETE', `/api/user/2fa/passkey/${id}`, { as: owner })
    expect((await world.signInByPasskey(authenticator)).message).toBe(REFUSED)
    expect(await world.factorsOf(owner)).toMatchObject({ recovery_codes_left: 10 })
    await world.plane.call('DELETE', `/api/user/2fa/passkey/${second.id}`, { as: owner })
    expect(await world.factorsOf(owner)).toMatchObject({ recovery_codes_left: 0 })
    expect((await world.logIn(owner)).data).toMatchObject({ id: owner.id })
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test('the browser is asked for user verification, and offers the known passkeys', async () => {
    const owner = await world.addPerson()
    const { options } = await world.beginPasskey(owner)
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Tollgate' },
      user: { name: owner.username },
      attestation: 'none',
      timeout: TICKET_MS,
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      excludeCredentials: [],
    })
    const begun = await world.plane.call('POST', '/api/user/login/passkey/options', { body: {} })
    const asked = world.challenge(begun).options
    expect(asked).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
    expect(allowedIn(asked) ?? []).toEqual([])
  })

  test('an account has a random, permanent user handle for authenticators', async () => {
    const owner = await world.addPerson()
    const handleOf = async (person: Person) => handleIn((await world.beginPasskey(person)).options)
    const handle = await handleOf(owner)
    expect(handle).toMatch(/^[\w-]{43}$/)
    expect(await handleOf(owner)).toBe(handle)
    expect(await handleOf(await world.addPerson())).not.toBe(handle)
  })

  test('it is the second factor of a password', async () => {
    const owner = await world.addPerson()
    const { authenticator } = await world.addPasskey(owner)
    const { ticket, factors } = await world.pending(owner)
    expect(factors).toEqual(['passkey', 'recovery_code'])
    const begun = await world.plane.call('POST', '/api/user/login/passkey/options', {
      body: { ticket },
    })
    expect(allowedIn(world.challenge(begun).options)).toEqual([authenticator.credentialId])
    const answer = await world.signInByPasskey(authenticator, { ticket })
    expect(answer.data).toMatchObject({ id: owner.id })
    // The passkey consumes the ticket of the password.
    const again = await world.signInByPasskey(authenticator, { ticket })
    expect(again.message).toBe(errorText('sign_in_expired', {}, 'en'))
  })

  test('a security key without a user handle works after a password, and not alone', async () => {
    const owner = await world.addPerson()
    const { authenticator } = await world.addPasskey(owner)
    const faults = { userHandle: undefined }
    expect((await world.signInByPasskey(authenticator, { faults })).message).toBe(REFUSED)
    const { ticket } = await world.pending(owner)
    expect((await world.signInByPasskey(authenticator, { ticket, faults })).success).toBe(true)
  })

  test('a session of root can be opened by one, also while password login is off', async () => {
    const root = await world.addPerson(ROLE.root)
    const { authenticator } = await world.addPasskey(root)
    await world.plane.setOption('PasswordLoginEnabled', 'false')
    const answer = await world.signInByPasskey(authenticator)
    await world.plane.setOption('PasswordLoginEnabled', 'true')
    expect(answer.data).toMatchObject({ id: root.id, role: ROLE.root })
  })

  test('a synced passkey, which has no counter, logs in repeatedly', async () => {
    const authenticator = createAuthenticator({ isSynced: true })
    await world.addPasskey(await world.addPerson(), { authenticator })
    for (let times = 0; times < 3; times++) {
      expect((await world.signInByPasskey(authenticator)).success).toBe(true)
    }
  })

  test('a banned user cannot log in with one, nor can a deleted account', async () => {
    const root = await world.addPerson(ROLE.root)
    const manage = (username: string, action: string) =>
      world.plane.call('POST', '/api/user/manage', { as: root, body: { username, action } })
    const owner = await world.addPerson()
    const { authenticator } = await world.addPasskey(owner)
    await manage(owner.username, 'disable')
    const banned = await world.signInByPasskey(authenticator)
    expect(banned.message).toBe(errorText('account_banned', {}, 'en'))
    expect(cookieIn(banned, 'session')).toBe('')
    await manage(owner.username, 'delete')
    expect((await world.signInByPasskey(authenticator)).message).toBe(REFUSED)
    for (const table of ['passkeys', 'second_factors', 'recovery_codes'] as const) {
      expect(await storedRows(world.plane, table, { user_id: owner.id })).toEqual([])
    }
  })

  test('a passkey the account already has is neither offered nor accepted again', async () => {
    const [owner, other] = [await world.addPerson(), await world.addPerson()]
    const { authenticator } = await world.addPasskey(owner)
    const { options } = await world.beginPasskey(owner)
    expect(excludedIn(options)).toEqual([authenticator.credentialId])
    const taken = errorText('passkey_taken', {}, 'en')
    for (const person of [owner, other]) {
      expect((await world.createPasskey(person, {}, { authenticator })).message).toBe(taken)
    }
  })

  test('old recovery codes are invalid after a new factor is added', async () => {
    const owner = await world.addPerson()
    const first = await world.addTotp(owner)
    await world.plane.call('DELETE', '/api/user/2fa/totp', { as: owner })
    await world.addPasskey(owner)
    const { ticket } = await world.pending(owner)
    const [code = ''] = first.recovery_codes
    expect((await world.signInByCode({ ticket, code })).success).toBe(false)
  })
})
