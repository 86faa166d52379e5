import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { pg } from '../../src/store/pg.ts'
import { type ChaosWorld, openChaosWorld } from '../chaos/chaos-world.ts'
import { type DatabaseKind, openTestDatabase } from '../harness/databases.ts'
import { memoryFolder } from '../harness/memory-folder.ts'
import { findFreePort } from '../harness/postgres.ts'
import { type RunningServer, startServer } from '../harness/start-server.ts'

const QUOTA = 1_000_000_000

/**
 * Runs at the end of the test, the last step first. A hook in this file would run for the first
 * test file that imports it alone.
 */
export const atEnd = (step: () => unknown) =>
  onTestFinished(async () => {
    await step()
  })

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(memoryFolder(), 'tollgate-node-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function openAdmin(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  atEnd(() => client.end())
  return client
}

export type NodeWorld = ChaosWorld & {
  databaseUrl: string
  /** Starts the real server in a process of its own; with PostgreSQL, also in its own folder. */
  startNode: (more?: Record<string, string>) => Promise<RunningServer>
}

/**
 * A database with a user, a token and a channel: for any number of nodes with PostgreSQL, and for
 * one after the other with SQLite.
 */
export async function openNodeWorld(kind: DatabaseKind = 'postgres'): Promise<NodeWorld> {
  const place = await openTestDatabase(kind)
  atEnd(() => place.close())
  const world = await openChaosWorld(place, { quota: QUOTA, tokenQuota: QUOTA })
  atEnd(() => world.close())
  return {
    ...world,
    databaseUrl: place.databaseUrl ?? '',
    startNode: async (more = {}) => {
      const folder = kind === 'sqlite' ? {} : { DATA_DIR: await newFolder() }
      const server = await startServer({ ...world.variables, ...folder, ...more })
      atEnd(() => server.stop('SIGKILL'))
      return server
    },
  }
}

/** A node, and a function that reads a sample of its metrics by name with labels. */
export async function startObserved(
  world: NodeWorld,
  NODE_ID: string,
  more: Record<string, string> = {},
) {
  const port = await findFreePort()
  const server = await world.startNode({ NODE_ID, METRICS_PORT: String(port), ...more })
  const read = async (name: string): Promise<number | undefined> => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const line = text.split('\n').find((sample) => sample.startsWith(`${name} `))
    return line === undefined ? undefined : Number(line.slice(name.length + 1))
  }
  return { server, read }
}
