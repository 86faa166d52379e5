import cluster from 'node:cluster'
import type { Connections } from './database.ts'

/**
 * Sends short messages to all other processes on this database. A message may be lost, so nothing
 * may depend on it.
 */
export type NotifyBus = {
  send: (text: string) => void
  onText: (listener: (text: string) => void) => void
  close: () => Promise<void>
}

/**
 * PostgreSQL carries messages by LISTEN and NOTIFY. On SQLite, only the workers of one machine can
 * share the file, and their parent forwards messages. Null if there are no other processes.
 */
export async function openNotifyBus(
  connections: Pick<Connections, 'kysely'>,
  databaseUrl: string | undefined,
): Promise<NotifyBus | null> {
  if (databaseUrl === undefined) return openWorkerBus()
  const { openPostgresBus } = await import('./postgres-bus.ts')
  return openPostgresBus(connections, databaseUrl)
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
