import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { errorText, ROLE } from '@tollgate/contract'
import { everyRow } from '../../../testing/harness/dump-tables.ts'
import { accessTokenOf, type Answer, type Person } from '../../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import { guarded } from '../../../testing/worlds/endpoint-lists.ts'
import { outboxOf } from '../../../testing/worlds/outbox.ts'
import {
  openSecondFactorWorld,
  type SecondFactorWorld,
} from '../../../testing/worlds/second-factor-world.ts'

const NEEDED = errorText('second_factor_needed', {}, 'en')
const OPTION = 'SecondFactorRequired'
const LAST = errorText('last_second_factor', {}, 'en')

const rowsSchema = z.array(z.looseObject({ id: z.int(), second_factor: z.boolean() }))

/** Listed explicitly, so that a mark in the contract alone cannot open another endpoint. */
const OPEN = [
  'beginPasskey',
  'beginPasskeyConfirmation',
  'beginTotp',
  'confirm',
  'createPasskey',
  'createRecoveryCodes',
  'deletePasskey',
  'disableTotp',
  'enableTotp',
  'endOtherSessions',
  'endSession',
  'getConfirmation',
  'getSecondFactor',
  'getSelf',
  'listSessions',
  'renamePasskey',
]

const TITLE = 'with a required second factor for administrators, on %s,'

