import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import {
  mustHold,
  NOW_MS,
  openLedgerWorld,
  request,
  settlement,
} from '../../../testing/ledger/ledger-world.ts'
import { executeAll } from '../../store/execute-all.ts'
import { audit } from '../audit/audit.ts'
import { bookImports, type ImportedCredit } from './book-imports.ts'
import type { ImportedUse } from './imported-sums.ts'
import { StagedUses } from './staged-uses.ts'

const USE = {
  channel: 0,
  model: 'gpt-4o',
  group: 'default',
  at: 1_700_000_000,
  requests: 1,
  promptTokens: 10,
  completionTokens: 5,
  cachedTokens: 2,
  elapsedMs: 900,
  firstTokenMs: 0,
}

describe.each(DATABASES)('imported balances on %s', (kind) => {
  let batches = 0

  const world = openPerTest(() => openLedgerWorld(kind))
  const book = (
    credits: readonly ImportedCredit[],
    uses: readonly ImportedUse[] = [],
    name = `old:${++batches}`,
  ) =>
    world.database.transaction(async (tx) => {
      const staged = new StagedUses(kind)
      await executeAll(tx, staged.add(uses))
      const batch = { name, actorId: 1, credits, uses: staged }
      return bookImports(tx, { kind, now: () => NOW_MS }, batch)
    })

  test('past use is charged and credited at once: the balance stays, the books have it', async () => {
    const owner = await world.addUser(1000)
    const key = await world.addToken(owner, 300)
    const uses = [40, 60].map((charged) => ({ ...USE, userId: owner, tokenId: key, charged }))
    const credits = [
      { kind: 'user', ownerId: owner, amount: 500 },
      { kind: 'token', ownerId: key, amount: -100 },
    ] as const
    expect(await book(credits, uses)).toEqual([])
    expect(await world.user(owner)).toMatchObject({
      quota: 1500,
      used_quota: 100,
      request_count: 2,
    })
    expect(await world.token(key)).toMatchObject({ remain_quota: 200, used_quota: 100 })
    const hours = await world.database.kysely.selectFrom('model_hours').selectAll().execute()
    expect(hours).toMatchObject([{ requests: 2, quota: 100, prompt_tokens: 20 }])
    expect(await audit(world.database)).toEqual([])
  })

  test('the sums of days and hours have each use, by all their keys, and stay countable', async () => {
    const owner = await world.addUser(0)
    const [first, second] = [await world.addToken(owner), await world.addToken(owner)]
    const use = { ...USE, userId: owner, tokenId: first, charged: 7, firstTokenMs: 300 }
    const other = { ...use, tokenId: second, channel: 9, model: 'o "x"', group: 'vip' }
    const { MAX_SAFE_INTEGER: most } = Number
    await book([], [use, { ...use, at: USE.at + 90_000, elapsedMs: null }])
    await book([], [use, { ...other, requests: 3 }, { ...use, promptTokens: most }])
    const { kysely } = world.database
    const sumsOf = (table: 'rollups' | 'user_hours' | 'model_hours' | 'channel_hours') =>
      kysely.selectFrom(table).selectAll().orderBy('hour').orderBy('quota', 'desc').execute()
    const hour = Math.floor(USE.at / 3600)
    const [early, rest, late] = await sumsOf('rollups')
    expect(early).toMatchObject({ hour, token_id: first, requests: 3, quota: 21 })
    expect(early).toMatchObject({ prompt_tokens: most, completion_tokens: 15, cached_tokens: 6 })
    expect(early).toMatchObject({ latency_3: 3, first_token_2: 3, failures: 0, latency_2: 0 })
    expect(rest).toMatchObject({
      token_id: second,
      channel_id: 9,
      model_name: 'o "x"',
      requests: 3,
    })
    expect(rest).toMatchObject({ quota: 7, latency_3: 1 })
    expect(late).toMatchObject({ hour: hour + 25, requests: 1, latency_3: 0, first_token_2: 0 })
    const counts = { requests: 3, quota: 21 }
    expect((await sumsOf('user_hours'))[0]).toMatchObject({ user_id: owner, hour, ...counts })
    expect((await sumsOf('model_hours'))[0]).toMatchObject({ model_name: 'gpt-4o', ...counts })
    expect((await sumsOf('channel_hours'))[1]).toMatchObject({ channel_id: 9, latency_3: 1 })
    const groups = await kysely
      .selectFrom('group_hours')
      .selectAll()
      .orderBy('group_name')
      .orderBy('hour')
      .execute()
    expect(groups.map(({ group_name, requests }) => [group_name, requests])).toEqual([
      ['default', 3],
      ['default', 1],
      ['vip', 3],
    ])
    const days = await kysely.selectFrom('ledger_days').selectAll().orderBy('charged').execute()
    expect(days.map(({ charged, requests }) => [charged, requests])).toEqual([
      [7, 1],
      [7, 3],
      [21, 3],
    ])
    expect(await audit(world.database)).toEqual([])
  })

  test('a balance stays at least what running requests hold, and the rest is reported', async () => {
    const owner = await world.addUser(1000)
    const key = await world.addToken(owner)
    const hold = await mustHold(world, request(owner, key), { min: 800, max: 800 })
    const { quota_leased } = await world.user(owner)
    const [shortfall] = await book([{ kind: 'user', ownerId: owner, amount: -900 }])
    expect(shortfall).toMatchObject({ ownerId: owner, amount: -900, booked: quota_leased - 1000 })
    expect(await world.user(owner)).toMatchObject({ quota: quota_leased })
    await hold.void(settlement(0))
    expect(await audit(world.database)).toEqual([])
  })

  test('a batch that is booked twice fails as a whole', async () => {
    const owner = await world.addUser(10)
    const credits = [{ kind: 'user', ownerId: owner, amount: 5 }] as const
    await book(credits, [], 'old:same')
    await expect(book(credits, [], 'old:same')).rejects.toThrow()
    expect(await world.user(owner)).toMatchObject({ quota: 15 })
  })
})
