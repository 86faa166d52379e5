import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
import {
  accessTokenOf,
  type Answer,
  type ControlPlane,
  idOf,
  openControlPlane,
  type Person,
  rowsOf,
  tokenForm,
} from '../../testing/control-plane.ts'
import { DATABASES } from '../../testing/databases.ts'
import { endpoints, guarded } from '../../testing/endpoint-lists.ts'
import { everyRow } from '../../testing/every-row.ts'
import { waitUntil } from '../../testing/wait-until.ts'

const CALLERS = ['anonymous', 'user', 'admin', 'root'] as const
type Caller = (typeof CALLERS)[number]

/** The code a caller is turned away with, computed from the table alone. */
function refusalOf({ access }: Endpoint, caller: Caller): ErrorCode | null {
  if (access === 'public') return null
  if (caller === 'anonymous') return 'not_signed_in'
  return ROLE[caller] >= ROLE[access] ? null : 'not_allowed'
}

/** What the door says to those it does not let in. */
const DOOR = (['not_signed_in', 'not_allowed', 'account_banned', 'foreign_origin'] as const).map(
  (code) => errorText(code, {}, 'en'),
)

/** Begin work that goes on after their answer. */
const IN_THE_BACKGROUND = ['testChannels', 'updateBalances']

const pathOf = ({ path }: Endpoint) => path.replace(':id', '999999')

const refused = (code: ErrorCode) => [false, errorText(code, {}, 'en')]
const outcome = ({ success, message }: Answer) => [success, message]

const ACTORS = ['admin', 'root'] as const
const TARGETS = ['self', 'user', 'admin', 'root'] as const

type Pair = { actor: Person; target: Person }

type Managing = {
  name: string
  send: (plane: ControlPlane, pair: Pair) => Promise<Answer>
  refusal: (pair: Pair) => ErrorCode | null
}

const notBelow = ({ actor, target }: Pair) => (canManage(actor, target) ? null : 'target_not_below')

const MANAGING: Managing[] = [
  {
    name: 'getUser',
    send: (plane, { actor, target }) => plane.call('GET', `/api/user/${target.id}`, { as: actor }),
    refusal: notBelow,
  },
  {
    name: 'updateUser',
    send: (plane, { actor, target }) =>
      plane.call('PUT', '/api/user/', {
        as: actor,
        body: { id: target.id, display_name: 'edited', quota: 77, group: 'vip' },
      }),
    refusal: notBelow,
  },
  {
    name: 'grantQuota',
    send: (plane, { actor, target }) =>
      plane.call('POST', '/api/topup', { as: actor, body: { user_id: target.id, quota: 5 } }),
    refusal: notBelow,
  },
  {
    name: 'deleteUser',
    send: (plane, { actor, target }) =>
      plane.call('DELETE', `/api/user/${target.id}`, { as: actor }),
    refusal: ({ actor, target }) => whyNot('delete', actor, target),
  },
  ...USER_ACTIONS.map((action): Managing => {
    const send: Managing['send'] = (plane, { actor, target: { username } }) =>
      plane.call('POST', '/api/user/manage', { as: actor, body: { username, action } })
    return {
      name: `manageUser ${action}`,
      send,
      refusal: ({ actor, target }) => whyNot(action, actor, target),
    }
  }),
]

const TOKEN_CALLS: [string, (plane: ControlPlane, as: Person, id: number) => Promise<Answer>][] = [
  ['getToken', (plane, as, id) => plane.call('GET', `/api/token/${id}`, { as })],
  ['deleteToken', (plane, as, id) => plane.call('DELETE', `/api/token/${id}`, { as })],
  [
    'updateToken',
    (plane, as, id) => plane.call('PUT', '/api/token/', { as, body: { ...tokenForm, id } }),
  ],
  [
    'updateToken status_only',
    (plane, as, id) =>
      plane.call('PUT', '/api/token/?status_only=true', { as, body: { id, status: 2 } }),
  ],
]

