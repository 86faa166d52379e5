import { beforeAll, expect, test } from 'vitest'
import { changesState } from '@tollgate/contract'
import { everyRow } from '../../testing/harness/dump-tables.ts'
import { spend } from '../../testing/ledger/spend.ts'
import { idOf, openControlPlane } from '../../testing/worlds/control-plane.ts'
import { describePlane } from '../../testing/worlds/describe-planes.ts'
import { endpoints, queries } from '../../testing/worlds/endpoint-lists.ts'
import { storedRows, setRow } from '../../testing/worlds/rows.ts'
import { exampleOf } from './api-document/examples.ts'

const reading = endpoints.filter(({ endpoint }) => !changesState(endpoint))

/** Fills every query field. */
function searchOf(name: string): string {
  const query = queries.get(name)
  const fields = query === undefined ? [] : Object.entries(exampleOf(query, 'all'))
  return fields.map(([field, value]) => `${field}=${encodeURIComponent(String(value))}`).join('&')
}

describePlane('a GET that is not marked as changing state', ['root'], ({ plane, root }) => {
  let ids: Readonly<Record<string, number>>
  let start: Awaited<ReturnType<typeof everyRow>>

  beforeAll(async () => {
    ids = await addOneOfEach()
    start = await everyRow(plane.database)
  })

  /** A row per resource: writes to the rows that are read would go unnoticed in empty tables. */
  async function addOneOfEach() {
    const friend = await plane.addPerson()
    await setRow(plane, 'users', friend.id, { inviter_id: root.id })
    await setRow(plane, 'users', root.id, { quota: 1000 })
    await plane.setOption('Notice', 'hello')
    const create = (path: string, body: object) => plane.call('POST', path, { as: root, body })
    const tokenId = await plane.addToken(root)
    const channel = await plane.addChannel(root)
    await create('/api/redemption/', { name: 'gift', quota: 5, count: 1 })
    const feed = { name: 'file', kind: 'tollgate', url: '' }
    const prices = idOf(await create('/api/price/feed/', feed))
    const bill = { name: 'file', kind: 'csv', channels: [1] }
    const bills = idOf(await create('/api/bill/source/', bill))
    const newest = async (table: 'redemptions' | 'logs') =>
      (await storedRows(plane, table)).at(-1)?.id ?? 0
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
