import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  canManage,
  type Endpoint,
  type ErrorCode,
  errorText,
  ROLE,
  USER_ACTIONS,
  USER_STATUS,
  whyNot,
} from '@tollgate/contract'
import { everyRow } from '../../testing/harness/dump-tables.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import { spend } from '../../testing/ledger/spend.ts'
import {
  accessTokenOf,
  type Answer,
  type ControlPlane,
  newAddress,
  type Person,
  rowsOf,
  tokenForm,
} from '../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../testing/worlds/describe-planes.ts'
import { bodies, endpoints, guarded, pathOf } from '../../testing/worlds/endpoint-lists.ts'
import { setRow, storedRows } from '../../testing/worlds/rows.ts'
import { insertPasskey } from '../store/second-factors.ts'
import { exampleOf } from './api-document/examples.ts'

const CALLERS = ['anonymous', 'user', 'admin', 'root'] as const
type Caller = (typeof CALLERS)[number]

/** The expected error for a caller, derived from the endpoint table alone. */
function refusalOf({ access }: Endpoint, caller: Caller): ErrorCode | null {
  if (access === 'public') return null
  if (caller === 'anonymous') return 'not_signed_in'
  return ROLE[caller] >= ROLE[access] ? null : 'not_allowed'
}

/** Messages of requests rejected before the handler runs. */
const DOOR = (['not_signed_in', 'not_allowed', 'account_banned', 'foreign_origin'] as const).map(
  (code) => errorText(code, {}, 'en'),
)

/** Endpoints that start background work. */
const IN_THE_BACKGROUND = ['testChannels', 'updateBalances']

const refused = (code: ErrorCode) => [false, errorText(code, {}, 'en')]
const outcome = ({ success, message }: Answer) => [success, message]

const ACTORS = ['admin', 'root'] as const
const TARGETS = ['self', 'user', 'admin', 'root'] as const

type Pair = { actor: Person; target: Person }

type Row = (typeof endpoints)[number]

const fieldSchema = z.looseObject({ type: z.string().optional() })

/** Row ids are integers; ids chosen by clients and other servers are text. */
const isIdOfRow = (field: string, rule: unknown) =>
  /^(?:\w+_)?id$/.test(field) && fieldSchema.parse(rule).type === 'integer'

/** Endpoints whose `username` does not name an existing user. */
const NAME_THEMSELVES = ['createUser', 'updateSelf']

/** The field that identifies the user or row an endpoint acts on; null if there is none. */
function fieldOfRow({ name, endpoint }: Row): string | null {
  if (endpoint.parts.params !== undefined) return ':id'
  const fields = Object.entries(bodies.get(name)?.properties ?? {})
  const [id] = fields.find(([field, rule]) => isIdOfRow(field, rule)) ?? []
  const isByName = fields.some(([field]) => field === 'username') && !NAME_THEMSELVES.includes(name)
  return id ?? (isByName ? 'username' : null)
}

/**
 * Ownership rule of a resource's rows. Rows of the owners' managers are tested next to their
 * handlers.
 */
const RULES: Readonly<
  Record<string, 'of people' | 'of owners' | 'of managers' | 'of all administrators'>
> = {
  users: 'of people',
  topup: 'of people',
  tokens: 'of owners',
  secondFactor: 'of owners',
  logs: 'of owners',
  userTokens: 'of managers',
  channels: 'of all administrators',
  redemptions: 'of all administrators',
  prices: 'of all administrators',
  bills: 'of all administrators',
  stat: 'of all administrators',
}

const aboutRows = guarded.filter((row) => fieldOfRow(row) !== null)

const aboutRowsOf = (rule: (typeof RULES)[string]) =>
  aboutRows.filter(({ resource }) => RULES[resource] === rule)

/** Further fields an edit needs. An edit of a token must send all its settings. */
const MORE: Readonly<Record<string, object>> = {
  updateUser: { display_name: 'edited', quota: 77, group: 'vip' },
  updateToken: tokenForm,
}

type About = { id: number; username?: string }

function askAbout(
  plane: ControlPlane,
  row: Row,
  {
    as,
    about,
    more = {},
  }: {
    as: Person
    about: About
    more?: object
  },
): Promise<Answer> {
  const { method, path } = row.endpoint
  const field = fieldOfRow(row) ?? ''
  const schema = bodies.get(row.name)
  const name = field === 'username' ? about.username : about.id
  const body = schema && {
    ...exampleOf(schema, 'required'),
    ...MORE[row.name],
    ...more,
    [field]: name,
  }
  return plane.call(method, path.replace(':id', String(about.id)), { as, ...(body && { body }) })
}

type Managing = {
  name: string
  send: (plane: ControlPlane, pair: Pair) => Promise<Answer>
  refusal: (pair: Pair) => ErrorCode | null
}

const notBelow = ({ actor, target }: Pair) => (canManage(actor, target) ? null : 'target_not_below')

