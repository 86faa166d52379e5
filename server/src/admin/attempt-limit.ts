import { AppError } from '@tollgate/contract'
import { giveBackAttempt, hasMark, putMark, spendMark, takeAttempt } from '../store/attempts.ts'
import { databaseMoment } from '../store/clock.ts'
import type { AdminDeps } from './deps.ts'

export type LimitDeps = Pick<AdminDeps, 'database' | 'secrets' | 'now' | 'log'>

export type AttemptLimit = {
  /** Counts an attempt; resolves to the seconds to wait when there were too many, else to null. */
  take: (key: string) => Promise<number | null>
  /** Takes an attempt back that turned out well; never fails, as what was done stays done. */
  giveBack: (key: string) => Promise<void>
}

/**
 * At most `most` attempts per key within `seconds` of the first of them, over all processes. An attempt counts before
 * its outcome is known, so that many at once cannot slip through; one that is refused does not count. Limits of one
 * name count together.
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
    giveBack: (key) =>
      giveBackAttempt(database.kysely, hashed(key)).catch((error: unknown) =>
        log.warn(error, 'an attempt that turned out well still counts'),
      ),
  }
}

/** Counts an attempt, or throws `too_many_requests`. */
export async function takeOrRefuse(limit: Pick<AttemptLimit, 'take'>, key: string) {
  const seconds = await limit.take(key)
  if (seconds !== null) throw new AppError('too_many_requests', { seconds })
}

export type Marks = {
  put: (key: string) => Promise<void>
  has: (key: string) => Promise<boolean>
  /** Ends it; true when it was good until then, and for one caller only. */
  spend: (key: string) => Promise<boolean>
}

/** What all processes remember for so long. */
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

/** People type passwords where their name belongs, so nothing of it is to be read. */
const hashOf =
  ({ secrets }: LimitDeps, name: string) =>
  (key: string) =>
    secrets.hashOneTime(`${name}\n${key}`)
