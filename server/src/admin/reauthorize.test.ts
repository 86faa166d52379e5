import { sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { CHANNEL_STATUS, ROLE, SECONDS_MAX, USER_STATUS } from '@tollgate/contract'
import { everyRow } from '../../testing/harness/dump-tables.ts'
import { openOnce } from '../../testing/harness/open-once.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import {
  accessTokenOf,
  channelForm,
  idsOf,
  openControlPlane,
  type Person,
  tokenForm,
} from '../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../testing/worlds/describe-planes.ts'
import { setRow, storedRows } from '../../testing/worlds/rows.ts'

const DISABLE = { action: 'disable' }
const NEW_USER = { password: 'a password', display_name: '' }
const CODES = '/api/redemption/'
const PAYOUT = { amount: 10_000, note: 'paid' }

describePlanes('rights that end during a request, on %s', [], ({ plane, kind }) => {
  let channelId: number
  let code: string

  beforeAll(async () => {
    const as = await plane.addPerson(ROLE.admin)
    channelId = await plane.addChannel(as, { status: CHANNEL_STATUS.disabled })
    const codes = { name: 'code', quota: 1, count: 1 }
    const { data } = await plane.call('POST', '/api/redemption/', { as, body: codes })
    code = z.array(z.string()).parse(data)[0] ?? ''
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  /** Attempts are counted whatever their outcome. */
  const rows = async () => ({ ...(await everyRow(plane.database)), attempts: '' })

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
    setRow(plane, 'users', id, change)

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

  type Sent = [method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object]
  type Change = (target: Person, ownTokenId: number) => Sent
  const CHANGES: [string, Change][] = [
    ['edit a user', ({ id }) => ['PUT', '/api/user/', { id, display_name: 'x' }]],
    ['disable a user', ({ username }) => ['POST', '/api/user/manage', { username, ...DISABLE }]],
    ['delete a user', ({ id }) => ['DELETE', `/api/user/${id}`]],
    ['make a user', ({ id }) => ['POST', '/api/user/', { username: `new${id}`, ...NEW_USER }]],
    ['top up', ({ id: user_id }) => ['POST', '/api/topup', { user_id, quota: 5 }]],
    [
      'record a payout',
      ({ id: user_id }) => ['POST', '/api/partner/payout', { user_id, ...PAYOUT }],
    ],
    ['make a code', () => ['POST', '/api/redemption/', { name: 'x', quota: 1, count: 1 }]],
    ['redeem a code', () => ['POST', '/api/user/topup', { key: code }]],
    ['make a token', () => ['POST', '/api/token/', tokenForm]],
    ['disable a token', (_, id) => ['PUT', '/api/token/?status_only=true', { id, status: 2 }]],
    ['delete a token', (_, id) => ['DELETE', `/api/token/${id}`]],
    ['delete log rows', () => ['DELETE', `/api/log/?target_timestamp=${SECONDS_MAX}`]],
    ['delete themselves', () => ['DELETE', '/api/user/self']],
    ['edit themselves', () => ['PUT', '/api/user/self', { display_name: 'x' }]],
    ['make an access token', () => ['GET', '/api/user/token']],
    ['end a session', () => ['DELETE', '/api/user/sessions/1']],
    ['end all other sessions', () => ['DELETE', '/api/user/sessions']],
    ['change an option', () => ['PUT', '/api/option/', { key: 'RetryTimes', value: '5' }]],
    ['make a channel', () => ['POST', '/api/channel/', channelForm]],
    ['edit a channel', () => ['PUT', '/api/channel/', { id: channelId, name: 'x' }]],
    ['delete a channel', () => ['DELETE', `/api/channel/${channelId}`]],
    ['test a channel', () => ['GET', `/api/channel/test/${channelId}`]],
    ['test all channels', () => ['GET', '/api/channel/test?scope=all']],
    ['ask for a balance', () => ['GET', `/api/channel/update_balance/${channelId}`]],
    ['ask for all balances', () => ['GET', '/api/channel/update_balance']],
    ['ask for models', () => ['POST', '/api/channel/fetch_models', { id: channelId, type: 1 }]],
    ['send a mail', () => ['POST', '/api/option/test_mail', { to: 'somebody@example.org' }]],
    ['delete all channels that are disabled', () => ['DELETE', '/api/channel/disabled']],
  ]

  /** Changes that access tokens cannot make. */
  const BY_SESSION: [string, Change][] = [
    ['reset a second factor', ({ id }) => ['DELETE', `/api/user/${id}/2fa`]],
    ['begin an authenticator app', () => ['POST', '/api/user/2fa/totp']],
    ['enable an authenticator app', () => ['PUT', '/api/user/2fa/totp', { code: '123456' }]],
    ['remove an authenticator app', () => ['DELETE', '/api/user/2fa/totp']],
    ['make recovery codes', () => ['POST', '/api/user/2fa/recovery_codes']],
    ['begin a passkey', () => ['POST', '/api/user/2fa/passkey/options']],
    ['rename a passkey', () => ['PUT', '/api/user/2fa/passkey', { id: 1, name: 'x' }]],
    ['delete a passkey', () => ['DELETE', '/api/user/2fa/passkey/1']],
    ['confirm', () => ['POST', '/api/user/confirm', { code: '123456' }]],
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
        const [method, path, body] = change(target, await plane.addToken(person))
        const credentials =
          by === 'session' ? { as: person } : { headers: { authorization: accessTokenOf(person) } }
        const before = meanwhile(() => end(person))
        const answer = await plane.call(method, path, { body, ...credentials })
        vi.restoreAllMocks()
        expect([by, answer.success]).toEqual([by, false])
        expect(answer.message).toMatch(refusal)
        expect(await rows()).toEqual(before())
      }
    })
  })
})

