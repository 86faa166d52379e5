import { randomInt } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../../testing/harness/run-command.ts'
import {
  doSomething,
  type MoneyWorld,
  openMoneyWorld,
} from '../../../testing/ledger/money-operations.ts'
import { seededRandom } from '../../../testing/ledger/seeded-random.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { audit } from '../../ledger/audit/audit.ts'

const OPERATIONS = Number(process.env['MONEY_OPERATIONS'] ?? 1000)
const AT_ONCE = 50
const TEST_MS = 300_000

/** Payouts are rare. A mix in which one kind never happened continues, up to a bound. */
const isShort = ({ done, totals }: MoneyWorld) =>
  done < OPERATIONS || (done < 5 * OPERATIONS && Object.values(totals).includes(0))

describePlanes('many money operations on %s', [], ({ plane }) => {
  const seed = randomInt(2 ** 31)
  let world: MoneyWorld

  beforeAll(async () => {
    await plane.setOption('QuotaForNewUser', '1000')
    await plane.setOption('QuotaForInviter', '300')
    await plane.setOption('QuotaForInvitee', '200')
    world = await openMoneyWorld(plane, seededRandom(seed))
  })

  const creditsFrom = async (...sources: string[]) => {
    const { total } = await plane.database.kysely
      .selectFrom('credits')
      .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('amount'), eb.lit(0)).as('total'))
      .where((eb) => eb.or(sources.map((source) => eb('source', 'like', source))))
      .executeTakeFirstOrThrow()
    return total
  }

  /** Ledger totals, to compare with the amounts in responses. */
  const booked = async () => {
    const { kysely } = plane.database
    const days = await kysely.selectFrom('ledger_days').select(['charged', 'uncollected']).execute()
    const payouts = kysely.selectFrom('partner_entries').where('source', 'like', 'payout:%')
    const entries = await payouts.select('amount').execute()
    return {
      redeemed: await creditsFrom('redemption:%', 'gift:%:redeemer'),
      granted: await creditsFrom('topup:%'),
      edited: await creditsFrom('edit:%:mix-%'),
      paidOut: entries.reduce((sum, { amount }) => sum - amount, 0),
      cost: days.reduce((sum, { charged, uncollected }) => sum + charged + uncollected, 0),
    }
  }

  const lowest = async () => {
    const { kysely } = plane.database
    const users = await kysely.selectFrom('users').select(['quota', 'invite_balance']).execute()
    const tokens = await kysely.selectFrom('tokens').select('remain_quota').execute()
    return Math.min(
      ...users.flatMap(({ quota, invite_balance }) => [quota, invite_balance]),
      ...tokens.map(({ remain_quota }) => remain_quota),
    )
  }

  test(
    'in any order and concurrently, they add up, and a manually changed balance is found',
    { timeout: TEST_MS },
    async () => {
      const worker = async () => {
        while (isShort(world)) await doSomething(world)
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      await plane.ledger.whenApplied()
      const what = `seed ${seed}`
      expect(await booked(), what).toEqual(world.totals)
      expect(Math.min(...Object.values(world.totals)), what).toBeGreaterThan(0)
      expect(await audit(plane.database), what).toEqual([])
      expect(await lowest(), what).toBeGreaterThanOrEqual(0)
      expect(plane.logLines.join('')).not.toContain('"level":50')
      const sound = await runCommand('audit', plane.files)
      expect([sound.code, sound.output]).toEqual([0, expect.stringContaining('differences: 0')])

      const id = world.people[0]?.id ?? 0
      await plane.database.kysely
        .updateTable('users')
        .set((eb) => ({ quota: eb('quota', '+', 1) }))
        .where('id', '=', id)
        .execute()
      expect(await audit(plane.database), what).toMatchObject([{ where: `user ${id}` }])
      const unsound = await runCommand('audit', plane.files)
      expect([unsound.code, unsound.output]).toEqual([
        1,
        expect.stringMatching(new RegExp(`^user ${id}: quota against credits`)),
      ])
    },
  )
})
