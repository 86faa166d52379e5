import type { Logger } from 'pino'
import type { Database } from './database.ts'

export type Snapshot<Value> = {
  current: () => Value
  /**
   * Resolves after a read that began after this call; to false if the read failed, or after two
   * seconds. A late read still replaces the value.
   */
  refresh: () => Promise<boolean>
}

/** What was saved is saved, so its answer does not wait longer for a database that has stalled. */
const READ_MS_MAX = 2000

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
      noteFailure(error)
    }
    return !isStale
  }
  const noteFailure = (error: unknown) => {
    if (!isStale) log.warn({ error }, `${what} could not be read; the previous values stay in use`)
    isStale = true
  }
  const inTime = (reading: Promise<boolean>) => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => {
      noteFailure(new Error(`the read takes longer than ${READ_MS_MAX} ms`))
      resolve(false)
    }, READ_MS_MAX)
    return Promise.race([promise, reading.finally(() => clearTimeout(timer))])
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
    return inTime(queued)
  }
  database.onSettingsChange(refresh)
  return { current: () => value, refresh }
}
