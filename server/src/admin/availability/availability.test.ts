import { beforeAll, expect, test } from 'vitest'
import { AVAILABILITY_DAYS, availabilityEndpoints, CHANNEL_STATUS, ROLE } from '@tollgate/contract'
import { spend } from '../../../testing/ledger/spend.ts'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 10, 27, 12, 30) / 1000
const FAULT = { channel: 1, status: 503, reason: 'overloaded: too busy', milliseconds: 5 }

describePlanes('the status page on %s', [], ({ plane }) => {
  let root: Person

  beforeAll(async () => {
    plane.clock.now = NOW * 1000
    root = await plane.addPerson(ROLE.root, 1_000_000)
    const { enabled, disabled, autoDisabled } = CHANNEL_STATUS
    for (const [name, models, group, status] of [
      ['secret-main', 'gpt-4o,o3,o4-mini', 'default', enabled],
      ['secret-spare', 'gpt-4.1', 'default', autoDisabled],
      ['secret-off', 'gpt-4.1-mini', 'default', disabled],
      ['secret-vip', 'gpt-5.5', 'vip', enabled],
    ]) {
      await plane.addChannel(root, { name, models, group, status })
    }
  })

  const read = async () => {
    const { data, text } = await plane.call('GET', '/api/availability')
    return { text, data: availabilityEndpoints.getAvailability.parts.data.parse(data) }
  }

  test('shows visitors the share of answered requests by day, and nothing while off', async () => {
    const tokenId = await plane.addToken(root)
    const ask = async (
      at: number,
      model: string,
      failure: 'none' | 'fault' | 'wrong' | 'rescued',
    ) => {
      plane.clock.now = at * 1000
      const fails = failure === 'fault' || failure === 'wrong'
      const attempts = failure === 'fault' || failure === 'rescued' ? [FAULT] : []
      await spend(plane.ledger, { by: root, tokenId, at, cost: 1, model, fails, attempts })
    }
    const yesterday = NOW - DAY
    for (const failure of ['none', 'none', 'none', 'fault'] as const) {
      await ask(yesterday, 'gpt-4o', failure)
    }
    await ask(NOW - 5 * HOUR, 'gpt-4o', 'wrong')
    await ask(NOW - 5 * HOUR, 'gpt-4o', 'none')
    await ask(NOW - 4 * HOUR, 'gpt-4o', 'rescued')
    await ask(NOW - (AVAILABILITY_DAYS + 1) * DAY, 'gpt-4o', 'fault')
    for (let failed = 0; failed < 3; failed += 1) await ask(NOW - HOUR, 'o3', 'fault')
    plane.clock.now = NOW * 1000
    expect((await read()).data).toBeNull()

    await plane.setOption('PublicStatusEnabled', 'true')
    const { data, text } = await read()
    expect(data?.start).toBe(Date.UTC(2026, 10, 27) / 1000 - (AVAILABILITY_DAYS - 1) * DAY)
    expect(data?.models.map(({ id, state, share }) => [id, state, share])).toEqual([
      ['gpt-4.1', 'down', null],
      ['gpt-4o', 'healthy', 0.8571],
      ['o3', 'down', 0],
      ['o4-mini', 'untested', null],
    ])
    const days = data?.models.find(({ id }) => id === 'gpt-4o')?.days ?? []
    expect(days).toHaveLength(AVAILABILITY_DAYS)
    expect(days.slice(-3)).toEqual([null, 0.75, 1])
    expect(days.filter((share) => share !== null)).toHaveLength(2)
    expect(text).not.toMatch(/secret-|requests|too busy/)

    await plane.setOption('PublicStatusEnabled', 'false')
    expect((await read()).data).toBeNull()
  })
})
