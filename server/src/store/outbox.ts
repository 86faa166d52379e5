import { type Compilable, type Kysely, sql } from 'kysely'
import type { Message } from '../domain/message.ts'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

export type Waiting = {
  id: number
  /** JSON, unchecked. */
  message: string
  /** The one that is being made included. */
  tries: number
  created_at: number
}

const listeners = new Set<() => void>()

/**
 * Calls back when this process has put something in, whose transaction may still be open. Returns
 * what ends it.
 */
export function onEnqueued(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const tellListeners = () => listeners.forEach((listener) => listener())

/** Comes into being with the change it tells of, and is sent after it. Epoch seconds. */
export async function enqueue(tx: Tx, message: Message, now: number) {
  await tx
    .insertInto('outbox')
    .values({ message: JSON.stringify(message), due_at: now, created_at: now })
    .execute()
  tellListeners()
}

/**
 * Puts a message in that is due later, unless the same one already waits for its first try. The
 * update locks that one, so that it is not sent before this transaction has ended.
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

/** The same for a user's reminder, and only if there is an address to send it to. */
export function quotaReminder(
  tx: Tx,
  { userId, remaining }: { userId: number; remaining: number },
  now: number,
): Compilable {
  const message: Message = { type: 'quota-reminder', user_id: userId, remaining }
  tellListeners()
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
 * Takes the message that has waited longest, for this node alone: it is due again only after the
 * pause that its number of tries earns. Undefined when nothing is due.
 */
export async function claimDue(
  db: Db,
  { now, pauseSeconds }: { now: number; pauseSeconds: (tries: number) => number },
): Promise<Waiting | undefined> {
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

/** Others may be quicker with the first of them. */
const CANDIDATES = 20

export async function removeWaiting(db: Db, id: number) {
  await db.deleteFrom('outbox').where('id', '=', id).execute()
}