describe('rights that end while a change waits for a lock, on postgres', () => {
  const plane = openOnce(() => openControlPlane('postgres'))

  const isWaiting = async () => {
    const { rows } = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
    `.execute(plane.database.kysely)
    return rows.length > 0
  }

  type Table = 'users' | 'tokens' | 'channels' | 'redemptions'

  /** A row of each table that the person may change. */
  const addRows = async (person: Person): Promise<Record<Table, number>> => {
    const channels = await plane.addChannel(person, { status: CHANNEL_STATUS.disabled })
    const body = { name: 'code', quota: 1, count: 1 }
    await plane.call('POST', '/api/redemption/', { as: person, body })
    const codes = await plane.call('GET', '/api/redemption/', { as: person })
    const tokens = await plane.addToken(person)
    return { users: person.id, tokens, channels, redemptions: idsOf(codes)[0] ?? 0 }
  }

  const NAME = { name: 'x' }
  const OFF = { status: 2 }
  type Change = (id: number) => ['POST' | 'PUT' | 'DELETE', string, object?]
  const CHANGES: [string, Table, Change][] = [
    ['edit a channel', 'channels', (id) => ['PUT', '/api/channel/', { id, ...NAME }]],
    ['delete a channel', 'channels', (id) => ['DELETE', `/api/channel/${id}`]],
    ['delete all that are disabled', 'channels', () => ['DELETE', '/api/channel/disabled']],
    ['edit a token', 'tokens', (id) => ['PUT', '/api/token/', { ...tokenForm, id, ...NAME }]],
    ['disable a token', 'tokens', (id) => ['PUT', '/api/token/?status_only=true', { id, ...OFF }]],
    ['delete a token', 'tokens', (id) => ['DELETE', `/api/token/${id}`]],
    ['make a token', 'users', () => ['POST', '/api/token/', tokenForm]],
    ['edit a code', 'redemptions', (id) => ['PUT', CODES, { id, ...NAME, quota: 2 }]],
    ['disable a code', 'redemptions', (id) => ['PUT', `${CODES}?status_only=true`, { id, ...OFF }]],
    ['delete a code', 'redemptions', (id) => ['DELETE', `${CODES}${id}`]],
  ]

  test.each(CHANGES)(
    'are detected: a caller logged out meanwhile does not %s',
    async (_, table, change) => {
      const person = await plane.addPerson(ROLE.admin)
      const id = (await addRows(person))[table]
      const before = await storedRows(plane, table)
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
      const other = plane.database.transaction(async (tx) => {
        await tx.selectFrom(table).select('id').where('id', '=', id).forUpdate().execute()
        lock()
        await ended
      })
      await locked
      const [method, path, body] = change(id)
      const answering = plane.call(method, path, { as: person, body })
      await waitUntil(isWaiting)
      const { kysely } = plane.database
      await kysely.deleteFrom('sessions').where('user_id', '=', person.id).execute()
      end()
      await other
      const answer = await answering
      expect(answer).toMatchObject({
        success: false,
        message: expect.stringMatching(/Not logged in/),
      })
      expect(await storedRows(plane, table)).toEqual(before)
    },
  )
})
