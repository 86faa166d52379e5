import { beforeAll, expect, test } from 'vitest'
import { ROLE, statEndpoints } from '@tollgate/contract'
import { spend } from '../../../testing/ledger/spend.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'

const HOUR = 3600
const AT = 500_000 * HOUR

describePlanes('attempts before another one that answered, on %s', [], ({ plane }) => {
  beforeAll(async () => {
    plane.clock.now = AT * 1000
  })

  test('are shown for the channel that lost them, apart from its requests, with their upstream cost', async () => {
    const admin = await plane.addPerson(ROLE.admin)
    const by = await plane.addPerson(ROLE.user, 1000)
    const tokenId = await plane.addToken(by)
    const [broken, whole, hedge] = [7001, 7002, 7003]
    const tried = (channel: number, reason: string) =>
      ({ channel, status: 0, reason, milliseconds: 1 }) as const
    const lost = [tried(broken, 'upstream_fault: gone'), tried(broken, 'timeout: gone')]
    const spending = { by, tokenId, cost: 1, at: AT }
    await spend(plane.ledger, {
      ...spending,
      channel: whole,
      attempts: [...lost, { ...tried(hedge, 'overtaken'), unbilled_quota: 7 }, tried(whole, '')],
    })
    const again = { ...tried(whole, ''), rescued: true, unbilled_quota: 2 }
    await spend(plane.ledger, { ...spending, channel: whole, attempts: [again] })
    await spend(plane.ledger, { ...spending, channel: broken, fails: true, attempts: lost })
    const span = `start_timestamp=${AT}&end_timestamp=${AT + HOUR}&step=hour`
    const read = () => plane.call('GET', `/api/stat/channels?${span}`, { as: admin })
    const answer = await read()
    expect((await read()).text).toBe(answer.text)
    expect(statEndpoints.listChannelStats.parts.data.parse(answer.data)).toMatchObject([
      { channel_id: broken, requests: 1, failures: 1, lost: 3, unbilled_quota: 0 },
      { channel_id: whole, requests: 2, failures: 0, lost: 0, unbilled_quota: 2 },
      { channel_id: hedge, requests: 0, failures: 0, lost: 1, unbilled_quota: 7 },
    ])
  })
})
