import type { ClientDialect, Steps } from '@tollgate/relay'
import type { Arrival, RelayDeps } from '../context.ts'
import type { Caller } from './authenticate.ts'
import { readScheduled } from './read-scheduled.ts'

/** The response before, the responses before that, and the items that they refer to. */
const ROUNDS_MAX = 4

/** A short request may continue a long history, so it is read in turn with large requests. */
const CONTINUES = 'previous_response_id'
const HISTORY_BYTES = 1024 * 1024

type Reading<Result> = {
  readonly caller: Caller
  readonly body: Buffer
  readonly read: () => Steps<Result>
}

/**
 * Reads a request. If it refers to items or responses that this process does not have in memory,
 * they are read from the database, and the request is read again.
 */
export function readWithStored<Result>(
  deps: Pick<RelayDeps, 'storedItems'>,
  arrival: Pick<Arrival, 'client'>,
  reading: Reading<Result>,
): Result | Promise<Result> {
  const { missing, receive } = arrival.client.dialect
  const { caller, read, body } = reading
  if (missing === undefined || receive === undefined) return readScheduled(caller, read(), body)
  const size = { length: body.length + (body.includes(CONTINUES) ? HISTORY_BYTES : 0) }
  const first = readScheduled(caller, read(), size)
  // Usually nothing is missing, and awaiting a value would yield to other requests.
  if (!(first instanceof Promise) && missing().length === 0) return first
  return readMissing(deps.storedItems, { caller, read, size, missing, receive, first })
}

async function readMissing<Result>(
  storedItems: RelayDeps['storedItems'],
  {
    caller,
    size,
    read,
    missing,
    receive,
    first,
  }: Omit<Reading<Result>, 'body'> & {
    readonly size: { readonly length: number }
    readonly missing: () => readonly string[]
    readonly receive: NonNullable<ClientDialect['receive']>
    readonly first: Result | Promise<Result>
  },
): Promise<Result> {
  let result = await first
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const names = missing()
    const entries = names.length === 0 ? [] : await storedItems.load(caller.user.id, names)
    if (entries.length === 0) return result
    receive(entries)
    result = await readScheduled(caller, read(), size)
  }
  return result
}
