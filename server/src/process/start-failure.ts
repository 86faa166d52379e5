import { isDatabaseAway } from '../store/failures.ts'
import { reasonOf } from './connect.ts'
import { ConfigurationError, type Env } from './env.ts'

/**
 * A database or a disk that failed during the start, such as a full one, as a sentence that names
 * its variable. Returns every other error unchanged.
 */
export function startFailure(error: unknown, env: Pick<Env, 'DATABASE_URL'>): unknown {
  if (!isDatabaseAway(error)) return error
  const variable = isOfFolder(error) || env.DATABASE_URL === undefined ? 'DATA_DIR' : 'DATABASE_URL'
  return new ConfigurationError(
    `${variable}: the start failed: ${reasonOf(error)}. ` +
      'Start again once this is resolved; nothing is lost.',
  )
}

/** Locks in the data folder are SQLite files, whatever the database is. */
const isOfFolder = (error: unknown) => error instanceof Error && 'errcode' in error
