import { describe, expect, test } from 'vitest'
import { CHANNEL_STATUS } from '@tollgate/contract'
import { answerError, answerJson } from '../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { openChannelWorld } from '../../testing/worlds/channel-world.ts'
import { outboxOf } from '../../testing/worlds/outbox.ts'
import { setRow } from '../../testing/worlds/rows.ts'
import { createLog } from '../process/log.ts'
import { createUpstream } from '../upstream/send.ts'
import { readOldBalances } from './read-balances.ts'
import { checkAlertRules } from './watch-alert-rules.ts'

const CLOSEAI = 4
const OPENAI_SB = 5
const AI_PROXY = 10
const HOUR_MS = 3_600_000

describe.each(DATABASES)('balances of channels, on %s', (kind) => {
  const upstream = openPerTest(() => createUpstream())
  const world = openPerTest(() => openChannelWorld(kind))
  const deps = () => {
    const { plane } = world
    return { ...plane, upstream, log: createLog('silent'), now: () => plane.clock.now }
  }
  const round = () => readOldBalances(deps(), new AbortController().signal)
  const left = (total_available: number) => answerJson({ total_available })
  const callsOf = (name: string) => world.provider.requestsOf(name).length

  test('are read once an hour while their alert rule is on, which then alerts', async () => {
    const { plane } = world
    const id = await world.addChannel('main', { type: CLOSEAI }, left(9), left(4))
    await round()
    expect(callsOf('main')).toBe(0)

    await plane.setOption('AlertBalanceBelow', '5')
    await round()
    await round()
    const balance_updated_time = Math.floor(plane.clock.now / 1000)
    expect(await world.rowOf(id)).toMatchObject({ balance: 9, balance_updated_time })
    expect(callsOf('main')).toBe(1)

    plane.clock.now += HOUR_MS + 1000
    await round()
    expect(await world.rowOf(id)).toMatchObject({ balance: 4 })
    await checkAlertRules(deps())
    expect(await outboxOf(plane)).toMatchObject([{ type: 'rule-alert', event: 'balance' }])
  })

  test('are compared in yuan where a provider counts in ten-thousandths', async () => {
    const { plane } = world
    await plane.setOption('AlertBalanceBelow', '5')
    const read = { balance_updated_time: Math.floor(plane.clock.now / 1000) }
    const type = OPENAI_SB
    const rich = await world.addChannel('rich', { type })
    await setRow(plane, 'channels', rich, { ...read, balance: 50_000 })
    const poor = await world.addChannel('poor', { type })
    await setRow(plane, 'channels', poor, { ...read, balance: 49_900 })
    await checkAlertRules(deps())
    const detail = '4.99 CNY left (alert below 5.00 CNY)'
    expect(await outboxOf(plane)).toMatchObject([{ type: 'rule-alert', name: 'poor', detail }])
  })

  test('stay as they are where they cannot be read, and are asked for again', async () => {
    await world.plane.setOption('AlertBalanceBelow', '5')
    const broken = answerError(500, { message: 'not now' })
    const id = await world.addChannel('main', { type: CLOSEAI }, broken, left(3))
    await round()
    expect(await world.rowOf(id)).toMatchObject({ balance: 0, balance_updated_time: 0 })
    await round()
    expect(await world.rowOf(id)).toMatchObject({ balance: 3 })
  })

  test('are not read of channels that are off, or count points', async () => {
    await world.plane.setOption('AlertBalanceBelow', '5')
    const status = CHANNEL_STATUS.disabled
    await world.addChannel('off', { type: CLOSEAI, status }, left(1))
    await world.addChannel('points', { type: AI_PROXY }, answerJson({ data: { totalPoints: 9 } }))
    await round()
    expect([callsOf('off'), callsOf('points')]).toEqual([0, 0])
  })
})
