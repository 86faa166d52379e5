import { Kysely } from 'kysely'
import { type Database, migrate } from '../../src/store/database.ts'
import type { Schema } from '../../src/store/schema.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { type Link, memoryDialect } from './memory-dialect.ts'
import { MemoryServer } from './memory-server.ts'
import { Process } from './process.ts'

export function databaseOver(link: Link): Database {
  const kysely = new Kysely<Schema>({ dialect: memoryDialect(link) })
  const transaction: Database['transaction'] = (epoch) => kysely.transaction().execute(epoch)
  const connections = { kind: 'sqlite', kysely, transaction } as const
  return {
    ...connections,
    forLedger: connections,
    snapshot: transaction,
    change: transaction,
    changeAccounts: transaction,
    onChange: () => {},
    onSettingsChange: () => {},
    pools: () => [],
    close: () => kysely.destroy(),
  }
}

/** Uses a connection that never fails, and a process that does nothing else. */
export async function askServer<Result>(
  server: MemoryServer,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const timeline = new FakeClock()
  const process = new Process('whoever watches', timeline, { aheadMs: 0 })
  const fate = () => ({ type: 'done' }) as const
  const link = { server, process, timeline, isCut: () => false, travelMs: () => 0, fate }
  let isDone = false
  const result = work(databaseOver(link)).finally(() => {
    isDone = true
  })
  while (!isDone) await timeline.advance(1)
  return result
}

let emptyImage: Promise<Uint8Array> | null = null

/** A server with the product's tables, all empty. */
export async function startServer(): Promise<MemoryServer> {
  emptyImage ??= createImage()
  const server = new MemoryServer()
  server.restore(await emptyImage)
  return server
}

async function createImage(): Promise<Uint8Array> {
  const server = new MemoryServer()
  await askServer(server, ({ kysely }) => migrate(kysely, 'sqlite'))
  return server.backUp()
}
