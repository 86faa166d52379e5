import { expect, test } from 'vitest'
import { ROLE, statEndpoints } from '@tollgate/contract'
import { spend } from '../../../testing/ledger/spend.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const AT = 20_000 * DAY

describePlanes("days in the operator's time zone, on %s", [], ({ plane }) => {
  test('begin at its midnight, unless the caller names an offset', async () => {
    plane.clock.now = (AT + 17 * HOUR) * 1000
    const user = await plane.addPerson(ROLE.user, 1000)
    const tokenId = await plane.addToken(user)
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
