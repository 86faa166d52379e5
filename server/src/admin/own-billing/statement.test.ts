import { beforeAll, expect, test } from 'vitest'
import {
  ownBillingEndpoints,
  ROLE,
  type Statement,
  STATEMENT_CREDITS_MAX,
} from '@tollgate/contract'
import { spend } from '../../../testing/ledger/spend.ts'
import {
  accessTokenOf,
  idOf,
  type Person,
  tokenForm,
} from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { readUser } from '../../../testing/worlds/rows.ts'
import { audit } from '../../ledger/audit/audit.ts'

const HOUR = 3600
const TOKEN = { ...tokenForm, unlimited_quota: true }
/** Midnight in Shanghai, when the UTC month is still October. */
const NOVEMBER = Date.UTC(2026, 9, 31, 16) / 1000

describePlanes('statements on %s', [], ({ plane }) => {
  let root: Person
  let alice: Person

  beforeAll(async () => {
    await plane.setOption('TimeZone', 'Asia/Shanghai')
    plane.clock.now = (NOVEMBER - 40 * 24 * HOUR) * 1000
    root = await plane.addPerson(ROLE.root)
    alice = await plane.addPerson(ROLE.user, 1000)
  })

  const post = (as: Person, url: string, body: object, method: 'POST' | 'PUT' = 'POST') =>
    plane.done(method, url, { headers: { authorization: accessTokenOf(as) }, body })

  const read = async (month?: string, as = alice): Promise<Statement> => {
    const query = month === undefined ? '' : `?month=${month}`
    const headers = { authorization: accessTokenOf(as) }
    const { data } = await plane.call('GET', `/api/user/statement${query}`, { headers })
    return ownBillingEndpoints.getStatement.parts.data.parse(data)
  }

  const userRow = ({ id }: Person) => readUser(plane, id)

  test('add up to the ledger from month to month, in the time zone of the site', async () => {
    const bob = await plane.addPerson(ROLE.user, 500)
    const { aff_code } = await userRow(bob)
    const tokenId = idOf(await post(alice, '/api/token/', TOKEN))
    const at = async (seconds: number, cost: number, model = 'gpt-4o', fails = false) => {
      plane.clock.now = seconds * 1000
      await spend(plane.ledger, { by: alice, tokenId, at: seconds, cost, model, fails })
    }
    await at(NOVEMBER - 30 * 24 * HOUR, 3)
    await at(NOVEMBER - 1, 7)
    await at(NOVEMBER, 11)
    const codes = await post(root, '/api/redemption/', { name: 'spring', quota: 2000, count: 1 })
    // Safe because the endpoint answers with the codes.
    const [key] = codes.data as string[]
    await post(alice, '/api/user/topup', { key, gift_code: aff_code.slice(-5) })
    const grant = { user_id: alice.id, quota: 40 }
    await post(root, '/api/topup', { ...grant, remark: 'goodwill' })
    await post(root, '/api/topup', grant)
    await at(NOVEMBER + HOUR, 13, 'o3')
    await at(NOVEMBER + HOUR, 5, 'o3')
    await at(NOVEMBER + HOUR, 99, 'o3', true)
    await at(NOVEMBER + 25 * HOUR, 17)
    const { quota } = await userRow(alice)
    await post(root, '/api/user/', { id: alice.id, quota: quota - 100 }, 'PUT')
    await plane.ledger.whenApplied()

    const october = await read('2026-10')
    const november = await read()
    expect(november).toMatchObject({
      month: '2026-11',
      first_month: '2026-09',
      time_zone: 'Asia/Shanghai',
      start: NOVEMBER,
      end: NOVEMBER + 30 * 24 * HOUR,
      credited: 2000 + 100 + 40 + 40 - 100,
      charged: 11 + 13 + 5 + 17,
      credit_count: 5,
    })
    expect(november.usage).toMatchObject([
      { day: '2026-11-01', model_name: 'gpt-4o', requests: 1, quota: 11 },
      { day: '2026-11-01', model_name: 'o3', requests: 3, quota: 18 },
      { day: '2026-11-02', model_name: 'gpt-4o', requests: 1, quota: 17 },
    ])
    expect(november.credits.map(({ kind: of, amount, note }) => [of, amount, note])).toEqual([
      ['adjustment', -100, ''],
      ['topup', 40, ''],
      ['topup', 40, 'goodwill'],
      ['gift', 100, ''],
      ['code', 2000, ''],
    ])

    const stored = await userRow(alice)
    expect(november.closing).toBe(stored.quota)
    expect(november.opening).toBe(october.closing)
    expect(october.opening).toBe((await read('2026-09')).closing)
    const months = [await read('2026-09'), october, november]
    expect(months.reduce((sum, { charged }) => sum + charged, 0)).toBe(stored.used_quota)
    for (const { opening, credited, charged, closing } of months) {
      expect(opening + credited - charged).toBe(closing)
    }
    expect((await read('2026-11', bob)).credits).toMatchObject([{ kind: 'gift', amount: 100 }])
    expect(await audit(plane.database)).toEqual([])
  })

  test('days of 23 and of 25 hours have all of their hours', async () => {
    await plane.setOption('TimeZone', 'Europe/Berlin')
    const hans = await plane.addPerson(ROLE.user, 1000)
    const tokenId = idOf(await post(hans, '/api/token/', TOKEN))
    const charges = [
      ['2026-03-28T22:00:00Z', 1],
      ['2026-03-28T23:00:00Z', 2],
      ['2026-03-29T21:00:00Z', 4],
      ['2026-03-29T22:00:00Z', 8],
      ['2026-10-24T21:00:00Z', 16],
      ['2026-10-24T22:00:00Z', 32],
      ['2026-10-25T22:00:00Z', 64],
      ['2026-10-25T23:00:00Z', 128],
    ] as const
    const { now } = plane.clock
    for (const [moment, cost] of charges) {
      const at = Date.parse(moment) / 1000
      plane.clock.now = at * 1000
      await spend(plane.ledger, { by: hans, tokenId, at, cost, model: 'o3', fails: false })
    }
    await plane.ledger.whenApplied()
    plane.clock.now = now
    const daysOf = async (month: string) =>
      (await read(month, hans)).usage.map(({ day, quota }) => [day, quota])
    expect(await daysOf('2026-03')).toEqual([
      ['2026-03-28', 1],
      ['2026-03-29', 2 + 4],
      ['2026-03-30', 8],
    ])
    expect(await daysOf('2026-10')).toEqual([
      ['2026-10-24', 16],
      ['2026-10-25', 32 + 64],
      ['2026-10-26', 128],
    ])
    await plane.setOption('TimeZone', 'Asia/Shanghai')
  })

  test('list the newest credits and sum up all', async () => {
    const busy = await plane.addPerson(ROLE.user, 0)
    const count = STATEMENT_CREDITS_MAX + 1
    await plane.database.transaction(async (tx) => {
      for (let number = 1; number <= count; number += 1) {
        const credit = { kind: 'user', ownerId: busy.id, amount: number, reason: '' } as const
        await plane.ledger.credit(tx, { ...credit, source: `topup:many ${number}`, actorId: 1 })
      }
    })
    const { credits, credited, credit_count, closing } = await read(undefined, busy)
    const sum = (count * (count + 1)) / 2
    expect([credits.length, credits[0]?.amount]).toEqual([STATEMENT_CREDITS_MAX, count])
    expect([credit_count, credited, closing]).toEqual([count, sum, sum])
  })

  test.each(['2026-13', '2026-1', 'now', '202611', '1999-01'])('no month %s', async (month) => {
    const headers = { authorization: accessTokenOf(alice) }
    const answer = await plane.call('GET', `/api/user/statement?month=${month}`, { headers })
    expect(answer).toMatchObject({ success: false, message: expect.stringContaining('month') })
  })
})
