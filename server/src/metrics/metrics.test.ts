import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type ChaosWorld, openChaosWorld } from '../../testing/chaos/chaos-world.ts'
import { Clients } from '../../testing/chaos/clients.ts'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { findFreePort } from '../../testing/harness/postgres.ts'
import { startServer } from '../../testing/harness/start-server.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'

const QUOTA = 1_000_000_000
const QUOTA_PER_DOLLAR = 500_000
const TOKEN = 'a-token-of-the-metrics'

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

async function open(variables: Record<string, string>) {
  const place = await openTestDatabase('sqlite')
  undo.push(() => place.close())
  const world = await openChaosWorld(place, { quota: QUOTA, tokenQuota: QUOTA })
  undo.push(() => world.close())
  const port = await findFreePort()
  const server = await startServer({ ...world.variables, METRICS_PORT: String(port), ...variables })
  undo.push(() => server.stop('SIGTERM'))
  return { world, server, metricsUrl: `http://127.0.0.1:${port}/metrics` }
}

/** The samples of a scrape, by name with labels. */
async function scrape(url: string): Promise<Map<string, number>> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const response = await fetch(url, { headers })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const lines = (await response.text()).split('\n').filter((line) => /^[a-z]/.test(line))
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}

const MONITORING = join(import.meta.dirname, '../../../deploy/monitoring')

/** Names of metrics in the dashboard and the alert rules. */
function monitoredNames(): string[] {
  const text = ['dashboard.json', 'rules.yml']
    .map((name) => readFileSync(join(MONITORING, name), 'utf8'))
    .join('\n')
  return [...new Set(text.match(/\b(?:tollgate|nodejs|process)_[a-z0-9_]+/g))]
}

const sumOf = (samples: ReadonlyMap<string, number>, name: string) =>
  [...samples].reduce((sum, [key, value]) => (key.startsWith(`${name}{`) ? sum + value : sum), 0)

async function chargesOf({ database: { kysely } }: ChaosWorld) {
  const rows = await kysely
    .selectFrom('logs')
    .select(['quota', 'prompt_tokens', 'completion_tokens'])
    .where('request_id', 'is not', null)
    .execute()
  return {
    requests: rows.length,
    dollars: rows.reduce((sum, { quota }) => sum + quota, 0) / QUOTA_PER_DOLLAR,
    tokens: rows.reduce((sum, row) => sum + row.prompt_tokens + row.completion_tokens, 0),
  }
}

test('a scrape agrees with the log, and shows channels, ledger and process', async () => {
  const { world, server, metricsUrl } = await open({})
  const clients = new Clients(world.key)
  for (let asked = 0; asked < 6; asked += 1) await clients.ask(server.url, asked % 2 === 0)
  await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-unknown', 'content-type': 'application/json' },
    body: '{}',
  })
  await waitUntil(async () => (await chargesOf(world)).requests === 6)
  const samples = await scrape(metricsUrl)
  const { dollars, tokens } = await chargesOf(world)
  const streamed = (stream: boolean) =>
    samples.get(
      `tollgate_requests_total{model="gpt-4o-mini",outcome="settled",reason="finished",stream="${stream}"}`,
    )
  expect([streamed(true), streamed(false)]).toEqual([3, 3])
  expect(dollars).toBeGreaterThan(0)
  expect(sumOf(samples, 'tollgate_charged_dollars_total')).toBeCloseTo(dollars, 9)
  expect(sumOf(samples, 'tollgate_tokens_total')).toBe(tokens)
  expect(samples.get('tollgate_refusals_total{status="401",code="invalid_api_key"}')).toBe(1)
  expect(
    samples.get(`tollgate_upstream_attempts_total{channel="${world.channel}",status="200"}`),
  ).toBe(6)
  expect(samples.get(`tollgate_first_token_seconds_count{channel="${world.channel}"}`)).toBe(3)
  expect(samples.get('tollgate_request_duration_seconds_count{stream="false"}')).toBe(3)
  const up = [...samples].find(([key]) => key.startsWith('tollgate_channel_up{'))
  expect(up?.[1]).toBe(1)
  const ofChannel = up?.[0].replace('tollgate_channel_up', '')
  expect(samples.get(`tollgate_channel_keys${ofChannel}`)).toBe(1)
  expect(samples.get(`tollgate_channel_refused_keys${ofChannel}`)).toBe(0)
  expect(samples.get('tollgate_client_connections')).toBeGreaterThan(0)
  expect(sumOf(samples, 'tollgate_provider_cost_dollars_total')).toBeGreaterThan(0)
  expect(samples.get('tollgate_holds')).toBe(0)
  expect(samples.get('tollgate_database_up')).toBe(1)
  expect(samples.get('tollgate_journal_up')).toBe(1)
  expect(samples.get('tollgate_ledger_faults')).toBe(0)
  expect(samples.get('tollgate_leased_dollars')).toBeGreaterThan(0)
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(0)
  expect([...samples.keys()].some((key) => key.startsWith('nodejs_eventloop_lag_p99'))).toBe(true)
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404)
  const names = new Set([...samples.keys()].map((key) => key.replace(/\{.*/, '')))
  const missing = monitoredNames().filter((name) => !names.has(name))
  // SQLite has no pools.
  expect(missing.filter((name) => !/_database_(?:connections|waiting)/.test(name))).toEqual([])
})

test('one scrape has the requests of all workers, and needs the token', async () => {
  const { world, server, metricsUrl } = await open({ METRICS_TOKEN: TOKEN, WORKERS: '2' })
  const clients = new Clients(world.key)
  await Promise.all(Array.from({ length: 20 }, () => clients.ask(server.url, false)))
  expect(clients.answered.size).toBe(20)
  const samples = await scrape(metricsUrl)
  expect(sumOf(samples, 'tollgate_requests_total')).toBe(20)
  expect(samples.get('tollgate_database_up')).toBe(1)
  for (const headers of [{}, { authorization: 'Bearer another-token-of-metrics' }]) {
    expect((await fetch(metricsUrl, { headers })).status).toBe(401)
  }
  expect((await fetch(metricsUrl.replace('/metrics', '/'))).status).toBe(404)
})
