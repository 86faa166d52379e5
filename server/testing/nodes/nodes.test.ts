import { execFile } from 'node:child_process'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { checkAnswered, checkBooks } from '../chaos/checks.ts'
import { Clients } from '../chaos/clients.ts'
import { startTickingStreams } from '../fakes/ticking-streams.ts'
import type { RunningServer } from '../harness/start-server.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { atEnd, newFolder, openNodeWorld } from './node-world.ts'

const TIMEOUT_MS = 120_000

const clockAhead = (milliseconds: number) => ({
  NODE_OPTIONS: `--import data:text/javascript,const%20now=Date.now;Date.now=()=>now()%2B(${milliseconds})`,
})

async function signIn(url: string): Promise<string> {
  const body = JSON.stringify({ username: 'somebody', password: 'a long password' })
  for (const verb of ['register', 'login']) {
    const response = await fetch(`${url}/api/user/${verb}`, { method: 'POST', body })
    expect(await response.json()).toMatchObject({ success: true })
    if (verb === 'register') continue
    return response.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ')
  }
  return ''
}

test(
  'clocks 20 s apart and a kill -9: each answer is billed once, and a session is valid at both nodes',
  { timeout: TIMEOUT_MS },
  async () => {
    const world = await openNodeWorld()
    const DATA_DIR = await newFolder()
    const ahead = await world.startNode({ ...clockAhead(10_000), DATA_DIR })
    const behind = await world.startNode(clockAhead(-10_000))
    const cookie = await signIn(ahead.url)
    const self = await fetch(`${behind.url}/api/user/self`, { headers: { cookie } })
    expect(await self.json()).toMatchObject({ success: true })

    const clients = [ahead, behind].map(({ url }) => {
      const ofNode = new Clients(world.key)
      ofNode.url = url
      ofNode.start(4)
      return ofNode
    })
    const [first, second] = clients
    await waitUntil(async () => clients.every(({ answered }) => answered.size > 20))
    await ahead.stop('SIGKILL')
    const again = await world.startNode({ ...clockAhead(10_000), DATA_DIR })
    if (first) first.url = again.url
    const before = clients.map(({ answered }) => answered.size)
    await waitUntil(async () =>
      clients.every(({ answered }, index) => answered.size > (before[index] ?? 0) + 20),
    )
    await Promise.all(clients.map((ofNode) => ofNode.stop()))
    for (const node of [again, behind]) expect(await node.stop('SIGTERM')).toBe(0)
    expect(second?.refused.size).toBe(0)
    for (const { answered } of clients) {
      expect(await checkAnswered(world.database, answered)).toEqual([])
    }
    expect(await checkBooks(world.database)).toEqual([])
  },
)

/** `OPEN_STREAMS=10000` opens as many; it needs `ulimit -n 65536`. */
const OPEN_STREAMS = Number(process.env['OPEN_STREAMS'] ?? 300)
/** A thousand events per second, and a slow machine may take long to open ten thousand streams. */
const TICK_MS = OPEN_STREAMS
const OPEN_MS_MAX = 60_000
/** A process opens at most 4096 connections to a provider. */
const WORKERS = Math.ceil(OPEN_STREAMS / 4000)

/** Resolves with the text of each stream, or null if its connection broke. */
function openStreams({ url }: RunningServer, key: string): Promise<string | null>[] {
  const agent = new Agent({ maxSockets: Infinity })
  atEnd(() => agent.destroy())
  const ask = () =>
    new Promise<string | null>((resolve) => {
      const asked = request(`${url}/v1/chat/completions`, {
        method: 'POST',
        agent,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      })
      asked.on('error', () => resolve(null))
      asked.on('response', (response) => void text(response).then(resolve, () => resolve(null)))
      const messages = [{ role: 'user', content: 'hi' }]
      asked.end(JSON.stringify({ model: 'gpt-4o-mini', messages, stream: true, max_tokens: 100 }))
    })
  return Array.from({ length: OPEN_STREAMS }, ask)
}

test(
  'SIGTERM with many open streams: no new request is taken, all streams end whole, and all are charged',
  { timeout: TIMEOUT_MS },
  async () => {
    const world = await openNodeWorld()
    const provider = await startTickingStreams(TICK_MS)
    atEnd(() => provider.close())
    const { kysely } = world.database
    await kysely.updateTable('channels').set({ base_url: provider.baseUrl }).execute()
    const server = await world.startNode({ WORKERS: String(WORKERS), LOG_LEVEL: 'info' })
    const readyWorkers = () => server.output().split('a worker is ready').length - 1
    await waitUntil(async () => WORKERS === 1 || readyWorkers() === WORKERS)
    const texts = openStreams(server, world.key)
    await vi.waitFor(() => expect(provider.open()).toBe(OPEN_STREAMS), { timeout: OPEN_MS_MAX })
    const stopped = server.stop('SIGTERM')
    await waitUntil(async () => server.output().includes('Stopping after the running requests'))
    await expect(fetch(`${server.url}/readyz`)).rejects.toThrow()
    expect(provider.open()).toBe(OPEN_STREAMS)
    provider.finish()
    for (const received of await Promise.all(texts)) expect(received).toMatch(/data: \[DONE\]\n\n$/)
    expect(await stopped).toBe(0)
    const rows = await kysely
      .selectFrom('logs')
      .select(({ fn }) => ['outcome', 'completion_tokens', fn.countAll().as('count')])
      .where('request_id', 'is not', null)
      .groupBy(['outcome', 'completion_tokens'])
      .execute()
    expect(rows).toEqual([{ outcome: 'settled', completion_tokens: 11, count: OPEN_STREAMS }])
    expect(await checkBooks(world.database)).toEqual([])
  },
)

/** Lets no file of the process grow, as a full disk does. */
const limitFiles = ({ process: { pid } }: RunningServer, size: '0' | 'unlimited') =>
  promisify(execFile)('prlimit', [`--pid=${pid}`, `--fsize=${size}:unlimited`])

test(
  'a full disk: requests get 503 until there is room, and nothing that was answered is lost',
  { timeout: TIMEOUT_MS },
  async () => {
    const world = await openNodeWorld()
    const server = await world.startNode()
    const isReady = async () => (await fetch(`${server.url}/readyz`)).status === 200
    const clients = new Clients(world.key)
    clients.url = server.url
    clients.start(6)
    await waitUntil(async () => clients.answered.size > 20)
    await limitFiles(server, '0')
    await waitUntil(async () => clients.refused.size > 0)
    await waitUntil(async () => !(await isReady()))
    expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({
      checks: { database: { status: 'ok' }, journal: { status: 'unwritable' } },
    })
    await limitFiles(server, 'unlimited')
    await waitUntil(isReady)
    const before = clients.answered.size
    await waitUntil(async () => clients.answered.size > before + 20)
    await clients.stop()
    expect(await server.stop('SIGTERM')).toBe(0)
    for (const refusal of clients.refused.keys()) expect(refusal).toMatch(/^503 .*"code":"/)
    expect(await checkAnswered(world.database, clients.answered)).toEqual([])
    expect(await checkBooks(world.database)).toEqual([])
  },
)
