import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changesState, ROLE } from '@tollgate/contract'
import { everyRow } from '../../testing/harness/dump-tables.ts'
import { spend } from '../../testing/ledger/spend.ts'
import {
  channelForm,
  type ControlPlane,
  idOf,
  openControlPlane,
  type Person,
  tokenForm,
} from '../../testing/worlds/control-plane.ts'
import { endpoints, withQuery } from '../../testing/worlds/endpoint-lists.ts'
import { exampleOf } from './api-document/examples.ts'

const queries = new Map(withQuery.map(({ name, schema }) => [name, schema]))

const reading = endpoints.filter(({ endpoint }) => !changesState(endpoint))

/** Fills every query field. */
function searchOf(name: string): string {
  const query = queries.get(name)
  const fields = query === undefined ? [] : Object.entries(exampleOf(query, 'all'))
  return fields.map(([field, value]) => `${field}=${encodeURIComponent(String(value))}`).join('&')
}

describe('a GET that is not marked as changing state', () => {
  let plane: ControlPlane
  let root: Person
  let ids: Readonly<Record<string, number>>
  let start: Awaited<ReturnType<typeof everyRow>>

  beforeAll(async () => {
    plane = await openControlPlane('sqlite')
    root = await plane.addPerson(ROLE.root, 1000)
    ids = await addOneOfEach()
    start = await everyRow(plane.database)
  })
  afterAll(() => plane.close())

  /** A row per resource: writes to the rows that are read would go unnoticed in empty tables. */
  async function addOneOfEach() {
    const { kysely } = plane.database
    const friend = await plane.addPerson()
    await kysely
      .updateTable('users')
      .set({ inviter_id: root.id })
      .where('id', '=', friend.id)
      .execute()
    await plane.setOption('Notice', 'hello')
    const create = (path: string, body: object) => plane.call('POST', path, { as: root, body })
    const tokenId = idOf(await create('/api/token/', tokenForm))
    await create('/api/channel/', channelForm)
    await create('/api/redemption/', { name: 'gift', quota: 5, count: 1 })
    const feed = { name: 'file', kind: 'tollgate', url: '' }
    const prices = idOf(await create('/api/price/feed/', feed))
    const bill = { name: 'file', kind: 'csv', channels: [1] }
    const bills = idOf(await create('/api/bill/source/', bill))
    const newest = async (table: 'channels' | 'redemptions' | 'logs') => {
      const rows = kysely.selectFrom(table).select('id').orderBy('id', 'desc')
      return (await rows.executeTakeFirstOrThrow()).id
    }
    const channel = await newest('channels')
    const at = Math.floor(plane.clock.now / 1000)
    // A node that ends returns what it has leased; a running one would do so during the tests.
    const other = await openControlPlane('sqlite', { sharing: plane })
    await spend(other.ledger, { by: root, tokenId, cost: 2, at, channel })
    await other.close()
    return {
      users: friend.id,
      stat: friend.id,
      tokens: tokenId,
      channels: channel,
      redemptions: await newest('redemptions'),
      logs: await newest('logs'),
      prices,
      bills,
    }
  }

  // Not retried, because a write by the first run would go unnoticed in the second.
  test.each(reading)(
    '$name leaves every row unchanged',
    { retry: 0 },
    async ({ name, resource, endpoint }) => {
      const path = endpoint.path.replace(':id', String(ids[resource]))
      const before = await everyRow(plane.database)
      const answer = await plane.call('GET', `${path}?${searchOf(name)}`, { as: root })
      expect(answer.success, answer.message).toBe(true)
      await plane.ledger.flush()
      expect(await everyRow(plane.database)).toEqual(before)
    },
  )

  test('no GET writes after its answer', async () => {
    expect(await everyRow(plane.database)).toEqual(start)
  })
})
