import { type Compilable, type Kysely, sql } from 'kysely'
import type { Message } from '../text/message.ts'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

export type QueuedMessage = {
  id: number
  /** JSON, not yet parsed. */
  message: string
  /** Includes the attempt in progress. */
  tries: number
  created_at: number
}

const listeners = new Set<() => void>()

/**
 * Called when this process enqueues a message. Its transaction may still be open. Returns a
 * function that removes the listener.
 */
export function onEnqueued(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const notifyListeners = () => listeners.forEach((listener) => listener())

/**
 * Enqueues a message in the transaction of the change that it reports, so that it is sent only
 * after the commit. `now` is in epoch seconds.
 */
export async function enqueue(tx: Tx, message: Message, now: number) {
  await tx
    .insertInto('outbox')
    .values({ message: JSON.stringify(message), due_at: now, created_at: now })
    .execute()
  notifyListeners()
}

/**
 * Enqueues a message for later, unless the same message is waiting for its first attempt. The
 * update locks that message, so that it is not sent before this transaction ends.
 */
export async function enqueueOnce(
  tx: Tx,
  message: Message,
  { now, dueAt }: { now: number; dueAt: number },
) {
  const text = JSON.stringify(message)
  const { numUpdatedRows } = await tx
    .updateTable('outbox')
    .set(({ ref }) => ({ due_at: ref('due_at') }))
    .where('message', '=', text)
    .where('tries', '=', 0)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) return
  await tx.insertInto('outbox').values({ message: text, due_at: dueAt, created_at: now }).execute()
}

/** A query that enqueues a user's quota reminder if the user has an email address. */
export function quotaReminder(
  tx: Tx,
  { userId, remaining }: { userId: number; remaining: number },
  now: number,
): Compilable {
  const message: Message = { type: 'quota-reminder', user_id: userId, remaining }
  notifyListeners()
  return tx
    .insertInto('outbox')
    .columns(['message', 'due_at', 'created_at'])
    .expression(
      tx
        .selectFrom('users')
        .select([
          sql<string>`cast(${JSON.stringify(message)} as text)`.as('message'),
          sql<number>`cast(${now} as bigint)`.as('due_at'),
          sql<number>`cast(${now} as bigint)`.as('created_at'),
        ])
        .where('id', '=', userId)
        .where('email', '<>', ''),
    )
}

/**
 * Claims the message that has been due longest, for this node alone. The message is due again after
 * the pause for its number of attempts. Undefined when nothing is due.
 */
export async function claimDue(
  db: Db,
  { now, pauseSeconds }: { now: number; pauseSeconds: (tries: number) => number },
): Promise<QueuedMessage | undefined> {
  const candidates = await db
    .selectFrom('outbox')
    .select(['id', 'tries', 'due_at'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('id')
    .limit(CANDIDATES)
    .execute()
  for (const { id, tries, due_at } of candidates) {
    const claimed = await db
      .updateTable('outbox')
      .set({ tries: tries + 1, due_at: now + pauseSeconds(tries + 1) })
      .where('id', '=', id)
      .where('tries', '=', tries)
      .where('due_at', '=', due_at)
      .returning(['id', 'message', 'tries', 'created_at'])
      .executeTakeFirst()
    if (claimed) return claimed
  }
  return undefined
}

/** Other nodes may claim the first candidates before this node does. */
const CANDIDATES = 20

export async function removeMessage(db: Db, id: number) {
  await db.deleteFrom('outbox').where('id', '=', id).execute()
}