describe.each(DATABASES)('the access matrix on %s', (kind) => {
  let plane: ControlPlane
  let calls = 0

  beforeAll(async () => {
    plane = await openControlPlane(kind)
  })
  afterAll(() => plane.close())

  const rows = () => everyRow(plane.database)

  const untilQuiet = () => waitUntil(async () => isDeepStrictEqual(await rows(), await rows()))

  /** So that nobody is refused for calling too often. */
  const newAddress = () => {
    calls += 1
    return `100.64.${calls >> 8}.${calls & 255}`
  }

  test.each(endpoints)(
    '$name lets in whom its access names and nobody else',
    async ({ name, endpoint }) => {
      for (const caller of CALLERS) {
        const person = caller === 'anonymous' ? undefined : await plane.addPerson(ROLE[caller])
        const before = await rows()
        const answer = await plane.call(endpoint.method, pathOf(endpoint), {
          address: newAddress(),
          ...(person && { as: person }),
        })
        const refusal = refusalOf(endpoint, caller)
        if (refusal === null) {
          expect(answer.status, caller).not.toBe(401)
          expect(DOOR, caller).not.toContain(answer.message)
          expect(answer.status, caller).toBeLessThan(500)
          if (IN_THE_BACKGROUND.includes(name)) await untilQuiet()
        } else {
          expect(outcome(answer), caller).toEqual(refused(refusal))
          expect(answer.status, caller).toBe(caller === 'anonymous' ? 401 : 200)
          expect(await rows(), caller).toEqual(before)
        }
      }
    },
  )

  const persons = async (actorRole: (typeof ACTORS)[number], target: (typeof TARGETS)[number]) => {
    const actor = await plane.addPerson(ROLE[actorRole], 1000)
    return { actor, target: target === 'self' ? actor : await plane.addPerson(ROLE[target], 1000) }
  }

  describe.each(MANAGING)('$name', ({ send, refusal }) => {
    test.each(ACTORS.flatMap((actor) => TARGETS.map((target) => [actor, target] as const)))(
      'by %s of %s is done or refused as the rules of permissions say',
      async (actor, target) => {
        const pair = await persons(actor, target)
        const before = await rows()
        const answer = await send(plane, pair)
        const code = refusal(pair)
        expect(answer.status).toBe(200)
        if (code === null) {
          expect(answer.success, answer.message).toBe(true)
        } else {
          expect(outcome(answer)).toEqual(refused(code))
          expect(await rows()).toEqual(before)
        }
      },
    )
  })

  describe.each(['user', 'admin', 'root'] as const)('the token of another, to %s', (role) => {
    test.each(TOKEN_CALLS)('%s finds none and changes nothing', async (_, send) => {
      const owner = await plane.addPerson(ROLE.user, 5000)
      const stranger = await plane.addPerson(ROLE[role], 5000)
      const id = idOf(await plane.call('POST', '/api/token/', { as: owner, body: tokenForm }))
      const before = await rows()
      expect(outcome(await send(plane, stranger, id))).toEqual(refused('token_not_found'))
      expect(await rows()).toEqual(before)
      expect((await send(plane, owner, id)).success).toBe(true)
    })

    test('no list and no search shows it', async () => {
      const owner = await plane.addPerson(ROLE.user, 5000)
      const stranger = await plane.addPerson(ROLE[role], 5000)
      await plane.call('POST', '/api/token/', { as: owner, body: tokenForm })
      for (const path of ['/api/token/', '/api/token/search?keyword=mine']) {
        expect(rowsOf(await plane.call('GET', path, { as: stranger }))).toEqual([])
        expect(rowsOf(await plane.call('GET', path, { as: owner }))).toHaveLength(1)
      }
    })
  })

  describe('whoever was let in before', () => {
    let banned: Person
    let demoted: Person
    let stillSignedIn: Person

    beforeAll(async () => {
      const root = await plane.addPerson(ROLE.root)
      banned = await plane.addPerson(ROLE.admin)
      demoted = await plane.addPerson(ROLE.admin)
      stillSignedIn = await plane.addPerson(ROLE.admin)
      const actions = [
        [banned, 'disable'],
        [demoted, 'demote'],
      ] as const
      for (const [{ username }, action] of actions) {
        const body = { username, action }
        const answer = await plane.call('POST', '/api/user/manage', { as: root, body })
        expect(answer.success).toBe(true)
      }
      await plane.database.kysely
        .updateTable('users')
        .set({ status: USER_STATUS.disabled })
        .where('id', '=', stillSignedIn.id)
        .execute()
    })

    test.each(guarded)('is kept out of $name at once', async ({ endpoint }) => {
      const before = await rows()
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
