import type { Kysely } from 'kysely'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'

/** `sign_in` proves the first factor; all other tickets are passkey challenges. */
export type TicketPurpose = 'sign_in' | 'passkey_sign_in' | 'passkey_create' | 'passkey_confirm'

type Ticket = {
  ticket_hash: string
  purpose: TicketPurpose
  user_id: number
  sign_in_hash?: string
  created_time: number
  expires_at: number
}

/** The fifth wrong code ends a login. */
const TRIES_MAX = 5
/**
 * Anyone who knows the password can request many login tickets, and challenges with each of them.
 * The owner's ticket must survive that for as long as a person needs to type a code.
 */
const PER_USER_MAX: Readonly<Record<TicketPurpose, number>> = {
  sign_in: 2000,
  passkey_sign_in: 200,
  passkey_create: 20,
  passkey_confirm: 20,
}

const SURPLUS_MAX = 20

/** Also deletes expired tickets, and the user's oldest tickets above the limit. */
export async function insertTicket(tx: Tx, ticket: Ticket) {
  const { user_id, purpose, created_time } = ticket
  await tx.deleteFrom('auth_tickets').where('expires_at', '<=', created_time).execute()
  await tx.insertInto('auth_tickets').values(ticket).execute()
  if (user_id === 0) return
  const surplus = await tx
    .selectFrom('auth_tickets')
    .select('ticket_hash')
    .where('user_id', '=', user_id)
    .where('purpose', '=', purpose)
    .orderBy('created_time', 'desc')
    .orderBy('ticket_hash')
    .limit(SURPLUS_MAX)
    .offset(PER_USER_MAX[purpose])
    .execute()
  if (surplus.length === 0) return
  const hashes = surplus.map(({ ticket_hash }) => ticket_hash)
  await tx.deleteFrom('auth_tickets').where('ticket_hash', 'in', hashes).execute()
}

type TicketKey = { ticket_hash: string; purpose: TicketPurpose; now: number }

const liveTicket = (db: Kysely<Schema>, { ticket_hash, purpose, now }: TicketKey) =>
  db
    .selectFrom('auth_tickets')
    .select(['user_id', 'sign_in_hash'])
    .where('ticket_hash', '=', ticket_hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .where('tries', '<', TRIES_MAX)

export const findTicket = (db: Kysely<Schema>, key: TicketKey) =>
  liveTicket(db, key).executeTakeFirst()

/** Counts an attempt before its outcome is known, so that concurrent attempts gain nothing. */
export async function tryTicket(db: Kysely<Schema>, { ticket_hash, purpose, now }: TicketKey) {
  return db
    .updateTable('auth_tickets')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('ticket_hash', '=', ticket_hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .where('tries', '<', TRIES_MAX)
    .returning(['user_id', 'sign_in_hash'])
    .executeTakeFirst()
}

/** Deletes a ticket; undefined if it is unknown, expired or used. */
export async function spendTicket(db: Kysely<Schema>, { ticket_hash, purpose, now }: TicketKey) {
  return db
    .deleteFrom('auth_tickets')
    .where('ticket_hash', '=', ticket_hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .returning(['user_id', 'sign_in_hash'])
    .executeTakeFirst()
}

export async function deleteTicketsOf(tx: Tx, userId: number) {
  await tx.deleteFrom('auth_tickets').where('user_id', '=', userId).execute()
}