describeWorlds(openSecondFactorWorld, TITLE, (world, kind) => {
  beforeEach(() => world.plane.setOption(OPTION, 'true'))

  const isRefused = ({ message, text, status }: Answer) =>
    message === NEEDED && status === 200 && JSON.parse(text).code === 'second_factor_needed'

  const self = (as: Person) => world.plane.call('GET', '/api/user/self', { as })
  const groups = (options: Parameters<SecondFactorWorld['plane']['call']>[2]) =>
    world.plane.call('GET', '/api/group/', options)

  test('one of two factors removed concurrently stays', async () => {
    const admin = await world.addPerson(ROLE.admin)
    const { id } = await world.addPasskey(admin)
    await world.addTotp(admin)
    const answers = await Promise.all([
      world.plane.call('DELETE', '/api/user/2fa/totp', { as: admin }),
      world.plane.call('DELETE', `/api/user/2fa/passkey/${id}`, { as: admin }),
    ])
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
    expect((await self(admin)).data).toMatchObject({ second_factor: true })
  })

  describe('a reset of the second factor', () => {
    const reset = (as: Person, { id }: { id: number }) =>
      world.plane.call('DELETE', `/api/user/${id}/2fa`, { as })

    test('removes all factors, ends all sessions and logins, and mails the owner', async () => {
      await world.plane.setOption('SMTPServer', 'mail.example')
      const admin = await world.addPerson(ROLE.admin)
      await world.addTotp(admin)
      const user = await world.addPerson()
      const { recovery_codes } = await world.addTotp(user)
      const { authenticator } = await world.addPasskey(user)
      const { ticket } = await world.pending(user)
      expect((await reset(admin, user)).success).toBe(true)
      expect((await self(user)).status).toBe(401)
      const [code = ''] = recovery_codes
      expect((await world.signInByCode({ ticket, code })).success).toBe(false)
      expect((await world.signInByPasskey(authenticator)).success).toBe(false)
      expect((await world.logIn(user)).data).toMatchObject({ id: user.id })
      const messages = await outboxOf(world.plane)
      await world.plane.setOption('SMTPServer', '')
      expect(messages.at(-1)).toEqual({ type: 'second-factor', user_id: user.id, event: 'reset' })
      expect((await self(admin)).success).toBe(true)
    })

    test('for an account without factors changes nothing and ends no session', async () => {
      const admin = await world.addPerson(ROLE.admin)
      await world.addTotp(admin)
      const user = await world.addPerson()
      expect((await reset(admin, user)).success).toBe(true)
      expect((await self(user)).success).toBe(true)
    })

    test('root can reset their own only while none is required', async () => {
      const root = await world.addPerson(ROLE.root)
      await world.addTotp(root)
      expect((await reset(root, root)).message).toBe(LAST)
      expect((await self(root)).data).toMatchObject({ second_factor: true })
      await world.plane.setOption(OPTION, 'false')
      expect((await reset(root, root)).success).toBe(true)
      expect((await self(root)).data).toMatchObject({ second_factor: false })
    })

    test('shows in the rows administrators see', async () => {
      const admin = await world.addPerson(ROLE.admin)
      await world.addTotp(admin)
      const user = await world.addPerson()
      await world.addPasskey(user)
      const shown = async () => {
        const paths = [`${user.id}`, `search?keyword=${user.username}`, '?size=100&order=quota']
        const answers = await Promise.all(
          paths.map((path) => world.plane.call('GET', `/api/user/${path}`, { as: admin })),
        )
        const rows = answers.flatMap(({ data }) => rowsSchema.parse([data].flat()))
        return rows.filter(({ id }) => id === user.id).map((row) => row.second_factor)
      }
      expect(await shown()).toEqual([true, true, true])
      await reset(admin, user)
      expect(await shown()).toEqual([false, false, false])
    })
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test('an administrator without one can only set one up', async () => {
    const admin = await world.addPerson(ROLE.root)
    const opened: string[] = []
    for (const { name, endpoint } of guarded) {
      const before = OPEN.includes(name) ? null : await everyRow(world.plane.database)
      const path = endpoint.path.replace(':id', '999999')
      const as = { ...admin, session: await world.plane.signIn(admin.id) }
      const sent = { as, address: world.newAddress() }
      const answer = await world.plane.call(endpoint.method, path, sent)
      if (!isRefused(answer)) opened.push(name)
      if (before === null) continue
      const after = await everyRow(world.plane.database)
      expect({ ...after, sessions: [] }, name).toEqual({ ...before, sessions: [] })
    }
    expect(opened.toSorted()).toEqual(OPEN)
  })

  test('the access token of such an account is refused, also for the setup', async () => {
    const admin = await world.addPerson(ROLE.admin)
    const headers = { authorization: accessTokenOf(admin) }
    for (const path of ['/api/group/', '/api/user/self', '/api/user/2fa', '/api/user/sessions']) {
      expect(isRefused(await world.plane.call('GET', path, { headers })), path).toBe(true)
    }
    await world.addTotp(admin)
    expect((await groups({ headers })).success).toBe(true)
  })

  test('logging in and out, status and everything for users stay available', async () => {
    const admin = await world.addPerson(ROLE.admin)
    expect((await world.logIn(admin)).data).toMatchObject({ id: admin.id })
    expect((await world.plane.call('GET', '/api/status', { as: admin })).success).toBe(true)
    expect((await world.plane.call('GET', '/api/user/logout', { as: admin })).success).toBe(true)
    const user = await world.addPerson()
    expect((await world.plane.call('GET', '/api/user/aff', { as: user })).success).toBe(true)
  })

  test.each([
    ['an authenticator app', (as: Person) => world.addTotp(as)],
    ['a passkey', (as: Person) => world.addPasskey(as)],
  ])('%s lifts the restriction', async (_, add) => {
    const admin = await world.addPerson(ROLE.admin)
    expect(await world.factorsOf(admin)).toMatchObject({ required: true })
    expect((await self(admin)).data).toMatchObject({ second_factor: false })
    expect(isRefused(await groups({ as: admin }))).toBe(true)
    await add(admin)
    expect((await groups({ as: admin })).success).toBe(true)
    expect((await self(admin)).data).toMatchObject({ second_factor: true })
  })

  test('an administrator who is promoted later is restricted as well', async () => {
    const root = await world.addPerson(ROLE.root)
    await world.addTotp(root)
    const user = await world.addPerson()
    expect(await world.factorsOf(user)).toMatchObject({ required: false })
    const body = { username: user.username, action: 'promote' }
    await world.plane.call('POST', '/api/user/manage', { as: root, body })
    const as = await world.plane.signIn(user.id)
    expect(isRefused(await groups({ as }))).toBe(true)
  })

  test('the last factor cannot be removed, and all others can', async () => {
    const admin = await world.addPerson(ROLE.admin)
    const { id } = await world.addPasskey(admin)
    await world.addTotp(admin)
    const remove = (path: string) => world.plane.call('DELETE', path, { as: admin })
    expect((await remove('/api/user/2fa/totp')).success).toBe(true)
    const before = await everyRow(world.plane.database)
    expect((await remove(`/api/user/2fa/passkey/${id}`)).message).toBe(LAST)
    expect(await everyRow(world.plane.database)).toEqual(before)
    const user = await world.addPerson()
    await world.addTotp(user)
    const gone = await world.plane.call('DELETE', '/api/user/2fa/totp', { as: user })
    expect(gone.success).toBe(true)
  })

  test('an administrator without a factor cannot require one', async () => {
    await world.plane.setOption(OPTION, 'false')
    const root = await world.addPerson(ROLE.root)
    const require = (as: Person, value = 'true') =>
      world.plane.call('PUT', '/api/option/', { as, body: { key: OPTION, value } })
    const own = errorText('own_second_factor_first', {}, 'en')
    expect((await require(root)).message).toBe(own)
    expect((await require(root, ' true ')).success).toBe(false)
    expect(world.plane.settings.current().SecondFactorRequired).toBe(false)
    expect((await require(root, 'false')).success).toBe(true)
    await world.addTotp(root)
    expect((await require(root)).success).toBe(true)
    expect(world.plane.settings.current().SecondFactorRequired).toBe(true)
  })
})
