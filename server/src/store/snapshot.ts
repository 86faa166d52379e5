import type { Logger } from 'pino'
import type { Database } from './database.ts'

export type Snapshot<Value> = {
  current: () => Value
  /** Resolves when a read that began after this call has ended. */
  refresh: () => Promise<void>
}

/** Something read as a whole, and again after each change; while it cannot be read it stays as it was. */
export async function openSnapshot<Value>({
  database,
  log,
  what,
  read,
}: {
  database: Pick<Database, 'onChange'>
  log: Logger
  /** Names it in the log. */
  what: string
  read: () => Promise<Value>
}): Promise<Snapshot<Value>> {
  let value = await read()
  const load = async () => {
    try {
      value = await read()
    } catch (error) {
      log.warn({ error }, `${what} could not be read; the old ones stay`)
    }
  }
  // One read at a time, so that an older one never replaces a newer; one in waiting serves all who ask.
  let running = Promise.resolve()
  let waiting: Promise<void> | null = null
  const refresh = () => {
    waiting ??= running.then(() => {
      waiting = null
      running = load()
      return running
    })
    return waiting
  }
  database.onChange(() => void refresh())
  return { current: () => value, refresh }
}
