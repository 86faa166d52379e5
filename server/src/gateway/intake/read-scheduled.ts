import type { Steps } from '@tollgate/relay'
import { countThread } from '../../scheduler/count-thread.ts'
import { isLight, scheduler } from '../../scheduler/fair-scheduler.ts'
import { Refusal } from '../errors.ts'
import type { Caller } from './authenticate.ts'

/**
 * Large requests of one user, and their bytes, that are parsed at once. Above what a burst of
 * parallel agents sends.
 */
const READ_AT_ONCE_MAX = 256
const READ_BYTES_MAX = 128 * 1024 * 1024
/** Concurrent token counts of one user; each takes up to half a second. */
const COUNTED_AT_ONCE_MAX = 32

/**
 * Parses a body in steps; large bodies are scheduled fairly between users. Throws a refusal if the
 * user has too many in progress.
 */
export function readScheduled<Result>(
  { user }: Pick<Caller, 'user'>,
  steps: Steps<Result>,
  body: Pick<Buffer, 'length'>,
): Result | Promise<Result> {
  if (!isLight(body.length)) limitLargeRequests(user.id, body.length)
  return scheduler.runSized(user.id, steps, body.length)
}

function limitLargeRequests(user: number, addedBytes: number) {
  const { count, bytes } = pendingWorkOf(user)
  const isTooMuch = count >= READ_AT_ONCE_MAX || bytes + addedBytes > READ_BYTES_MAX
  if (count > 0 && isTooMuch)
    throw tooMany('Too many large requests of this account are in progress.')
}

/** Checked before the body is read, and again with its size. */
export function limitTokenCounts({ user }: Pick<Caller, 'user'>, addedBytes = 0) {
  const { count, bytes } = pendingWorkOf(user.id)
  const isTooMuch = count >= COUNTED_AT_ONCE_MAX || bytes + addedBytes > READ_BYTES_MAX
  if (count > 0 && isTooMuch)
    throw tooMany('Too many token counts of this account are in progress.')
}

function pendingWorkOf(user: number) {
  const [read, counted] = [scheduler.waiting(user), countThread.waiting(user)]
  return { count: read.count + counted.count, bytes: read.bytes + counted.bytes }
}

const tooMany = (message: string) =>
  new Refusal({
    status: 429,
    code: 'too_much_at_once',
    message: `${message} Try again in a moment.`,
    retryAfterSeconds: 1,
  })
