import { expect, test } from 'vitest'
import { z } from 'zod'
import { errorText } from '@tollgate/contract'
import { accessTokenOf, type Call, type Person } from '../../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import { cookieIn, openSecondFactorWorld } from '../../../testing/worlds/second-factor-world.ts'

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'
const MINUTE_MS = 60_000

const sessionsSchema = z.array(
  z.strictObject({
    id: z.int(),
    is_current: z.boolean(),
    created_time: z.int(),
    last_seen_time: z.int(),
    address: z.string(),
    user_agent: z.string(),
  }),
)

describeWorlds(openSecondFactorWorld, 'own sessions on %s', (world, kind) => {
  const signedIn = async (person: Person, more: Pick<Call, 'address' | 'headers'> = {}) => {
    const answer = await world.logIn(person, { address: world.newAddress(), ...more })
    return { ...person, session: cookieIn(answer, 'session') }
  }

  const list = async (options: Call) =>
    sessionsSchema.parse((await world.plane.call('GET', '/api/user/sessions', options)).data)

  const areSignedIn = async (...people: Person[]) => {
    const selves = people.map((as) => world.plane.call('GET', '/api/user/self', { as }))
    return (await Promise.all(selves)).map(({ success }) => success === true)
  }

  /** Adds a user without sessions, so that `signedIn` creates the only one. */
  const addOwner = async () => {
    const owner = await world.addPerson()
    const { kysely } = world.plane.database
    await kysely.deleteFrom('sessions').where('user_id', '=', owner.id).execute()
    return owner
  }

  test('a session is listed with its address and browser, and without its id', async () => {
    const owner = await addOwner()
    const address = world.newAddress()
    const as = await signedIn(owner, { address, headers: { 'user-agent': BROWSER } })
    const at = Math.floor(world.plane.clock.now / 1000)
    const other = await signedIn(owner)
    const listed = await list({ as, address })
    expect(listed).toHaveLength(2)
    expect(listed.find(({ is_current }) => is_current)).toMatchObject({
      created_time: at,
      last_seen_time: at,
      address,
      user_agent: BROWSER,
    })
    const { text } = await world.plane.call('GET', '/api/user/sessions', { as })
    for (const session of [as.session, other.session]) {
      expect(text).not.toContain(session)
      expect(text).not.toContain(world.plane.secrets.hashSession(session))
    }
  })

  test('its last use is recorded at most once a minute', async () => {
    const owner = await addOwner()
    const as = await signedIn(owner)
    const first = Math.floor(world.plane.clock.now / 1000)
    const use = async (address: string) => {
      const headers = { 'user-agent': 'curl/8' }
      await world.plane.call('GET', '/api/user/self', { as, address, headers })
      const [row] = await list({ as, address })
      return [row?.last_seen_time, row?.address, row?.user_agent]
    }
    world.plane.clock.now += MINUTE_MS - 1000
    const elsewhere = world.newAddress()
    expect((await use(elsewhere))[0]).toBe(first)
    world.plane.clock.now += 1000
    expect(await use(elsewhere)).toEqual([first + 60, elsewhere, 'curl/8'])
    const again = world.newAddress()
    expect(await use(again)).toEqual([first + 60, elsewhere, 'curl/8'])
  })

  test('concurrent requests record it once', async () => {
    const as = await signedIn(await addOwner())
    world.plane.clock.now += MINUTE_MS
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => world.plane.call('GET', '/api/user/self', { as })),
    )
    expect(answers.every(({ success }) => success)).toBe(true)
  })

  test('all others can be ended together', async () => {
    const owner = await addOwner()
    const [as, lost] = [await signedIn(owner), await signedIn(owner)]
    const stranger = await signedIn(await addOwner())
    expect((await world.plane.call('DELETE', '/api/user/sessions', { as })).success).toBe(true)
    expect(await areSignedIn(as, lost, stranger)).toEqual([true, false, true])
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test("a browser's name is shortened, and hides nothing", async () => {
    const owner = await addOwner()
    const ugly = `A\u0001\u007f\u0085${'x'.repeat(500)}`
    const as = await signedIn(owner, { headers: { 'user-agent': ugly } })
    const [row] = await list({ as })
    expect(row?.user_agent).toBe(`A ${'x'.repeat(198)}`)
  })

  test('another session can be ended, without effect on the rest', async () => {
    const owner = await addOwner()
    const [as, lost, third] = [await signedIn(owner), await signedIn(owner), await signedIn(owner)]
    const id = (await list({ as: lost })).find(({ is_current }) => is_current)?.id
    const end = () => world.plane.call('DELETE', `/api/user/sessions/${id}`, { as })
    const answer = await end()
    expect([answer.success, answer.headers['set-cookie']]).toEqual([true, undefined])
    expect(await areSignedIn(as, lost, third)).toEqual([true, false, true])
    expect((await end()).message).toBe(errorText('session_not_found', {}, 'en'))
  })

  test('ending the own session is a log-out', async () => {
    const as = await signedIn(await addOwner())
    const [row] = await list({ as })
    const answer = await world.plane.call('DELETE', `/api/user/sessions/${row?.id}`, { as })
    expect(String(answer.headers['set-cookie'])).toMatch(/^session=;/)
    expect(await areSignedIn(as)).toEqual([false])
  })

  test('an access token lists and ends sessions, and is not listed', async () => {
    const owner = await addOwner()
    const as = await signedIn(owner)
    const headers = { authorization: accessTokenOf(owner) }
    const listed = await list({ headers })
    expect(listed.map(({ is_current }) => is_current)).toEqual([false])
    await world.plane.call('DELETE', '/api/user/sessions', { headers })
    expect([...(await areSignedIn(as)), await list({ headers })]).toEqual([false, []])
  })

  test('an expired session is not listed', async () => {
    const owner = await addOwner()
    const as = await signedIn(owner)
    await signedIn(owner)
    await world.plane.database.kysely
      .updateTable('sessions')
      .set({ expires_at: Math.floor(world.plane.clock.now / 1000) })
      .where('user_id', '=', owner.id)
      .where('id_hash', '<>', world.plane.secrets.hashSession(as.session))
      .execute()
    expect(await list({ as })).toHaveLength(1)
  })

  test.each([
    ['enabling an authenticator app', (as: Person) => world.addTotp(as)],
    ['adding a passkey', (as: Person) => world.addPasskey(as)],
  ])('%s ends the other sessions', async (_, add) => {
    const owner = await addOwner()
    const [as, lost] = [await signedIn(owner), await signedIn(owner)]
    await add(as)
    expect(await areSignedIn(as, lost)).toEqual([true, false])
  })

  test('removing a factor ends the other sessions', async () => {
    const owner = await addOwner()
    const as = await signedIn(owner)
    const { id } = await world.addPasskey(as)
    await world.addTotp(as)
    for (const path of ['/api/user/2fa/totp', `/api/user/2fa/passkey/${id}`]) {
      const other = { ...owner, session: await world.plane.signIn(owner.id) }
      expect((await world.plane.call('DELETE', path, { as })).success).toBe(true)
      expect(await areSignedIn(as, other)).toEqual([true, false])
    }
  })
})
