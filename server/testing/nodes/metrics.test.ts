import { expect, test } from 'vitest'
import { checkAnswered, checkBooks } from '../chaos/checks.ts'
import { Clients } from '../chaos/clients.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { startCuttingProxy } from '../ledger/cutting-proxy.ts'
import { atEnd, newFolder, openNodeWorld, startObserved } from './node-world.ts'

const TIMEOUT_MS = 120_000

const batches = (node: string) => `tollgate_node_batches{node="${node}"}`
const connections = (pool: string, state: string) =>
  `tollgate_database_connections{pool="${pool}",state="${state}"}`
const leased = (node: string) => `tollgate_node_leased_dollars{node="${node}"}`

test(
  'a killed node and its leases are seen at the other node until it starts again; a node without database says so itself',
  { timeout: TIMEOUT_MS },
  async () => {
    const world = await openNodeWorld()
    const proxy = await startCuttingProxy(world.databaseUrl)
    atEnd(() => proxy.close())
    const DATA_DIR = await newFolder()
    const first = await startObserved(world, 'first', { DATA_DIR })
    const second = await startObserved(world, 'second', { DATABASE_URL: proxy.databaseUrl })
    const nodes = [first, second].map(({ server }) => {
      const ofNode = new Clients(world.key)
      ofNode.url = server.url
      ofNode.start(3)
      return ofNode
    })
    const [ofFirst, ofSecond] = nodes
    await waitUntil(async () => nodes.every(({ answered }) => answered.size > 10))
    for (const { read } of [first, second]) {
      expect(await read('tollgate_database_up')).toBe(1)
      expect(await read(leased('first'))).toBeGreaterThan(0)
      expect(await read(leased('second'))).toBeGreaterThan(0)
      expect(await read(connections('main', 'in_use'))).toBeGreaterThanOrEqual(0)
      expect(await read(connections('ledger', 'idle'))).toBeGreaterThanOrEqual(0)
      expect(await read('tollgate_database_connections_max{pool="main"}')).toBe(20)
      expect(await read('tollgate_database_waiting_statements{pool="main"}')).toBe(0)
    }

    await first.server.stop('SIGKILL')
    await ofFirst?.stop()
    const [stoodAt = 0, livedAt = 0] = [
      await second.read(batches('first')),
      await second.read(batches('second')),
    ]
    await waitUntil(async () => ((await second.read(batches('second'))) ?? 0) > livedAt + 3)
    expect(await second.read(batches('first'))).toBe(stoodAt)
    expect(await second.read(leased('first'))).toBeGreaterThan(0)

    const again = await startObserved(world, 'first', { DATA_DIR })
    // The database counts the batches of the new epoch from its start.
    await waitUntil(async () => ((await second.read(batches('first'))) ?? stoodAt) < stoodAt)

    proxy.sever()
    await waitUntil(async () => (await second.read('tollgate_database_up')) === 0)
    await waitUntil(async () => ((await second.read('tollgate_apply_lag_seconds')) ?? 0) > 0.5)
    expect(await second.read('tollgate_journal_pending_records')).toBeGreaterThan(0)
    expect(await again.read('tollgate_database_up')).toBe(1)
    const cutAt = await again.read(batches('second'))
    const aliveAt = (await again.read(batches('first'))) ?? 0
    await waitUntil(async () => ((await again.read(batches('first'))) ?? 0) > aliveAt)
    expect(await again.read(batches('second'))).toBe(cutAt)

    proxy.restore()
    await waitUntil(async () => (await second.read('tollgate_database_up')) === 1)
    await waitUntil(async () => ((await again.read(batches('second'))) ?? 0) > (cutAt ?? 0))
    await ofSecond?.stop()
    await waitUntil(async () => (await second.read('tollgate_apply_lag_seconds')) === 0)
    for (const { server } of [again, second]) expect(await server.stop('SIGTERM')).toBe(0)
    for (const { answered } of nodes) {
      expect(await checkAnswered(world.database, answered)).toEqual([])
    }
    expect(await checkBooks(world.database)).toEqual([])
  },
)