/** Root manages everyone, so endpoints for root alone have no forbidden pair. */
const MANAGING = aboutRowsOf('of people')
  .filter(({ endpoint }) => endpoint.access !== 'root')
  .flatMap((row): Managing[] => {
    const send =
      (more: object = {}): Managing['send'] =>
      (plane, { actor, target }) =>
        askAbout(plane, row, { as: actor, about: target, more })
    const { name } = row
    if (name === 'manageUser') {
      return USER_ACTIONS.map((action) => ({
        name: `${name} ${action}`,
        send: send({ action }),
        refusal: ({ actor, target }) => whyNot(action, actor, target),
      }))
    }
    const refusal: Managing['refusal'] =
      name === 'deleteUser' ? ({ actor, target }) => whyNot('delete', actor, target) : notBelow
    return [{ name, send: send(), refusal }]
  })

const OWNED = aboutRowsOf('of owners').map((row) => [row.name, row] as const)

/** Kinds of owned rows, by resource. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['tokens', 'tokens'],
  ['logs', 'logs'],
  ['secondFactor', 'passkeys'],
] as const)

type Kind = 'tokens' | 'logs' | 'passkeys' | 'sessions'

function kindOf({ resource, name }: Row): Kind {
  const kind = name === 'endSession' ? 'sessions' : KINDS.get(resource)
  if (kind === undefined) throw new Error(`nobody owns ${resource}`)
  return kind
}

const NOT_FOUND: Readonly<Record<Kind, ErrorCode>> = {
  tokens: 'token_not_found',
  logs: 'log_not_found',
  passkeys: 'passkey_not_found',
  sessions: 'session_not_found',
}

test('every row that an endpoint takes an id of has a known owner', () => {
  const unknown = aboutRows.filter(({ resource }) => RULES[resource] === undefined)
  expect(unknown.map(({ name }) => name)).toEqual([])
  expect(MANAGING.length).toBeGreaterThan(USER_ACTIONS.length)
  expect(OWNED.map(([name]) => name)).toContain('getReceipt')
})

describePlanes('the access matrix on %s', [], ({ plane, kind }) => {
  const rows = () => everyRow(plane.database)

  const persons = async (actorRole: (typeof ACTORS)[number], target: (typeof TARGETS)[number]) => {
    const actor = await plane.addPerson(ROLE[actorRole], 1000)
    return { actor, target: target === 'self' ? actor : await plane.addPerson(ROLE[target], 1000) }
  }

  test.each(MANAGING)(
    '$name is done or refused as the permissions say',
    async ({ send, refusal }) => {
      const pairs = await Promise.all(
        ACTORS.flatMap((actor) => TARGETS.map((target) => persons(actor, target))),
      )
      const before = await rows()
      const whoOf = ({ actor, target }: Pair) => `by ${actor.role} of ${target.role}`
      for (const pair of pairs) {
        const code = refusal(pair)
        if (code === null) continue
        const answer = await send(plane, pair)
        expect([answer.status, ...outcome(answer)], whoOf(pair)).toEqual([200, ...refused(code)])
      }
      expect(await rows()).toEqual(before)
      for (const pair of pairs) {
        if (refusal(pair) !== null) continue
        const { status, success, message } = await send(plane, pair)
        expect([status, success], `${whoOf(pair)}: ${message}`).toEqual([200, true])
      }
    },
  )

  const addToken = (as: Person) => plane.addToken(as, {})

  const newest = async (table: 'logs' | 'sessions') =>
    Math.max(...(await storedRows(plane, table)).map(({ id }) => id))

  const addLogRow = async (by: Person) => {
    await spend(plane.ledger, { by, tokenId: await addToken(by), cost: 2 })
    await plane.ledger.flush()
    return newest('logs')
  }

  const addPasskey = async ({ id: user_id }: Person) => {
    const credential_id = `credential of ${user_id}`
    const key = { rp_id: 'localhost', public_key: '', counter: 0, transports: '' }
    const row = { user_id, credential_id, ...key, name: 'key', created_time: 0 }
    return (await plane.database.transaction((tx) => insertPasskey(tx, row))).id
  }

  const addSession = async ({ id: user_id }: Person) => {
    await plane.signIn(user_id)
    return newest('sessions')
  }

  const ADDING = {
    tokens: addToken,
    logs: addLogRow,
    passkeys: addPasskey,
    sessions: addSession,
  } satisfies Record<Kind, unknown>

  describe.each(['user', 'admin', 'root'] as const)('rows of another owner, for %s', (role) => {
    test.each(OWNED)('%s finds none and changes nothing', async (_, row) => {
      const kindOfRow = kindOf(row)
      const owner = await plane.addPerson(ROLE.user, 5000)
      const stranger = await plane.addPerson(ROLE[role], 5000)
      const about = { id: await ADDING[kindOfRow](owner) }
      const before = await rows()
      const answer = await askAbout(plane, row, { as: stranger, about })
      // Administrators read all log rows.
      if (kindOfRow === 'logs' && role !== 'user') expect(answer.success).toBe(true)
      else expect(outcome(answer)).toEqual(refused(NOT_FOUND[kindOfRow]))
      expect(await rows()).toEqual(before)
      expect((await askAbout(plane, row, { as: owner, about })).success).toBe(true)
    })

    test('a token cannot be switched off either', async () => {
      const owner = await plane.addPerson(ROLE.user, 5000)
      const stranger = await plane.addPerson(ROLE[role], 5000)
      const body = { id: await addToken(owner), status: 2 }
      const before = await rows()
      const switchOff = (as: Person) =>
        plane.call('PUT', '/api/token/?status_only=true', { as, body })
      expect(outcome(await switchOff(stranger))).toEqual(refused('token_not_found'))
      expect(await rows()).toEqual(before)
      expect((await switchOff(owner)).success).toBe(true)
    })

    test('no list and no search shows a token', async () => {
      const owner = await plane.addPerson(ROLE.user, 5000)
      const stranger = await plane.addPerson(ROLE[role], 5000)
      await plane.call('POST', '/api/token/', { as: owner, body: tokenForm })
      for (const path of ['/api/token/', '/api/token/search?keyword=mine']) {
        expect(rowsOf(await plane.call('GET', path, { as: stranger }))).toEqual([])
        expect(rowsOf(await plane.call('GET', path, { as: owner }))).toHaveLength(1)
      }
    })
  })

  // These refusals come before any statement about the input, so one database shows them.
  if (kind === 'postgres') return

  const untilQuiet = () => waitUntil(async () => isDeepStrictEqual(await rows(), await rows()))

  const refusedOnly = new Map<Caller, Promise<Person>>()

  /** A call that is admitted may end the account of its caller. Refused callers are used again. */
  function personFor(caller: Caller, refusal: ErrorCode | null) {
    if (caller === 'anonymous') return undefined
    if (refusal === null) return plane.addPerson(ROLE[caller])
    const person = refusedOnly.get(caller) ?? plane.addPerson(ROLE[caller])
    refusedOnly.set(caller, person)
    return person
  }

  test.each(endpoints)('$name admits only the roles of its access', async ({ name, endpoint }) => {
    const callers = await Promise.all(
      CALLERS.map(async (caller) => {
        const refusal = refusalOf(endpoint, caller)
        return { caller, refusal, person: await personFor(caller, refusal) }
      }),
    )
    const send = (person: Person | undefined) =>
      plane.call(endpoint.method, pathOf(endpoint), {
        address: newAddress(),
        ...(person && { as: person }),
      })
    const before = await rows()
    for (const { caller, refusal, person } of callers) {
      if (refusal === null) continue
      const answer = await send(person)
      expect(outcome(answer), caller).toEqual(refused(refusal))
      expect(answer.status, caller).toBe(caller === 'anonymous' ? 401 : 200)
    }
    expect(await rows()).toEqual(before)
    for (const { caller, refusal, person } of callers) {
      if (refusal !== null) continue
      const answer = await send(person)
      expect(answer.status, caller).not.toBe(401)
      expect(DOOR, caller).not.toContain(answer.message)
      expect(answer.status, caller).toBeLessThan(500)
      if (IN_THE_BACKGROUND.includes(name)) await untilQuiet()
    }
  })

  describe('a caller who was admitted before', () => {
    let banned: Person
    let demoted: Person
    let stillSignedIn: Person
    let before: Awaited<ReturnType<typeof rows>>

    beforeAll(async () => {
      const root = await plane.addPerson(ROLE.root)
      banned = await plane.addPerson(ROLE.admin)
      demoted = await plane.addPerson(ROLE.admin)
      stillSignedIn = await plane.addPerson(ROLE.admin)
      const manage = ({ username }: Person, action: string) =>
        plane.done('POST', '/api/user/manage', { as: root, body: { username, action } })
      await manage(banned, 'disable')
      await manage(demoted, 'demote')
      await setRow(plane, 'users', stillSignedIn.id, { status: USER_STATUS.disabled })
      // The ledger releases the leases of the log rows above once they are idle.
      await waitUntil(async () => (await storedRows(plane, 'quota_leases')).length === 0)
      before = await rows()
    }, 20_000)

    test.each(guarded)('is refused $name immediately', async ({ endpoint }) => {
      const ask = (options: Parameters<ControlPlane['call']>[2]) =>
        plane.call(endpoint.method, pathOf(endpoint), options)
      const byToken = (person: Person) => ask({ headers: { authorization: accessTokenOf(person) } })
      for (const as of [banned, demoted]) expect((await ask({ as })).status).toBe(401)
      expect(outcome(await byToken(banned))).toEqual(refused('account_banned'))
      expect(outcome(await ask({ as: stillSignedIn }))).toEqual(refused('account_banned'))
      if (endpoint.access !== 'user') {
        expect(outcome(await byToken(demoted))).toEqual(refused('not_allowed'))
      }
      expect(await rows()).toEqual(before)
    })
  })
})
