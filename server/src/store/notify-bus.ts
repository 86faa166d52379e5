import cluster from 'node:cluster'
import { sql } from 'kysely'
import pg from 'pg'
import type { Connections } from './database.ts'
import { PostgresServer } from './postgres-server.ts'

/**
 * Sends short messages to all other processes on this database. A message may be lost, so nothing
 * may depend on it.
 */
export type NotifyBus = {
  send: (text: string) => void
  onText: (listener: (text: string) => void) => void
  close: () => Promise<void>
}

/** Installations in other schemas of the database have channels of their own. */
const CHANNEL = `case when current_schema() = 'public' then 'tollgate'
  else 'tollgate_' || current_schema() end`
const RECONNECT_MS = 1000

/**
 * PostgreSQL carries messages by LISTEN and NOTIFY. On SQLite, only the workers of one machine can
 * share the file, and their parent forwards messages. Null if there are no other processes.
 */
export function openNotifyBus(
  connections: Pick<Connections, 'kysely'>,
  databaseUrl: string | undefined,
): NotifyBus | null {
  if (databaseUrl !== undefined) return openPostgresBus(connections, databaseUrl)
  return openWorkerBus()
}

function openWorkerBus(): NotifyBus | null {
  if (!cluster.isWorker) return null
  let onMessage = (_text: unknown) => {}
  return {
    send: (text) => void process.send?.(text, undefined, undefined, () => {}),
    onText: (listener) => {
      onMessage = (text) => typeof text === 'string' && listener(text)
      process.on('message', onMessage)
    },
    close: async () => void process.off('message', onMessage),
  }
}

function openPostgresBus({ kysely }: Pick<Connections, 'kysely'>, databaseUrl: string): NotifyBus {
  const listeners = new Set<(text: string) => void>()
  let client: pg.Client | null = null
  let isClosed = false

  const reconnect = () => {
    client = null
    if (!isClosed) setTimeout(() => void connect(), RECONNECT_MS).unref()
  }
  const connect = async () => {
    if (isClosed) return
    const opened = PostgresServer.at(databaseUrl).client({})
    client = opened
    opened.on('error', () => {})
    opened.on('end', reconnect)
    opened.on('notification', ({ payload = '' }) => {
      for (const listener of listeners) listener(payload)
    })
    try {
      await opened.connect()
      const { rows } = await opened.query<{ name: string }>(`select ${CHANNEL} as name`)
      await opened.query(`LISTEN ${pg.escapeIdentifier(rows[0]?.name ?? '')}`)
    } catch {
      await opened.end().catch(() => {})
    }
  }
  void connect()

  return {
    send: (text) => {
      sql`select pg_notify(${sql.raw(CHANNEL)}, ${text})`.execute(kysely).catch(() => {})
    },
    onText: (listener) => listeners.add(listener),
    close: async () => {
      isClosed = true
      await client?.end().catch(() => {})
    },
  }
}
