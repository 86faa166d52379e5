import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { DATABASES, type DatabaseKind, openTestDatabase } from '../harness/databases.ts'
import { type RunningServer, startServer } from '../harness/start-server.ts'
import { type ChaosWorld, openChaosWorld } from './chaos-world.ts'
import { checkAnswered, checkBooks } from './checks.ts'
import { Clients } from './clients.ts'
import { killAgainAndAgain } from './kill-again-and-again.ts'

/** `npm run chaos` kills a thousand times on each database. */
const KILLS = 3
const KILLS_MS_MAX = 180_000
const QUOTA = 1_000_000_000

const undo: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

async function open(
  kind: DatabaseKind,
  parts: Parameters<typeof openChaosWorld>[1],
): Promise<ChaosWorld> {
  const place = await openTestDatabase(kind)
  undo.push(() => place.close())
  const world = await openChaosWorld(place, parts)
  undo.push(() => world.close())
  return world
}

async function start(variables: ChaosWorld['variables']): Promise<RunningServer> {
  const server = await startServer(variables)
  undo.push(() => server.stop('SIGKILL'))
  return server
}

/**
 * Sends up to `total` requests, `atOnce` in parallel, until `isEnough`; half of them are streams.
 */
async function askAtOnce(
  clients: Clients,
  urls: readonly string[],
  { total, atOnce, isEnough }: Asking,
) {
  let asked = 0
  const loop = async () => {
    while (asked < total && !isEnough()) {
      asked += 1
      await clients.ask(urls[asked % urls.length] ?? '', asked % 4 < 2)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, loop))
}

type Asking = { total: number; atOnce: number; isEnough: () => boolean }

async function sums({ database: { kysely }, user, token, channel }: ChaosWorld) {
  const owner = kysely.selectFrom('users').selectAll().where('id', '=', user)
  const key = kysely.selectFrom('tokens').selectAll().where('id', '=', token)
  const used = kysely.selectFrom('channels').select('used_quota').where('id', '=', channel)
  const logs = kysely.selectFrom('logs').selectAll().where('request_id', 'is not', null)
  const hours = await kysely.selectFrom('rollups').select(['quota', 'requests']).execute()
  return {
    owner: await owner.executeTakeFirstOrThrow(),
    key: await key.executeTakeFirstOrThrow(),
    channel: await used.executeTakeFirstOrThrow(),
    logs: await logs.execute(),
    hours: { quota: sum(hours, 'quota'), requests: sum(hours, 'requests') },
  }
}

const sum = <Name extends string>(rows: readonly Record<Name, number>[], name: Name) =>
  rows.reduce((total, row) => total + row[name], 0)

describe.each(DATABASES)('on %s', (kind) => {
  test(
    'kill -9 at any moment: each answer is billed once, nothing is held, the books add up',
    { timeout: KILLS_MS_MAX },
    async () => {
      const world = await open(kind, { quota: QUOTA, tokenQuota: QUOTA })
      const { wrong, refused, ...counted } = await killAgainAndAgain(world, { kills: KILLS })
      expect(wrong).toEqual([])
      expect([...refused.keys()]).toEqual([])
      expect(counted.answered).toBeGreaterThan(0)
      expect(counted.raised).toBeGreaterThan(0)
    },
  )

  test(
    'kill -9 when 150 of 250 are served, 64 at once: every sum is exact',
    { timeout: KILLS_MS_MAX },
    async () => {
      const world = await open(kind, { quota: QUOTA, tokenQuota: QUOTA })
      const server = await start(world.variables)
      const clients = new Clients(world.key)
      const isEnough = () => {
        const isServed = clients.answered.size >= 150
        if (isServed) server.process.kill('SIGKILL')
        return isServed
      }
      await askAtOnce(clients, [server.url], { total: 250, atOnce: 64, isEnough })
      expect(await (await start(world.variables)).stop('SIGTERM')).toBe(0)
      expect(await checkAnswered(world.database, clients.answered)).toEqual([])
      expect(await checkBooks(world.database)).toEqual([])

      const { owner, key, channel, logs, hours } = await sums(world)
      const charged = sum(logs, 'quota')
      expect(owner).toMatchObject({ quota: QUOTA - charged, quota_leased: 0, used_quota: charged })
      expect(key).toMatchObject({
        remain_quota: QUOTA - charged,
        quota_leased: 0,
        used_quota: charged,
      })
      expect(channel.used_quota).toBe(charged)
      expect(hours).toEqual({ quota: charged, requests: logs.length })
      expect(owner.request_count).toBe(logs.length)
      expect(sum(logs, 'uncollected')).toBe(0)
    },
  )
})

test(
  '300 concurrent requests on a balance for 10, on two nodes: no more is served than is paid for',
  { timeout: KILLS_MS_MAX },
  async () => {
    const balance = 10 * 150
    const world = await open('postgres', { quota: balance })
    const folder = await mkdtemp(path.join(tmpdir(), 'tollgate-node-'))
    undo.push(() => rm(folder, { recursive: true, force: true }))
    const servers = [
      await start(world.variables),
      await start({ ...world.variables, DATA_DIR: folder }),
    ]
    const clients = new Clients(world.key, { asked: { max_tokens: 400 } })
    const urls = servers.map(({ url }) => url)
    await askAtOnce(clients, urls, { total: 300, atOnce: 300, isEnough: () => false })
    for (const server of servers) expect(await server.stop('SIGTERM')).toBe(0)

    expect(await checkAnswered(world.database, clients.answered)).toEqual([])
    expect(await checkBooks(world.database)).toEqual([])
    const { owner, logs } = await sums(world)
    const charged = sum(logs, 'quota')
    expect(owner.quota).toBe(balance - charged)
    expect(owner.quota).toBeGreaterThanOrEqual(0)
    expect(sum(logs, 'uncollected')).toBe(0)
    expect(clients.answered.size).toBeGreaterThanOrEqual(10)
    expect(
      clients.answered.size +
        sum(
          [...clients.refused.values()].map((count) => ({ count })),
          'count',
        ),
    ).toBe(300)
  },
)
