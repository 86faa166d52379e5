import type { Logger } from 'pino'
import type { Database } from './database.ts'

export type Snapshot<Value> = {
  current: () => Value
  /** Resolves when a read that began after this call has ended; to false when it failed. */
  refresh: () => Promise<boolean>
}

/** Something read as a whole, and again after each change; while it cannot be read it stays as it was. */
export async function openSnapshot<Value>({
  database,
  log,
  what,
  read,
}: {
  database: Pick<Database, 'onSettingsChange'>
  log: Logger
  /** Names it in the log. */
  what: string
  read: () => Promise<Value>
}): Promise<Snapshot<Value>> {
  let value = await read()
  let isOld = false
  const load = async () => {
    try {
      value = await read()
      isOld = false
    } catch (error) {
      if (!isOld) log.warn({ error }, `${what} could not be read; the old ones stay`)
      isOld = true
    }
    return !isOld
  }
  // One read at a time, so that an older one never replaces a newer; one in waiting serves all who ask.
  let running = Promise.resolve(true)
  let waiting: Promise<boolean> | null = null
  const refresh = () => {
    waiting ??= running.then(() => {
      waiting = null
      running = load()
      return running
    })
    return waiting
  }
  database.onSettingsChange(refresh)
  return { current: () => value, refresh }
}
