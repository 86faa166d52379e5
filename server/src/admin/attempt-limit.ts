import { AppError } from '@tollgate/contract'
import { releaseAttempt, hasMark, putMark, spendMark, takeAttempt } from '../store/attempts.ts'
import { databaseMoment } from '../store/clock.ts'
import type { AdminDeps } from './deps.ts'

export type LimitDeps = Pick<AdminDeps, 'database' | 'secrets' | 'now' | 'log'>

export type AttemptLimit = {
  /**
   * Counts an attempt. Resolves to null, or, over the limit, to the seconds until the next attempt.
   */
  take: (key: string) => Promise<number | null>
  /** Refunds a successful attempt. Never fails, because the attempt itself already took effect. */
  release: (key: string) => Promise<void>
}

/**
 * Allows `most` attempts per key within `seconds` of the first, across all processes. An attempt
 * counts before its outcome is known, so that parallel attempts cannot exceed the limit. A rejected
 * attempt does not count. Limits with the same name share their counts.
 */
export function createAttemptLimit(
  deps: LimitDeps,
  { name, most, seconds }: { name: string; most: number; seconds: number },
): AttemptLimit {
  const { database, log } = deps
  const hashed = hashOf(deps, name)
  return {
    take: (key) =>
      takeAttempt(database.kysely, { key_hash: hashed(key), most, seconds }, databaseMoment(deps)),
    release: (key) =>
      releaseAttempt(database.kysely, hashed(key)).catch((error: unknown) =>
        log.warn(error, 'a successful attempt still counts towards the limit'),
      ),
  }
}

export async function takeOrRefuse(limit: Pick<AttemptLimit, 'take'>, key: string) {
  const seconds = await limit.take(key)
  if (seconds !== null) throw new AppError('too_many_requests', { seconds })
}

export type Marks = {
  put: (key: string) => Promise<void>
  has: (key: string) => Promise<boolean>
  /** Removes the mark. True if the mark existed and had not expired; only one caller gets true. */
  spend: (key: string) => Promise<boolean>
}

/** Marks that all processes share until they expire. */
export function createMarks(
  deps: LimitDeps,
  { name, seconds }: { name: string; seconds: number },
): Marks {
  const { kysely } = deps.database
  const hashed = hashOf(deps, name)
  return {
    put: (key) => putMark(kysely, { key_hash: hashed(key), seconds }, databaseMoment(deps)),
    has: (key) => hasMark(kysely, hashed(key), databaseMoment(deps)),
    spend: (key) => spendMark(kysely, hashed(key), databaseMoment(deps)),
  }
}

/** Keys are hashed because people type passwords into name fields. */
const hashOf =
  ({ secrets }: LimitDeps, name: string) =>
  (key: string) =>
    secrets.hashOneTime(`${name}\n${key}`)
