import { describe, expect, test } from 'vitest'
import { answerChat } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { ASKED, COST, QUOTA, readError, setUp } from '../../../testing/worlds/relay-scenario.ts'

const LIMITED = { ...ASKED, max_tokens: 100 }

describe.each(DATABASES)('a key with a budget on %s', (kind) => {
  test.each([
    ['day', 'daily', '\\d\\d-\\d\\d'],
    ['week', 'weekly', '\\d\\d-\\d\\d'],
    ['month', 'monthly', '\\d\\d-01'],
  ] as const)('spends at most its budget in one %s', async (period, name, date) => {
    const world = await setUp(answerChat(), { kind })
    const setBudget = (quota: number, period: 'day' | 'week' | 'month' | '') =>
      world.database.change((tx) =>
        world.ledger.editBudget(tx, { tokenId: world.token, quota, period }),
      )
    await setBudget(100, period)
    let served = 0
    let refused = await world.ask(LIMITED)
    for (; refused.status === 200; served += 1) refused = await world.ask(LIMITED)
    const left = 100 - served * COST
    expect(served).toBeGreaterThan(0)
    expect(refused.status).toBe(403)
    const error = await readError(refused)
    expect(error.code).toBe('insufficient_user_quota')
    expect(error.message).toMatch(
      new RegExp(
        `^Insufficient ${name} budget of the API key: ` +
          `\\$${(left / 500_000).toFixed(6).replace(/0{1,4}$/, '')} left, ` +
          `this request needs up to \\$[\\d.]+\\. ` +
          `The budget resets at \\d{4}-${date}T00:00Z\\.`,
      ),
    )
    expect(world.calls()).toEqual([served])
    expect((await world.books()).account.quota).toBe(QUOTA - served * COST)

    await setBudget(0, '')
    expect((await world.ask(LIMITED)).status).toBe(200)
    await world.books()
  })

  test("has days that begin at midnight of the operator's time zone", async () => {
    const world = await setUp(answerChat(), { kind, options: [['TimeZone', 'Pacific/Kiritimati']] })
    await world.database.change((tx) =>
      world.ledger.editBudget(tx, {
        tokenId: world.token,
        quota: 100,
        period: 'day',
        timeZone: 'Pacific/Kiritimati',
      }),
    )
    let asked = await world.ask(LIMITED)
    for (let count = 0; asked.status === 200 && count < 100; count += 1) {
      asked = await world.ask(LIMITED)
    }
    const refused = await readError(asked)
    // The clocks there are 14 hours ahead of UTC, whatever the season.
    expect(refused.message).toMatch(/The budget resets at \d{4}-\d\d-\d\dT10:00Z\./)
    const starts = await world.database.kysely
      .selectFrom('token_budgets')
      .select(['period_start', 'spent'])
      .where('token_id', '=', world.token)
      .where('spent', '>', 0)
      .execute()
    expect(starts.map(({ period_start }) => period_start % 86_400)).toEqual([10 * 3600])
    await world.books()
  })
})
