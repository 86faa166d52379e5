import { describe, expect, test } from 'vitest'
import { answerChat } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import {
  COST,
  readError,
  setUp,
  type Setup,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'
import { isRelayPath } from '../intake/paths.ts'

type Options = NonNullable<Setup['options']>

const PREFIXES = ['/dashboard/billing', '/v1/dashboard/billing']

const open = (setup: Setup) => setUp(answerChat(), setup)

function get({ url, key }: Pick<World, 'url' | 'key'>, path: string) {
  return fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
}

async function figures(world: World) {
  const subscription: unknown = await (await get(world, '/dashboard/billing/subscription')).json()
  const usage: unknown = await (await get(world, '/dashboard/billing/usage')).json()
  return { subscription, usage }
}

const subscription = (limit: number, access_until = 0) => ({
  object: 'billing_subscription',
  has_payment_method: true,
  soft_limit_usd: limit,
  hard_limit_usd: limit,
  system_hard_limit_usd: limit,
  access_until,
})

const usage = (total_usage: number) => ({ object: 'list', total_usage })

const expired_time = 4_000_000_000
const inUnits: Options = [['DisplayInCurrencyEnabled', 'false']]
const inDollars: Options = [['DisplayInCurrencyEnabled', 'true']]
const ofOwner: Options = [['DisplayTokenStatEnabled', 'false'], ...inUnits]

describe.each(DATABASES)('billing queries on %s', (kind) => {
  test('figures of a token are in dollars and cents, and current after each request', async () => {
    const world = await open({ kind, tokenQuota: 50_000, token: { expired_time } })
    const whole = { subscription: subscription(0.1, expired_time), usage: usage(0) }
    expect(await figures(world)).toEqual(whole)
    expect((await world.ask()).status).toBe(200)
    expect(await figures(world)).toEqual({ ...whole, usage: usage((COST * 100) / 500_000) })
  })

  test.each<[string, Setup, number, number]>([
    ['against the largest limit', { options: inUnits }, 100_000_000, COST * 100],
    ['which is the same figure in dollars', { options: inDollars }, 1e8, (COST * 100) / 500_000],
    ['of its owner', { quota: 1000, token: { expired_time }, options: ofOwner }, 1000, COST * 100],
  ])('a token without figures of its own shows its usage %s', async (...row) => {
    const [, setup, limit, used] = row
    const world = await open({ kind, ...setup })
    expect((await world.ask()).status).toBe(200)
    const shown = { subscription: subscription(limit), usage: usage(used) }
    expect(await figures(world)).toEqual(shown)
  })
})

test('both prefixes and both slash forms are served, and dates are ignored', async () => {
  const world = await open({ tokenQuota: 50_000 })
  for (const prefix of PREFIXES) {
    for (const path of ['usage', 'usage/', 'usage?start_date=2023-01-01&end_date=x']) {
      const answer = await get(world, `${prefix}/${path}`)
      expect([answer.status, await answer.json()]).toEqual([200, usage(0)])
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('x-oneapi-request-id')).toMatch(/^\d+$/)
    }
    expect((await get(world, `${prefix}/subscription/`)).status).toBe(200)
  }
})

test('billing queries count as calls of their address; relay requests do not', async () => {
  const world = await open({ options: [['GlobalApiRateLimit', '2']] })
  for (let count = 0; count < 3; count++) expect((await world.ask()).status).toBe(200)
  const path = '/v1/dashboard/billing/usage'
  expect([(await get(world, path)).status, (await get(world, path)).status]).toEqual([200, 200])
  const refused = await get(world, path)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await readError(refused)).toMatchObject({ code: 'rate_limit_exceeded' })
})

test('a key that may not send requests may not query its billing', async () => {
  const world = await open({ tokenQuota: 50_000 })
  const keys = {
    unknown: 'sk-unknown',
    disabled: (await world.addToken({ user: world.user, status: 2 })).key,
    expired: (await world.addToken({ user: world.user, expired_time: 1000 })).key,
    exhausted: (await world.addToken({ user: world.user, quota: 0 })).key,
  }
  for (const prefix of PREFIXES) {
    for (const [what, key] of Object.entries(keys)) {
      const answer = await get({ ...world, key }, `${prefix}/subscription`)
      expect(answer.status, what).toBe(401)
      expect((await readError(answer)).code).toBe('invalid_api_key')
    }
    const without = await fetch(`${world.url}${prefix}/usage`)
    expect(without.status).toBe(401)
    const { key } = await world.addToken({ user: world.user, subnet: '10.0.0.0/8' })
    expect((await get({ ...world, key }, `${prefix}/usage`)).status).toBe(403)
    const banned = await world.addUser({ status: 2 })
    const ofBanned = (await world.addToken({ user: banned })).key
    expect((await get({ ...world, key: ofBanned }, `${prefix}/usage`)).status).toBe(403)
  }
})

test('browsers may query billing, and no other path exists under these prefixes', async () => {
  const world = await open({})
  const preflight = await fetch(`${world.url}/dashboard/billing/usage`, { method: 'OPTIONS' })
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
    204,
    '*',
  ])
  const paths: [string, string][] = [
    ['POST', '/dashboard/billing/usage'],
    ['GET', '/dashboard/billing/credit_grants'],
    ['GET', '/v1/dashboard/billing/usage/x'],
    ['GET', '/v1/dashboard'],
  ]
  for (const [method, path] of paths) {
    const answer = await fetch(world.url + path, { method })
    expect(answer.status, path).toBe(404)
    expect((await readError(answer)).message).toContain(`Invalid URL (${method} ${path})`)
  }
})

test('the console keeps its own page at the path of the billing queries', () => {
  const relayed = [
    '/v1',
    '/v1/models',
    '/v1?x',
    '/v1beta/models',
    '/dashboard/billing/usage',
    '/dashboard/billing/x',
  ]
  const others = [
    '/',
    '/v10',
    '/v1betax',
    '/dashboard',
    '/dashboard/',
    '/dashboard/billing',
    '/dashboard?x',
    '/api/v1',
  ]
  expect(relayed.filter(isRelayPath)).toEqual(relayed)
  expect(others.filter(isRelayPath)).toEqual([])
})
