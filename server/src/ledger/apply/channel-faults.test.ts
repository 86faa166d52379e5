import { describe, expect, test } from 'vitest'
import type { AttemptRecord } from '@tollgate/contract'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { openBatchWorld, request, settled, voided } from '../../../testing/ledger/batch-world.ts'
import { userAccount } from '../account.ts'

describe.each(DATABASES)('failed attempts, on %s', (kind) => {
  const world = openOnce(() => openBatchWorld(kind))
  const faultsOf = (channel: number) =>
    world.database.kysely
      .selectFrom('channel_faults')
      .selectAll()
      .where('channel_id', '=', channel)
      .orderBy('kind')
      .orderBy('key')
      .execute()

  async function openCustomer() {
    const { userId, tokenId } = await world.addCustomer(1000)
    await world.node.lease(userAccount(userId), 200)
    return (id: string) => ({ ...request(userId, tokenId, { model: 'gpt-4o' }), requestId: id })
  }

  const tried = (channel: number, reason: string, part: Partial<AttemptRecord> = {}) => ({
    channel,
    status: 500,
    reason,
    milliseconds: 1,
    ...part,
  })

  test('are counted by channel, kind, model and key, with the latest example', async () => {
    const context = await openCustomer()
    const attempts = [
      tried(81, 'auth: wrong key', { status: 401, key: 'k1' }),
      tried(81, 'upstream_fault: first: boom', { key: 'k2' }),
      tried(82, ''),
    ]
    await world.node.flush({ records: [settled(context('a'), 3, { channel: 82, attempts })] })
    const again = [tried(81, 'upstream_fault: second', { status: 502, key: 'k2' })]
    await world.node.flush({ records: [voided(context('b'), { channel: 81, attempts: again })] })
    expect(await faultsOf(81)).toMatchObject([
      { kind: 'auth', key: 'k1', faults: 1, status: 401, reason: 'wrong key', request_id: 'a' },
      { kind: 'upstream_fault', key: 'k2', faults: 2, status: 502, reason: 'second' },
    ])
    expect(await faultsOf(81)).toMatchObject([{}, { request_id: 'b', model_name: 'gpt-4o' }])
    expect(await faultsOf(82)).toEqual([])
  })

  test('of a client are none: refused requests, clients that left, hedges that lost', async () => {
    const context = await openCustomer()
    const reasons = [
      'invalid_request: no such field',
      'context_length: too long',
      'content_policy: no',
      'not_offered: no',
      'client_left',
      'late_one_spoke',
      'overtaken',
      'unfinished',
    ]
    const attempts = reasons.map((reason) => tried(83, reason))
    await world.node.flush({ records: [voided(context('c'), { channel: 83, attempts })] })
    expect(await faultsOf(83)).toEqual([])
  })
})
