import { describe, expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { openBatchWorld, request, settled, voided } from '../../../testing/ledger/batch-world.ts'
import { userAccount } from '../account.ts'
import { audit } from '../audit/audit.ts'

describe.each(DATABASES)('on %s', (kind) => {
  const world = openOnce(() => openBatchWorld(kind))

  // guards: L3.2
  test('the cost of each attempt counts for its channel, and unknown costs for none', async () => {
    const { userId, tokenId } = await world.addCustomer(1000)
    await world.node.lease(userAccount(userId), 200)
    const model = `costly ${userId}`
    const context = () => request(userId, tokenId, { model })
    const attempt = (channel: number, cost: number) =>
      ({ channel, status: 200, reason: '', milliseconds: 1, cost, cost_source: 'list' }) as const
    const attempts = [attempt(71, 400), attempt(72, 600)]
    await world.node.flush({
      records: [
        settled(context(), 30, { channel: 72, attempts, providerCost: 1000 }),
        settled(context(), 20, { channel: 72, attempts: [attempt(72, 7)], providerCost: 7 }),
        settled(context(), 10, { channel: 72, attempts: [attempt(72, 9)], providerCost: null }),
        voided(context(), { channel: 71, attempts: [attempt(71, 3)], providerCost: 3, group: 'x' }),
        // An impossible cost is unknown.
        settled(context(), 1, { channel: 72, attempts: [], providerCost: 0.5 }),
      ],
    })
    const logged = await world.database.kysely
      .selectFrom('logs')
      .select(['provider_cost', 'group'])
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute()
    expect(logged.map((row) => row.provider_cost)).toEqual([1000, 7, null, 3, null])
    expect(logged.map((row) => row.group)).toEqual([
      'default',
      'default',
      'default',
      'x',
      'default',
    ])
    const costs = ['requests', 'quota', 'provider_cost', 'costed_quota'] as const
    const rows = async (table: 'rollups' | 'channel_hours') =>
      world.database.kysely
        .selectFrom(table)
        .select(['channel_id', ...costs])
        .where('channel_id', 'in', [71, 72])
        .orderBy('channel_id')
        .execute()
    const expected = [
      { channel_id: 71, requests: 1, quota: 0, provider_cost: 403, costed_quota: 0 },
      { channel_id: 72, requests: 4, quota: 61, provider_cost: 607, costed_quota: 50 },
    ]
    expect(await rows('rollups')).toEqual(expected)
    expect(await rows('channel_hours')).toEqual(expected)
    const sum = { requests: 5, quota: 61, provider_cost: 1010, costed_quota: 50 }
    const { kysely } = world.database
    const byModel = kysely.selectFrom('model_hours').select(costs).where('model_name', '=', model)
    expect(await byModel.execute()).toEqual([sum])
    const byUser = kysely.selectFrom('user_hours').select(costs).where('user_id', '=', userId)
    expect(await byUser.execute()).toEqual([sum])
    const byGroup = kysely.selectFrom('group_hours').select(costs).where('group_name', '=', 'x')
    expect(await byGroup.execute()).toEqual([
      { requests: 1, quota: 0, provider_cost: 3, costed_quota: 0 },
    ])
    expect(await audit(world.database)).toEqual([])
  })
})
