import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterEach } from 'vitest'
import { type ChaosWorld, openChaosWorld } from '../chaos/chaos-world.ts'
import { openTestDatabase } from '../harness/databases.ts'
import { memoryFolder } from '../harness/memory-folder.ts'
import { type RunningServer, startServer } from '../harness/start-server.ts'

const QUOTA = 1_000_000_000

const undo: (() => unknown)[] = []

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

export const atEnd = (step: () => unknown) => void undo.push(step)

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
  /** Starts the real server in a process and a data folder of its own. */
  startNode: (more?: Record<string, string>) => Promise<RunningServer>
}

/** A PostgreSQL database with a user, a token and a channel, for any number of nodes. */
export async function openNodeWorld(): Promise<NodeWorld> {
  const place = await openTestDatabase('postgres')
  atEnd(() => place.close())
  const world = await openChaosWorld(place, { quota: QUOTA, tokenQuota: QUOTA })
  atEnd(() => world.close())
  return {
    ...world,
    databaseUrl: place.databaseUrl ?? '',
    startNode: async (more = {}) => {
      const DATA_DIR = await newFolder()
      const server = await startServer({ ...world.variables, DATA_DIR, ...more })
      atEnd(() => server.stop('SIGKILL'))
      return server
    },
  }
}
