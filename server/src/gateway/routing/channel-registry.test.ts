import { pino } from 'pino'
import { expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { descriptorOf } from '@tollgate/relay'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { channelForm, idsOf, openControlPlane } from '../../../testing/worlds/control-plane.ts'
import { systemClock } from '../../clock.ts'
import { ChannelRegistry, type LiveChannel, openChannelRegistry } from './channel-registry.ts'
import { routeTo } from './route.ts'

const OPENAI = 1
const CUSTOM = 8

// Safe because no other field of a channel is read.
const channel = ({ type = OPENAI, ...parts }: Partial<LiveChannel> & { type?: number } = {}) =>
  ({
    id: 1,
    version: 'a',
    descriptor: descriptorOf(type),
    priority: 1,
    weight: 1,
    ...parts,
  }) as LiveChannel

/** What `refresh` keeps of a channel chosen above its own priority once the channel is `now`. */
const leftOf = (now: LiveChannel | null) => {
  const registry = new ChannelRegistry(new Map(now && [[now.id, now]]), new Set([1]))
  return registry.refresh([{ channel: channel(), priority: 101, weight: 1, name: 'kept' }])
}

test("an earlier target has its channel's current values, and keeps its distance in priority", () => {
  const now = channel({ priority: -4, weight: 7 })
  expect(leftOf(now)).toEqual([{ channel: now, priority: 96, weight: 7, name: 'kept' }])
})

test.each([
  ['is gone or switched off', null],
  ['has another version', channel({ version: 'b' })],
  ['is of another type', channel({ type: CUSTOM })],
])('a channel that %s is left out', (_what, now) => {
  expect(leftOf(now)).toEqual([])
})

test('a route to one of its targets is not usual: no terms are kept for it', () => {
  const target = { channel: channel(), id: 1, priority: 1, weight: 1, upstreamModel: 'a' }
  const usual = { group: 'default', targets: [target, target], isUsual: true, isPinned: true }
  expect(routeTo(usual, target)).toEqual({ ...usual, targets: [target], isUsual: false })
})

test('a later version of a channel has a greater number; a change without a version keeps it', async () => {
  const plane = await openControlPlane('sqlite')
  try {
    const admin = await plane.addPerson(ROLE.admin)
    const made = await plane.call('POST', '/api/channel/', { as: admin, body: channelForm })
    const id = idsOf(made)[0] ?? 0
    const registry = await openChannelRegistry({
      ...plane,
      log: pino({ level: 'silent' }),
      clock: systemClock,
    })
    const changed = async (change: object) => {
      const before = registry()
      await plane.call('PUT', '/api/channel/', { as: admin, body: { id, ...change } })
      await waitUntil(async () => registry() !== before)
      return registry().channel(id)?.firstRead ?? 0
    }
    const first = registry().channel(id)?.firstRead ?? 0
    expect(await changed({ priority: 7 })).toBe(first)
    const second = await changed({ base_url: 'http://b.invalid', key: 'sk-b' })
    expect(second).toBeGreaterThan(first)
    expect(await changed({ key: 'sk-c' })).toBeGreaterThan(second)
  } finally {
    await plane.close()
  }
})
