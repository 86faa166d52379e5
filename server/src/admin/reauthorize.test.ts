import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { CHANNEL_STATUS, ROLE, SECONDS_MAX, USER_STATUS } from '@tollgate/contract'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import {
  accessTokenOf,
  channelForm,
  type ControlPlane,
  idOf,
  idsOf,
  openControlPlane,
  type Person,
  tokenForm,
} from '../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../testing/worlds/describe-planes.ts'
import { setRow } from '../../testing/worlds/rows.ts'

describePlanes('rights that end during a request, on %s', [], ({ plane, kind }) => {
  let channelId: number
  let code: string

  beforeAll(async () => {
    const as = await plane.addPerson(ROLE.admin)
    const made = await plane.call('POST', '/api/channel/', { as, body: channelForm })
    channelId = idsOf(made)[0] ?? 0
    const disabled = { id: channelId, status: CHANNEL_STATUS.disabled }
    await plane.call('PUT', '/api/channel/', { as, body: disabled })
    const codes = { name: 'code', quota: 1, count: 1 }
    const { data } = await plane.call('POST', '/api/redemption/', { as, body: codes })
    code = z.array(z.string()).parse(data)[0] ?? ''
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  const rows = async () => ({
    users: await plane.database.kysely.selectFrom('users').selectAll().orderBy('id').execute(),
    codes: await plane.database.kysely.selectFrom('redemptions').selectAll().execute(),
    tokens: await plane.database.kysely.selectFrom('tokens').selectAll().execute(),
    credits: await plane.database.kysely.selectFrom('credits').selectAll().execute(),
    channels: await plane.database.kysely.selectFrom('channels').selectAll().execute(),
    logs: await plane.database.kysely.selectFrom('logs').selectAll().execute(),
    options: await plane.database.kysely.selectFrom('options').selectAll().execute(),
    factors: await plane.database.kysely.selectFrom('second_factors').selectAll().execute(),
    tickets: await plane.database.kysely.selectFrom('auth_tickets').selectAll().execute(),
  })

  /** Runs after the next request was admitted and before it changes anything. */
  function meanwhile(what: () => Promise<unknown>) {
    let before: Awaited<ReturnType<typeof rows>> | undefined
    for (const name of ['transaction', 'change', 'changeAccounts'] as const) {
      const change = plane.database[name]
      vi.spyOn(plane.database, name).mockImplementation(async (run) => {
        if (before === undefined) {
          await what()
          before = await rows()
        }
        return change(run)
      })
    }
    return () => before
  }

  const edit = (id: number, change: { role?: number; status?: number }) =>
    plane.database.kysely.updateTable('users').set(change).where('id', '=', id).execute()

  const ENDS: [string, RegExp, (person: Person) => Promise<unknown>][] = [
    [
      'whose session or access token has ended',
      /Not logged in|access token is not valid/,
      async ({ id }) => {
        await plane.database.kysely.deleteFrom('sessions').where('user_id', '=', id).execute()
        await setRow(plane, 'users', id, { access_token_hash: null })
      },
    ],
    ['who was banned', /banned/, ({ id }) => edit(id, { status: USER_STATUS.disabled })],
    ['who was demoted from root', /role does not allow/, ({ id }) => edit(id, { role: ROLE.user })],
  ]

  type Change = (target: Person, ownTokenId: number) => Parameters<ControlPlane['call']>
  const CHANGES: [string, Change][] = [
    ['edit a user', ({ id }) => ['PUT', '/api/user/', { body: { id, display_name: 'x' } }]],
    [
      'disable a user',
      ({ username }) => ['POST', '/api/user/manage', { body: { username, action: 'disable' } }],
    ],
    ['delete a user', ({ id }) => ['DELETE', `/api/user/${id}`]],
    [
      'make a user',
      ({ id }) => {
        const body = { username: `new${id}`, password: 'a password', display_name: '' }
        return ['POST', '/api/user/', { body }]
      },
    ],
    ['top up', ({ id: user_id }) => ['POST', '/api/topup', { body: { user_id, quota: 5 } }]],
    [
      'record a payout',
      ({ id: user_id }) => {
        const body = { user_id, amount: 10_000, note: 'paid' }
        return ['POST', '/api/partner/payout', { body }]
      },
    ],
    [
      'make a code',
      () => ['POST', '/api/redemption/', { body: { name: 'x', quota: 1, count: 1 } }],
    ],
    ['redeem a code', () => ['POST', '/api/user/topup', { body: { key: code } }]],
    ['make a token', () => ['POST', '/api/token/', { body: tokenForm }]],
    [
      'disable a token',
      (_, id) => ['PUT', '/api/token/?status_only=true', { body: { id, status: 2 } }],
    ],
    ['delete a token', (_, id) => ['DELETE', `/api/token/${id}`]],
    ['delete log rows', () => ['DELETE', `/api/log/?target_timestamp=${SECONDS_MAX}`]],
    ['delete themselves', () => ['DELETE', '/api/user/self']],
    ['edit themselves', () => ['PUT', '/api/user/self', { body: { display_name: 'x' } }]],
    ['make an access token', () => ['GET', '/api/user/token']],
    ['end a session', () => ['DELETE', '/api/user/sessions/1']],
    ['end all other sessions', () => ['DELETE', '/api/user/sessions']],
    [
      'change an option',
      () => ['PUT', '/api/option/', { body: { key: 'RetryTimes', value: '5' } }],
    ],
    ['make a channel', () => ['POST', '/api/channel/', { body: channelForm }]],
    ['edit a channel', () => ['PUT', '/api/channel/', { body: { id: channelId, name: 'x' } }]],
    ['delete a channel', () => ['DELETE', `/api/channel/${channelId}`]],
    ['test a channel', () => ['GET', `/api/channel/test/${channelId}`]],
    ['test all channels', () => ['GET', '/api/channel/test?scope=all']],
    ['ask for a balance', () => ['GET', `/api/channel/update_balance/${channelId}`]],
    ['ask for all balances', () => ['GET', '/api/channel/update_balance']],
    [
      'ask for the models of a channel',
      () => ['POST', '/api/channel/fetch_models', { body: { id: channelId, type: 1 } }],
    ],
    [
      'send a mail',
      () => ['POST', '/api/option/test_mail', { body: { to: 'somebody@example.org' } }],
    ],
    ['delete all channels that are disabled', () => ['DELETE', '/api/channel/disabled']],
  ]

  /** Changes that access tokens cannot make. */
  const BY_SESSION: [string, Change][] = [
    ['reset a second factor', ({ id }) => ['DELETE', `/api/user/${id}/2fa`]],
    ['begin an authenticator app', () => ['POST', '/api/user/2fa/totp']],
    [
      'enable an authenticator app',
      () => ['PUT', '/api/user/2fa/totp', { body: { code: '123456' } }],
    ],
    ['remove an authenticator app', () => ['DELETE', '/api/user/2fa/totp']],
    ['make recovery codes', () => ['POST', '/api/user/2fa/recovery_codes']],
    ['begin a passkey', () => ['POST', '/api/user/2fa/passkey/options']],
    ['rename a passkey', () => ['PUT', '/api/user/2fa/passkey', { body: { id: 1, name: 'x' } }]],
    ['delete a passkey', () => ['DELETE', '/api/user/2fa/passkey/1']],
    ['confirm', () => ['POST', '/api/user/confirm', { body: { code: '123456' } }]],
  ]

  const ALL = [
    ...CHANGES.map(([what, change]) => [what, change, ['session', 'access token']] as const),
    ...BY_SESSION.map(([what, change]) => [what, change, ['session']] as const),
  ]

  describe.each(ENDS)('a caller who %s', (who, refusal, end) => {
    // All changes end in the same statement, so on PostgreSQL each is refused for one reason.
    const changes =
      kind === 'sqlite' ? ALL : ALL.filter((_, index) => ENDS[index % ENDS.length]?.[0] === who)

    test.each(changes)('does not %s', async (_, change, ways) => {
      for (const by of ways) {
        const [person, target] = [await plane.addPerson(ROLE.root), await plane.addPerson()]
        const token = await plane.call('POST', '/api/token/', { as: person, body: tokenForm })
        const [method, path, call = {}] = change(target, idOf(token))
        const credentials =
          by === 'session' ? { as: person } : { headers: { authorization: accessTokenOf(person) } }
        const before = meanwhile(() => end(person))
        const answer = await plane.call(method, path, { ...call, ...credentials })
        vi.restoreAllMocks()
        expect([by, answer.success]).toEqual([by, false])
        expect(answer.message).toMatch(refusal)
        expect(await rows()).toEqual(before())
      }
    })
  })
})

describe('rights that end while a change waits for a lock, on postgres', () => {
  let plane: ControlPlane
  beforeAll(async () => {
    plane = await openControlPlane('postgres')
  })
  afterAll(() => plane.close())

  const isWaiting = async () => {
    const { rows } = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
    `.execute(plane.database.kysely)
    return rows.length > 0
  }

  type Made = { person: Person; tokenId: number; channelId: number; codeId: number }
  type Waiting = [Table, keyof Made, (made: Made) => Parameters<ControlPlane['call']>]
  type Table = 'users' | 'tokens' | 'channels' | 'redemptions'

  const setUp = async (): Promise<Made> => {
    const person = await plane.addPerson(ROLE.admin)
    const make = (path: string, body: object) => plane.call('POST', path, { as: person, body })
    const token = await make('/api/token/', tokenForm)
    const channel = await make('/api/channel/', { ...channelForm, status: CHANNEL_STATUS.disabled })
    await make('/api/redemption/', { name: 'code', quota: 1, count: 1 })
    const codes = await plane.call('GET', '/api/redemption/', { as: person })
    const [channelId = 0, codeId = 0] = [idsOf(channel)[0], idsOf(codes)[0]]
    return { person, tokenId: idOf(token), channelId, codeId }
  }

  const statusOf = (path: string, id: number) =>
    ['PUT', `${path}?status_only=true`, { body: { id, status: 2 } }] as const

  const CHANGES: [string, ...Waiting][] = [
    [
      'edit a channel',
      'channels',
      'channelId',
      ({ channelId: id }) => ['PUT', '/api/channel/', { body: { id, name: 'x' } }],
    ],
    [
      'delete a channel',
      'channels',
      'channelId',
      ({ channelId: id }) => ['DELETE', `/api/channel/${id}`],
    ],
    [
      'delete all channels that are disabled',
      'channels',
      'channelId',
      () => ['DELETE', '/api/channel/disabled'],
    ],
    [
      'edit a token',
      'tokens',
      'tokenId',
      ({ tokenId: id }) => ['PUT', '/api/token/', { body: { ...tokenForm, id, name: 'x' } }],
    ],
    [
      'disable a token',
      'tokens',
      'tokenId',
      ({ tokenId }) => [...statusOf('/api/token/', tokenId)],
    ],
    ['delete a token', 'tokens', 'tokenId', ({ tokenId: id }) => ['DELETE', `/api/token/${id}`]],
    ['make a token', 'users', 'person', () => ['POST', '/api/token/', { body: tokenForm }]],
    [
      'edit a code',
      'redemptions',
      'codeId',
      ({ codeId: id }) => ['PUT', '/api/redemption/', { body: { id, name: 'x', quota: 2 } }],
    ],
    [
      'disable a code',
      'redemptions',
      'codeId',
      ({ codeId }) => [...statusOf('/api/redemption/', codeId)],
    ],
    [
      'delete a code',
      'redemptions',
      'codeId',
      ({ codeId: id }) => ['DELETE', `/api/redemption/${id}`],
    ],
  ]

  test.each(CHANGES)(
    'are detected: a caller logged out meanwhile does not %s',
    async (_, table, name, change) => {
      const made = await setUp()
      const target = made[name]
      const id = typeof target === 'number' ? target : target.id
      const rows = () => plane.database.kysely.selectFrom(table).selectAll().orderBy('id').execute()
      const before = await rows()
      const [method, path, call = {}] = change(made)
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
      const other = plane.database.transaction(async (tx) => {
        await tx.selectFrom(table).select('id').where('id', '=', id).forUpdate().execute()
        lock()
        await ended
      })
      await locked
      const answering = plane.call(method, path, { ...call, as: made.person })
      await waitUntil(isWaiting)
      await plane.database.kysely
        .deleteFrom('sessions')
        .where('user_id', '=', made.person.id)
        .execute()
      end()
      await other
      const answer = await answering
      expect([answer.success, answer.message]).toEqual([
        false,
        expect.stringMatching(/Not logged in/),
      ])
      expect(await rows()).toEqual(before)
    },
  )
})
