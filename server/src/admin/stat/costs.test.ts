import { beforeAll, expect, test } from 'vitest'
import { type CostRow, ROLE, statEndpoints } from '@tollgate/contract'
import { spend } from '../../../testing/ledger/spend.ts'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { listCosts } from '../../store/costs.ts'

const HOUR = 3600
const AT = 500_000 * HOUR

const rowsOf = (data: unknown): CostRow[] => statEndpoints.listCosts.parts.data.parse(data)

describePlanes('what requests cost at providers, on %s', [], ({ plane }) => {
  let admin: Person
  let user: Person
  let other: Person

  beforeAll(async () => {
    plane.clock.now = AT * 1000
    admin = await plane.addPerson(ROLE.admin)
    user = await plane.addPerson(ROLE.user, 1000)
    other = await plane.addPerson(ROLE.user, 1000)
    const tokenId = await plane.addToken(user)
    const tokenOfOther = await plane.addToken(other)
    const attempt = (channel: number, cost: number) =>
      ({ channel, status: 200, reason: '', milliseconds: 1, cost, cost_source: 'list' }) as const
    const spending = { by: user, tokenId, at: AT, channel: 2 }
    const attempts = [attempt(1, 400), attempt(2, 600)]
    await spend(plane.ledger, { ...spending, cost: 30, model: 'a', attempts, providerCost: 1000 })
    await spend(plane.ledger, { ...spending, cost: 20, model: 'b, c' })
    plane.clock.now = (AT + 2 * HOUR) * 1000
    const late = { ...spending, at: AT + 2 * HOUR, cost: 10, model: 'a' }
    await spend(plane.ledger, { ...late, attempts: [attempt(2, 5)], providerCost: 5 })
    await spend(plane.ledger, { ...late, by: other, tokenId: tokenOfOther, cost: 70 })
    // Sessions began at this time.
    plane.clock.now = AT * 1000
  })

  async function costs(query: string, as: Person = admin) {
    const span = `start_timestamp=${AT}&end_timestamp=${AT + HOUR}`
    return plane.call('GET', `/api/stat/costs?${span}&${query}`, { as })
  }

  const rowBy = (by: string) => (key: unknown, requests: number, amounts: readonly number[]) => {
    const [quota, provider_cost, costed_quota] = amounts
    return { by, key: String(key), requests, quota, provider_cost, costed_quota }
  }

  test('are summed by model, channel, user and group; unknown costs are left out', async () => {
    const by = async (names: string) => rowsOf((await costs(`by=${names}`)).data)
    const [model, channel] = [rowBy('model'), rowBy('channel')]
    const models = [model('a', 1, [30, 1000, 30]), model('b, c', 1, [20, 0, 0])]
    const channels = [channel(2, 2, [50, 600, 30]), channel(1, 0, [0, 400, 0])]
    const users = [rowBy('user')(user.id, 2, [50, 1000, 30])]
    const groups = [rowBy('group')('default', 2, [50, 1000, 30])]
    expect(await by('model')).toEqual(models)
    const all = [...groups, ...models, ...channels, ...users]
    expect(await by('group,model,channel,user')).toEqual(all)
  })

  test('caches save what reading costs less, minus what writing costs more', async () => {
    const at = AT + 48 * HOUR
    const prompt = { model_ratio: 1, cache_ratio: 0.1, cache_write_ratio: 1.25, prompt_tokens: 100 }
    plane.clock.now = at * 1000
    const own = { by: user, tokenId: 1, at }
    const foreign = { by: other, tokenId: 2, at }
    const reads = { ...prompt, cached_tokens: 80 }
    await spend(plane.ledger, { ...own, cost: 28, basis: reads })
    const writes = { ...prompt, cache_write_tokens: 40 }
    await spend(plane.ledger, { ...foreign, cost: 110, basis: writes })
    plane.clock.now = (at + HOUR) * 1000
    const later = { ...foreign, at: at + HOUR, cost: 64 }
    await spend(plane.ledger, { ...later, basis: { ...prompt, cached_tokens: 40 } })
    plane.clock.now = AT * 1000
    const saved = async (as: Person, path: string, hours = 2) => {
      const span = `start_timestamp=${at}&end_timestamp=${at + hours * HOUR - 1}&step=hour`
      const { data } = await plane.call('GET', `${path}?${span}&utc_offset=0`, { as })
      const { cache } = statEndpoints.getOwnUsage.parts.data.parse(data)
      return [cache.cached_tokens, cache.saved_quota]
    }
    expect(await saved(user, '/api/stat/self')).toEqual([80, 72])
    expect(await saved(other, '/api/stat/self', 1)).toEqual([0, -10])
    expect(await saved(other, '/api/stat/self')).toEqual([40, 26])
    expect(await saved(admin, '/api/stat/')).toEqual([120, 98])
    expect(await saved(admin, '/api/stat/self')).toEqual([0, 0])
  })

  test.each(['', 'token', 'model,', 'model,model'])('are not summed by "%s"', async (by) => {
    expect(await costs(`by=${by}`)).toMatchObject({
      success: false,
      message: expect.stringContaining('model, channel, user, group'),
    })
  })

  test('are listed for some ids or names only, if a list of them is given', async () => {
    const keys = (list: unknown) => `keys=${encodeURIComponent(JSON.stringify(list))}`
    const some = async (query: string) => rowsOf((await costs(query)).data).map(({ key }) => key)
    expect(await some(`by=channel&${keys(['1', '9'])}`)).toEqual(['1'])
    expect(await some(`by=model&${keys(['b, c'])}`)).toEqual(['b, c'])
    expect(await some(`by=user&${keys(["1' or 1=1"])}`)).toEqual([])
    for (const wrong of ['keys=1', 'keys=[1]', `${keys(Array.from({ length: 101 }, String))}`]) {
      expect(await costs(`by=user&${wrong}`)).toMatchObject({ success: false })
    }
  })

  test('are summed for the users of the highest rank', async () => {
    const hours = { firstHour: AT / HOUR, endHour: AT / HOUR + 3, offsetHours: 0 }
    const top = (limit: number) =>
      listCosts(plane.database.kysely, { by: 'user', keys: [], hours }, limit)
    const row = rowBy('user')
    expect(await top(1)).toEqual([row(other.id, 1, [70, 0, 0])])
    expect(await top(2)).toEqual([row(other.id, 1, [70, 0, 0]), row(user.id, 3, [60, 1005, 40])])
  })
})
