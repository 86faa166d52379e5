import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import { mustHold, NOW_MS, openLedgerWorld, request } from '../../../testing/ledger/ledger-world.ts'
import { audit } from '../audit/audit.ts'
import { bookImports, type ImportedCredit, type ImportedUse } from './book-imports.ts'

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
    world.database.transaction((tx) =>
      bookImports(tx, { kind, now: () => NOW_MS }, { name, actorId: 1, credits, uses }),
    )

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

  test('a balance stays at least what running requests hold, and the rest is reported', async () => {
    const owner = await world.addUser(1000)
    const key = await world.addToken(owner)
    const hold = await mustHold(world, request(owner, key), { min: 800, max: 800 })
    const { quota_leased } = await world.user(owner)
    const [shortfall] = await book([{ kind: 'user', ownerId: owner, amount: -900 }])
    expect(shortfall).toMatchObject({ ownerId: owner, amount: -900, booked: quota_leased - 1000 })
    expect(await world.user(owner)).toMatchObject({ quota: quota_leased })
    await hold.void({ ...ENDED })
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

const ENDED = {
  content: '',
  upstreamModel: '',
  channel: 0,
  elapsedMs: 0,
  firstTokenMs: 0,
  endReason: 'finished',
  attempts: [],
} as const
