import { beforeAll, beforeEach, expect, test } from 'vitest'
import { CONFIRMATION_SECONDS, errorText, ROLE } from '@tollgate/contract'
import type { Answer } from '../../../testing/worlds/control-plane.ts'
import { describeWorld } from '../../../testing/worlds/describe-planes.ts'
import { openOAuthWorld, SERVER_ADDRESS } from '../../../testing/worlds/oauth-world.ts'
import { readUser, setRow } from '../../../testing/worlds/rows.ts'
import {
  cookieIn,
  peopleOf,
  type SecondFactorWorld,
} from '../../../testing/worlds/second-factor-world.ts'

const NAMES = ['github', 'oidc', 'lark', 'wechat'] as const

type Name = (typeof NAMES)[number]

const COLUMNS = {
  github: 'github_id',
  oidc: 'oidc_id',
  lark: 'lark_id',
  wechat: 'wechat_id',
} as const

const ELSEWHERE = errorText('passkey_elsewhere', { address: SERVER_ADDRESS }, 'en')
const NEEDED = errorText('second_factor_needed', {}, 'en')

let ids = 0

describeWorld(openOAuthWorld, 'a second factor after an external login', (world) => {
  let people: SecondFactorWorld

  beforeAll(async () => {
    people = await peopleOf(world.plane)
  })
  beforeEach(() => world.set({ SecondFactorRequired: 'false' }))

  const signIn = (name: Name, id: string, browser = world.newBrowser()): Promise<Answer> =>
    name === 'wechat'
      ? browser.get(`/api/oauth/wechat?code=${world.wechat.tellCode(id)}`)
      : world.signIn(name, { id }, browser)

  const addOwner = async (name: Name) => {
    ids += 1
    const id = String(500_000 + ids)
    const owner = await people.addPerson()
    const stored = name === 'oidc' ? `${world.oidc.issuer}#${id}` : id
    await setRow(world.plane, 'users', owner.id, { [COLUMNS[name]]: stored })
    return { owner, id, ...(await people.addTotp(owner)) }
  }

  test.each(NAMES)('%s alone opens no session; the code opens one', async (name) => {
    const { owner, id, secret } = await addOwner(name)
    const browser = world.newBrowser()
    const answer = await signIn(name, id, browser)
    expect(answer.data).toEqual({
      require_2fa: true,
      ticket: expect.stringMatching(/^[\w-]{43}$/),
      factors: ['totp', 'recovery_code'],
    })
    expect([cookieIn(answer, 'session'), browser.cookie('session')]).toEqual(['', undefined])
    const { ticket } = people.pendingIn(answer)
    const done = await people.signInByCode({ ticket, code: people.codeOf(secret) })
    expect(done.data).toMatchObject({ id: owner.id })
    expect(cookieIn(done, 'session')).not.toBe('')
  })

  test.each(['github', 'oidc', 'lark'] as const)(
    'a binding to %s is answered without a ticket, also with a second factor',
    async (name) => {
      const owner = await people.addPerson()
      await people.addTotp(owner)
      ids += 1
      const answer = await signIn(name, String(600_000 + ids), world.newBrowser(owner.session))
      expect(JSON.parse(answer.text)).toEqual({ success: true, message: 'bind' })
    },
  )

  test('a binding started after a confirmation may finish after that has expired', async () => {
    const owner = await people.addPerson()
    const browser = world.newBrowser(owner.session)
    world.plane.clock.now += (CONFIRMATION_SECONDS - 1) * 1000
    const begun = await world.start(browser, 'github', { id: '700001' })
    world.plane.clock.now += 60 * 1000
    const answer = await world.comeBack(browser, 'github', begun)
    expect(answer.message).toBe('bind')
  })

  test('an administrator without a required second factor binds nothing', async () => {
    const admin = await people.addPerson(ROLE.admin)
    const browser = world.newBrowser(admin.session)
    const begun = await world.start(browser, 'github', { id: '700002' })
    await world.set({ SecondFactorRequired: 'true' })
    const answer = await world.comeBack(browser, 'github', begun)
    expect(answer.message).toBe(NEEDED)
    expect((await readUser(world.plane, admin.id)).github_id).toBe('')
    const wechat = await browser.get(`/api/oauth/wechat/bind?code=${world.wechat.tellCode('w')}`)
    expect(wechat.message).toBe(NEEDED)
  })

  test('a passkey is created for the server address only', async () => {
    const owner = await people.addPerson()
    const options = (host: string, origin?: string) =>
      world.plane.call('POST', '/api/user/2fa/passkey/options', {
        as: owner,
        headers: { host, ...(origin !== undefined && { origin }) },
      })
    // nginx sends the address as the Host header unless told otherwise.
    for (const host of ['gate.example', '127.0.0.1:3000']) {
      const made = people.challenge(await options(host, SERVER_ADDRESS)).options
      expect(made).toMatchObject({ rp: { id: 'gate.example' } })
    }
    for (const host of ['other.example', '127.0.0.1:3000']) {
      expect((await options(host)).message).toBe(ELSEWHERE)
    }
  })

  test('passkeys work while a server address awaits root, and at a console below it', async () => {
    const owner = await people.addPerson()
    const adam = await people.addPerson(ROLE.admin)
    const rpAt = async (origin: string) => {
      const headers = { host: new URL(origin).host, origin }
      return people.challenge(
        await world.plane.call('POST', '/api/user/2fa/passkey/options', { as: owner, headers }),
      ).options['rp']
    }
    const body = { key: 'ServerAddress', value: 'https://other.example' }
    await world.plane.done('PUT', '/api/option/', { as: adam, body })
    expect(await rpAt(SERVER_ADDRESS)).toMatchObject({ id: 'gate.example' })
    await world.set({ ServerAddress: SERVER_ADDRESS })
    const address = 'https://console.gate.example'
    await world.set({ ConsoleAddress: address })
    expect(await rpAt(address)).toMatchObject({ id: 'gate.example' })
    await world.set({ ConsoleAddress: '' })
  })

  test('a passkey of one host is not offered at another, recovery codes are', async () => {
    const owner = await people.addPerson()
    const { authenticator } = await people.addPasskey(owner)
    expect((await people.pending(owner)).factors).toEqual(['passkey', 'recovery_code'])
    const headers = { host: 'gate.example', origin: SERVER_ADDRESS }
    const address = people.newAddress()
    const { ticket, factors } = await people.pending(owner, { address, headers })
    expect(factors).toEqual(['recovery_code'])
    const refused = await people.signInByPasskey(authenticator, { ticket, headers, address })
    expect(refused.message).toBe(errorText('confirmation_way_unavailable', {}, 'en'))
    const { data } = await world.plane.call('GET', '/api/user/confirm', {
      as: owner,
      headers: { host: 'gate.example', referer: `${SERVER_ADDRESS}/setting` },
    })
    expect(data).toMatchObject({ ways: ['recovery_code'] })
  })

  test('if no factor works here, the reason is shown instead of an impossible step', async () => {
    const owner = await people.addPerson()
    await people.addPasskey(owner)
    const { kysely } = world.plane.database
    await kysely.deleteFrom('recovery_codes').where('user_id', '=', owner.id).execute()
    const gate = { host: 'gate.example', origin: SERVER_ADDRESS }
    const elsewhere = { host: '192.0.2.7', origin: 'http://192.0.2.7' }
    const moved = errorText('no_factor_here', { hosts: 'localhost' }, 'en')
    const tickets = () => kysely.selectFrom('auth_tickets').select('ticket_hash').execute()
    const before = await tickets()
    const logIn = async (headers: Record<string, string>) => {
      const holding = { address: people.newAddress(), headers }
      const { success, message } = await people.logIn(owner, holding)
      return [success, message]
    }
    expect(await logIn(gate)).toEqual([false, moved])
    // The origin check accepts an IP address as our host, but passkeys do not work there.
    expect(await logIn(elsewhere)).toEqual([false, ELSEWHERE])
    expect(await tickets()).toEqual(before)

    world.plane.clock.now += CONFIRMATION_SECONDS * 1000
    const call = { as: owner, headers: { host: gate.host, referer: `${SERVER_ADDRESS}/setting` } }
    const answer = await world.plane.call('GET', '/api/user/token', call)
    expect(JSON.parse(answer.text)).toEqual({
      success: false,
      message: moved,
      code: 'confirmation_needed',
      ways: [],
    })
  })
})
