import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { redemptionEndpoints } from '@tollgate/contract'
import { rowsOf } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { notesOf, setRow, storedRows } from '../../../testing/worlds/rows.ts'

const URL = '/api/redemption/'
const DAY = 86_400

describePlanes('batches of redemption codes on %s', ['admin'], ({ plane, admin }) => {
  let now: number

  beforeAll(async () => {
    now = Math.floor(plane.clock.now / 1000)
  })

  const make = async (body: object) => {
    const answer = await plane.done('POST', URL, { as: admin, body: { quota: 1000, ...body } })
    return z.array(z.string()).parse(answer.data)
  }

  const redeem = async (key: string) => {
    const as = await plane.addPerson()
    return plane.call('POST', '/api/user/topup', { as, body: { key } })
  }

  const keysOf = async (query: string) => {
    const answer = await plane.call('GET', `${URL}?size=100&${query}`, { as: admin })
    return rowsOf(answer).map((row) => row['key'])
  }

  const batchOf = async (name: string) => {
    const { data } = await plane.call('GET', `${URL}batches`, { as: admin })
    const batches = redemptionEndpoints.listRedemptionBatches.parts.data.parse(data)
    return batches.find(({ batch }) => batch === name)
  }

  const idOf = async (key: string) => (await storedRows(plane, 'redemptions', { key }))[0]?.id ?? 0

  const expire = async (key: string, expired_time: number) =>
    setRow(plane, 'redemptions', await idOf(key), { expired_time })

  const setStatus = (batch: string, status: number) =>
    plane.call('PUT', `${URL}batches`, { as: admin, body: { batch, status } })

  test('codes are counted by state, and a batch is disabled and enabled as a whole', async () => {
    const [used = '', open = ''] = await make({ name: 'may', batch: 'May sale', count: 3 })
    const [more = ''] = await make({ name: 'may 2', batch: 'May sale' })
    const [expired = ''] = await make({ name: 'may', batch: 'May sale', expired_time: now + 9 })
    const [other = ''] = await make({ name: 'June' })
    await expire(expired, now)
    expect((await redeem(used)).success).toBe(true)
    expect(await batchOf('May sale')).toEqual({
      batch: 'May sale',
      created_time: now,
      unused: 3,
      used: 1,
      disabled: 0,
      disabled_with_batch: 0,
      expired: 1,
      unused_quota: 3000,
    })
    expect(await batchOf('June')).toMatchObject({ unused: 1 })

    expect(await setStatus('May sale', 2)).toMatchObject({ success: true, data: 4 })
    expect(await batchOf('May sale')).toMatchObject({ unused: 0, used: 1, disabled: 4 })
    expect((await redeem(open)).success).toBe(false)
    expect((await redeem(other)).success).toBe(true)
    const notes = await notesOf(plane, admin.id)
    expect(notes.at(-1)?.content).toBe('Disabled 4 redemption codes of the batch "May sale"')
    expect(await setStatus('May sale', 1)).toMatchObject({ success: true, data: 4 })
    expect((await redeem(more)).success).toBe(true)
    expect(await setStatus('no such batch', 2)).toMatchObject({ success: true, data: 0 })
    expect((await setStatus('May sale', 3)).message).toContain('"status"')
  })

  test('codes that were disabled one by one stay disabled when the batch is enabled', async () => {
    const [alone = '', reviewed = '', other = ''] = await make({ name: 'vip', count: 3 })
    const disable = async (key: string) => {
      const body = { id: await idOf(key), status: 2 }
      await plane.done('PUT', `${URL}?status_only=true`, { as: admin, body })
    }
    await disable(alone)
    expect(await setStatus('vip', 2)).toMatchObject({ success: true, data: 2 })
    await disable(reviewed)
    expect(await batchOf('vip')).toMatchObject({ disabled: 3, disabled_with_batch: 1 })
    expect(await setStatus('vip', 1)).toMatchObject({ success: true, data: 1 })
    expect(await batchOf('vip')).toMatchObject({ unused: 1, disabled: 2, disabled_with_batch: 0 })
    expect((await redeem(alone)).success).toBe(false)
    expect((await redeem(reviewed)).success).toBe(false)
    expect((await redeem(other)).success).toBe(true)
  })

  test('the list is filtered by batch, state, expiry and keyword', async () => {
    const [week = ''] = await make({ name: 'w', batch: 'mixed', expired_time: now + 6 * DAY })
    const [month = ''] = await make({ name: 'm', batch: 'mixed', expired_time: now + 20 * DAY })
    const [never = ''] = await make({ name: 'n', batch: 'mixed' })
    const [gone = ''] = await make({ name: 'g', batch: 'mixed', expired_time: now + 1 })
    await expire(gone, now - 1)
    expect((await redeem(never)).success).toBe(true)
    const expected: [string, string[]][] = [
      ['batch=mixed', [gone, never, month, week]],
      ['batch=mixed&sort=id&order=asc', [week, month, never, gone]],
      ['batch=mixed&state=unused', [month, week]],
      ['batch=mixed&state=used', [never]],
      ['batch=mixed&state=expired', [gone]],
      ['batch=mixed&state=disabled', []],
      ['batch=mixed&expiry=week', [week]],
      ['batch=mixed&expiry=month', [month, week]],
      ['batch=mixed&expiry=never', [never]],
      [`batch=mixed&keyword=${month}`, [month]],
      ['batch=mixe', []],
    ]
    for (const [query, keys] of expected) expect(await keysOf(query), query).toEqual(keys)
    const wrong = await plane.call('GET', `${URL}?state=lost`, { as: admin })
    expect(wrong.message).toContain('"state"')
  })
})
