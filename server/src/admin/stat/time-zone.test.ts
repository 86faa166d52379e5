import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROLE, statEndpoints } from '@tollgate/contract'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { spend } from '../../../testing/ledger/spend.ts'
import {
  type ControlPlane,
  idOf,
  openControlPlane,
  tokenForm,
} from '../../../testing/worlds/control-plane.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const AT = 20_000 * DAY

describe.each(DATABASES)("days in the operator's time zone, on %s", (kind) => {
  let plane: ControlPlane

  beforeAll(async () => {
    plane = await openControlPlane(kind)
    plane.clock.now = (AT + 17 * HOUR) * 1000
  })
  afterAll(() => plane.close())

  test('begin at its midnight, unless the caller names an offset', async () => {
    const user = await plane.addPerson(ROLE.user, 1000)
    const body = { ...tokenForm, unlimited_quota: true }
    const tokenId = idOf(await plane.call('POST', '/api/token/', { as: user, body }))
    await spend(plane.ledger, { by: user, tokenId, at: AT + 17 * HOUR, channel: 1, cost: 30 })
    const startsOf = async (query: string) => {
      const span = `start_timestamp=${AT}&end_timestamp=${AT + DAY}&step=day`
      const { data } = await plane.call('GET', `/api/stat/self?${span}${query}`, { as: user })
      const { buckets } = statEndpoints.getOwnUsage.parts.data.parse(data)
      return buckets.map(({ start }) => (start - AT) / HOUR)
    }
    await plane.setOption('TimeZone', 'Asia/Shanghai')
    expect(await startsOf('')).toEqual([16])
    expect(await startsOf('&utc_offset=0')).toEqual([0])
    await plane.setOption('TimeZone', '')
    expect(await startsOf('')).toEqual([0])
  })
})
