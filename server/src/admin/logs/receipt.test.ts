import { beforeAll, expect, test } from 'vitest'
import { LOG_TYPE, ROLE } from '@tollgate/contract'
import { spend } from '../../../testing/ledger/spend.ts'
import { CHARGE_BASIS } from '../../../testing/worlds/charge-basis.ts'
import { idsOf, type Person, rowsOf } from '../../../testing/worlds/control-plane.ts'
import { describePlane } from '../../../testing/worlds/describe-planes.ts'
import { setRow } from '../../../testing/worlds/rows.ts'
import { insertNote } from '../../store/logs.ts'

/** Defaults for attempts recorded before hedging and stream failover existed. */
const NOTHING_SPECIAL = {
  hedged: false,
  rescued: false,
  session: false,
  adapted: [],
  model: '',
  key: '',
  prompt_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  completion_tokens: 0,
  cost: 0,
  cost_source: '',
  unbilled_prompt_tokens: 0,
  unbilled_completion_tokens: 0,
  unbilled_quota: 0,
}

describePlane('receipts', ['admin'], ({ plane, admin }) => {
  let alice: Person
  let tokenId: number
  let channel: number

  beforeAll(async () => {
    alice = await plane.addPerson(ROLE.user, 1000)
    tokenId = await plane.addToken(alice)
    channel = await plane.addChannel(admin, { name: 'second' })
  })

  const attempts = () => [
    { channel: 9999, status: 500, reason: 'upstream 9999 is down', milliseconds: 70 },
    { channel, status: 0, reason: 'timeout: nothing came', milliseconds: 50 },
    { channel, status: 200, reason: '', milliseconds: 800 },
  ]

  /** Runs a request of alice through the ledger. */
  const use = (parts: Partial<Parameters<typeof spend>[1]> = {}) =>
    spend(plane.ledger, {
      by: alice,
      tokenId,
      channel,
      cost: 30,
      hold: 100,
      at: 1_700_000_000,
      upstreamModel: 'upstream-name',
      attempts: attempts(),
      basis: CHARGE_BASIS,
      ...parts,
    })

  const ask = (id: number, as: Person) => plane.call('GET', `/api/log/${id}/receipt`, { as })

  const read = async (id: number, as: Person) => {
    const answer = await ask(id, as)
    expect(answer.success, answer.message).toBe(true)
    return answer.data
  }

  const newest = async () => {
    // A reader may be a tenth of a second behind on other users' requests.
    await plane.ledger.flush()
    const answer = await plane.call('GET', '/api/log/?size=1', { as: admin })
    const [row] = rowsOf(answer)
    return { row, id: idsOf(answer)[0] ?? 0 }
  }

  test('only administrators see what a request cost at its provider', async () => {
    const [first, second, served] = attempts()
    const cost = { cost: 4500, cost_source: 'factor', prompt_tokens: 7, key: 'fingerpr' } as const
    const tried = [first, second, served && { ...served, ...cost }].flatMap((one) => one ?? [])
    await use({ attempts: tried, providerCost: 4500 })
    const { row, id } = await newest()
    expect(row).toMatchObject({ provider_cost: 4500, channel_name: 'second' })
    expect(await read(id, admin)).toMatchObject({ provider_cost: 4500, attempts: [{}, {}, cost] })
    for (const path of [
      `/api/log/${id}/receipt`,
      '/api/log/self',
      '/api/log/self/search?keyword=',
      '/api/user/self',
      '/api/user/dashboard',
      `/api/stat/self?start_timestamp=1&end_timestamp=${86_400 * 300}`,
    ]) {
      const { text } = await plane.call('GET', path, { as: alice })
      expect(text).not.toMatch(/provider_cost|costed|cost_source|fingerpr/)
    }
  })

  test('only administrators see the name of a feed, which may name the provider', async () => {
    const price_version = 'feed:Upstream gateway 2026-11-27+options'
    await use({ basis: { ...CHARGE_BASIS, price_version } })
    const { row, id } = await newest()
    expect(row).toMatchObject({ default_price: false })
    expect(await read(id, admin)).toMatchObject({ basis: { price_version } })
    expect(await read(id, alice)).toMatchObject({
      basis: { price_version: 'feed 2026-11-27+options' },
    })
  })

  test('a charge at the default ratio is marked', async () => {
    await use({ basis: { ...CHARGE_BASIS, price_version: 'default' } })
    expect((await newest()).row).toMatchObject({ default_price: true })
  })

  test('an administrator sees what was charged, and every attempt by channel name', async () => {
    await use()
    const { row, id } = await newest()
    expect(await read(id, admin)).toEqual({
      ...row,
      quota: 30,
      attempts: attempts().map((attempt) => ({
        ...NOTHING_SPECIAL,
        ...attempt,
        channel_name: attempt.channel === channel ? 'second' : '',
      })),
      attempt_count: 3,
      lost: 120,
      held: 100,
      basis: CHARGE_BASIS,
      disconnect_policy: 'drain',
    })
  })

  test('a user sees the number and the duration of attempts, without channels', async () => {
    const { id } = await newest()
    const receipt = await read(id, alice)
    expect(receipt).toMatchObject({
      channel: 0,
      channel_name: '',
      upstream_model: '',
      attempts: [],
      attempt_count: 3,
      lost: 120,
      held: 100,
      basis: { ...CHARGE_BASIS, price_model: 'gpt-4o' },
    })
    expect(JSON.stringify(receipt)).not.toMatch(/upstream-name|9999|second|timeout/)
  })

  test('hedges and failover attempts are shown, with their upstream cost', async () => {
    const plain = { channel, status: 200, reason: '', milliseconds: 5 }
    const special = {
      hedged: true,
      rescued: true,
      adapted: ['temperature'],
      unbilled_prompt_tokens: 7,
      unbilled_completion_tokens: 3,
      unbilled_quota: 2,
    }
    const ratios = { model_ratio: 1, completion_ratio: 1 }
    const priced = { price_model: 'upstream-name', price_version: '1' }
    const part = { ...priced, ...ratios, completion_tokens: 2 }
    const basis = { ...CHARGE_BASIS, rescued: [part] }
    await use({ attempts: [plain, { ...plain, ...special }], basis })
    const { id } = await newest()
    expect(await read(id, admin)).toMatchObject({
      attempts: [NOTHING_SPECIAL, special],
      basis: { rescued: [part] },
    })
    const own = await read(id, alice)
    expect(own).toMatchObject({ basis: { rescued: [{ ...part, price_model: 'gpt-4o' }] } })
    expect(JSON.stringify(own)).not.toContain('upstream-name')
  })

  test('a voided request still shows its hold and its attempts', async () => {
    await use({ fails: true, attempts: attempts().slice(0, 2) })
    const { id } = await newest()
    expect(await read(id, alice)).toMatchObject({
      outcome: 'void',
      quota: 0,
      held: 100,
      attempt_count: 2,
      lost: 120,
      basis: null,
      disconnect_policy: 'drain',
    })
  })

  test('a row that is not a request has only its own fields', async () => {
    const note = { user_id: alice.id, username: alice.username, type: LOG_TYPE.manage }
    await plane.database.transaction((tx) =>
      insertNote(tx, { ...note, content: 'Quota changed', created_at: 1 }),
    )
    const { row, id } = await newest()
    const rest = { attempts: [], attempt_count: 0, lost: 0, held: 0, basis: null }
    expect(await read(id, admin)).toEqual({ ...row, ...rest, disconnect_policy: '' })
  })

  test('rows of earlier versions show the hold of their basis, and broken rows what is readable', async () => {
    const { id } = await newest()
    const store = (attempts: string, basis: string) =>
      setRow(plane, 'logs', id, { attempts, basis, outcome: 'settled' })
    await store('[]', JSON.stringify(CHARGE_BASIS))
    expect(await read(id, admin)).toMatchObject({ held: 100, basis: CHARGE_BASIS })
    await store('{', '{"cost":-1}')
    expect(await read(id, admin)).toMatchObject({ attempts: [], basis: null, held: 0 })
  })
})
