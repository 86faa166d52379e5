import { afterAll, beforeAll, expect, test } from 'vitest'
import { QUOTA_MAX } from '@tollgate/contract'
import { request } from '../../../testing/ledger/ledger-world.ts'
import { spend } from '../../../testing/ledger/spend.ts'
import { idOf, type Person, rowsOf, tokenForm } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { nextPeriodStart } from '../../domain/budget-period.ts'
import { audit } from '../../ledger/audit/audit.ts'

describePlanes('budgets of tokens on %s', [], ({ plane }) => {
  let owner: Person

  beforeAll(async () => {
    owner = await plane.addPerson(1, 10_000)
  })
  afterAll(async () => {
    expect(await audit(plane.database)).toEqual([])
  })

  const create = (form: object = {}) =>
    plane.call('POST', '/api/token/', { as: owner, body: { ...tokenForm, ...form } })
  const save = (body: object, query = '') =>
    plane.call('PUT', `/api/token/${query}`, { as: owner, body: { ...tokenForm, ...body } })
  const show = async (id: number) =>
    (await plane.call('GET', `/api/token/${id}`, { as: owner })).data

  const MONTHLY = { budget_quota: 500, budget_period: 'month' } as const
  const NONE = { budget_quota: 0, budget_period: '', budget_left: 0, budget_reset_time: 0 }
  const nextMonth = () => nextPeriodStart('month', Math.floor(plane.clock.now / 1000))

  const LIMITS = { tokenLimited: true, budget: 'month' } as const
  const use = (tokenId: number, cost: number) => {
    const at = Math.floor(plane.clock.now / 1000)
    return spend(plane.ledger, { by: owner, tokenId, cost, at, request: LIMITS })
  }

  test('a token has none unless it is given one, which is then shown', async () => {
    expect((await create()).data).toMatchObject(NONE)
    const answer = await create(MONTHLY)
    const shown = { ...MONTHLY, budget_left: 500, budget_reset_time: nextMonth() }
    expect(answer.data).toMatchObject(shown)
    expect(await show(idOf(answer))).toMatchObject(shown)
  })

  test('lists and searches show what is left of the running period', async () => {
    const id = idOf(await create({ ...MONTHLY, name: 'spender' }))
    await use(id, 120)
    const shown = { budget_left: 380, remain_quota: 880, budget_reset_time: nextMonth() }
    expect(await show(id)).toMatchObject(shown)
    const found = await plane.call('GET', '/api/token/search?keyword=spender', { as: owner })
    expect(rowsOf(found)).toMatchObject([{ id, ...shown }])
    const list = rowsOf(await plane.call('GET', '/api/token/?size=100', { as: owner }))
    expect(list.find((row) => row['id'] === id)).toMatchObject(shown)
  })

  test('an edit changes the running period and keeps what was spent in it', async () => {
    const id = idOf(await create(MONTHLY))
    await use(id, 200)
    const raised = await save({ id, ...MONTHLY, budget_quota: 900 })
    expect(raised.data).toMatchObject({ budget_quota: 900, budget_left: 700 })
    const lowered = await save({ id, ...MONTHLY, budget_quota: 100 })
    expect(lowered.data).toMatchObject({ budget_quota: 100, budget_left: 0 })
    const outcome = await plane.ledger.hold(request(owner.id, id, LIMITS), { min: 1, max: 1 })
    expect(outcome).toMatchObject({ type: 'insufficient', account: 'budget' })
    expect((await save({ id, budget_quota: 0, budget_period: '' })).data).toMatchObject(NONE)
  })

  test('an edit by a client without budgets leaves them unchanged', async () => {
    const id = idOf(await create(MONTHLY))
    const renamed = await save({ id, name: 'renamed' })
    expect(renamed.data).toMatchObject({ name: 'renamed', ...MONTHLY })
    const off = await save({ id, status: 2 }, '?status_only=true')
    expect(off.data).toMatchObject({ status: 2, ...MONTHLY, budget_left: 500 })
    const raised = await save({ id, budget_quota: 700 })
    expect(raised.data).toMatchObject({ ...MONTHLY, budget_quota: 700 })
  })

  test.each([
    ['another period', { budget_period: 'year' }],
    ['a budget below 0', { budget_quota: -1 }],
    ['a budget beyond the largest', { budget_quota: QUOTA_MAX + 1 }],
  ])('refuses %s and changes nothing', async (_, form) => {
    const id = idOf(await create(MONTHLY))
    for (const answer of [await create({ ...MONTHLY, ...form }), await save({ id, ...form })]) {
      expect([answer.status, answer.success]).toEqual([200, false])
      expect(answer.message).toMatch(/budget_/)
    }
    expect(await show(id)).toMatchObject(MONTHLY)
  })
})
