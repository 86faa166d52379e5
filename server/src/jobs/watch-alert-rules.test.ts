import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { openOutboxWorld } from '../../testing/worlds/outbox-world.ts'
import { checkAlertRules } from './watch-alert-rules.ts'

const HOUR_MS = 3_600_000

describe.each(DATABASES)('alert rules on %s', (kind) => {
  const world = openPerTest(() => openOutboxWorld(kind))
  const check = () => checkAlertRules(world.deps)
  const alerts = async () =>
    (await world.waiting()).map(({ message }) => {
      const { type, event, detail } = JSON.parse(message)
      return [type, event, detail]
    })
  const addHour = async (requests: number, failures: number, quota = 0) => {
    const hour = Math.floor(world.clock.now / HOUR_MS)
    const figures = { requests, failures, quota, prompt_tokens: 0, completion_tokens: 0 }
    await world.database.kysely
      .insertInto('model_hours')
      .values({ hour, model_name: `model-${requests}-${failures}`, ...figures })
      .execute()
  }

  test('a crossed threshold alerts once, also with two nodes, and again after it was back', async () => {
    await world.setOption('AlertErrorPercent', '20')
    await addHour(100, 30)
    await Promise.all([check(), check()])
    await check()
    const first = '30 of 100 in the current and the previous hour (30.0 %, alert from 20 %)'
    expect(await alerts()).toEqual([['rule-alert', 'errors', first]])
    await addHour(400, 10)
    await check()
    world.clock.now += 2 * HOUR_MS
    await addHour(60, 30)
    await check()
    expect(await alerts()).toEqual([
      ['rule-alert', 'errors', first],
      [
        'rule-alert',
        'errors',
        '30 of 60 in the current and the previous hour (50.0 %, alert from 20 %)',
      ],
    ])
  })

  test("charges of a day count by the operator's day", async () => {
    await world.setOption('AlertSpendDollars', '2')
    await world.setOption('TimeZone', 'Asia/Shanghai')
    world.clock.now = Date.UTC(2026, 10, 21, 15, 30)
    await addHour(1, 0, 600_000)
    world.clock.now = Date.UTC(2026, 10, 21, 16, 30)
    await addHour(2, 0, 500_000)
    await check()
    expect(await alerts()).toEqual([])
    await addHour(3, 0, 500_000)
    await check()
    const spent = '$2.00 so far (alert from $2.00)'
    expect(await alerts()).toEqual([['rule-alert', 'spend', spent]])
  })
})
