import { sql } from 'kysely'
import type { Connections } from './connections.ts'
import { pg } from './pg.ts'
import { PostgresServer } from './postgres-server.ts'

/** Installations in other schemas of the database have channels of their own. */
const CHANNEL = `case when current_schema() = 'public' then 'tollgate'
  else 'tollgate_' || current_schema() end`
const RECONNECT_MS = 1000

/** Carries messages by LISTEN and NOTIFY. */
export function openPostgresBus({ kysely }: Pick<Connections, 'kysely'>, databaseUrl: string) {
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
    send: (text: string) => {
      sql`select pg_notify(${sql.raw(CHANNEL)}, ${text})`.execute(kysely).catch(() => {})
    },
    onText: (listener: (text: string) => void) => void listeners.add(listener),
    close: async () => {
      isClosed = true
      await client?.end().catch(() => {})
    },
  }
}
