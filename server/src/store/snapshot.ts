import type { Logger } from 'pino'
import type { Database } from './database.ts'

export type Snapshot<Value> = {
  current: () => Value
  /** Resolves after a read that began after this call; to false if the read failed. */
  refresh: () => Promise<boolean>
}

/**
 * Keeps a value in memory and rereads it after each settings change. While reading fails, the
 * previous value stays.
 */
export async function openSnapshot<Value>({
  database,
  log,
  what,
  read,
}: {
  database: Pick<Database, 'onSettingsChange'>
  log: Logger
  /** Name of the value in log lines. */
  what: string
  read: () => Promise<Value>
}): Promise<Snapshot<Value>> {
  let value = await read()
  let isStale = false
  const load = async () => {
    try {
      value = await read()
      isStale = false
    } catch (error) {
      if (!isStale)
        log.warn({ error }, `${what} could not be read; the previous values stay in use`)
      isStale = true
    }
    return !isStale
  }
  // One read at a time, so that an older result never replaces a newer one. All callers share one
  // queued read.
  let running = Promise.resolve(true)
  let queued: Promise<boolean> | null = null
  const refresh = () => {
    queued ??= running.then(() => {
      queued = null
      running = load()
      return running
    })
    return queued
  }
  database.onSettingsChange(refresh)
  return { current: () => value, refresh }
}
