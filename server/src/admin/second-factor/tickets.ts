import { AppError } from '@tollgate/contract'
import { newTicket } from '../../secrets.ts'
import type { Tx } from '../../store/database.ts'
import { insertTicket, spendTicket, type TicketPurpose } from '../../store/tickets.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

export const TICKET_SECONDS = 5 * 60

type TicketOptions = { purpose: TicketPurpose; userId: number; signIn?: string }

/** `signIn` is the ticket of the login that a challenge belongs to. */
export async function issueTicket(
  tx: Tx,
  deps: AdminDeps,
  { purpose, userId, signIn }: TicketOptions,
): Promise<string> {
  const ticket = newTicket()
  const now = nowSeconds(deps)
  await insertTicket(tx, {
    ticket_hash: deps.secrets.hashTicket(ticket),
    purpose,
    user_id: userId,
    ...(signIn === undefined ? {} : { sign_in_hash: deps.secrets.hashTicket(signIn) }),
    created_time: now,
    expires_at: now + TICKET_SECONDS,
  })
  return ticket
}

/** Lookup key of a ticket in the database. */
export const ticketKey = (deps: AdminDeps, purpose: TicketPurpose, ticket: string) => ({
  ticket_hash: deps.secrets.hashTicket(ticket),
  purpose,
  now: nowSeconds(deps),
})

/** Consumes a challenge even if its answer is wrong, so that it is never answered twice. */
export async function spendChallenge(
  deps: AdminDeps,
  purpose: TicketPurpose,
  ticket: string,
): Promise<{ challenge: string; userId: number; signInHash: string }> {
  const spent = await spendTicket(deps.database.kysely, ticketKey(deps, purpose, ticket))
  if (!spent) throw new AppError('passkey_expired')
  const { user_id: userId, sign_in_hash: signInHash } = spent
  return { challenge: deps.secrets.challengeOf(ticket), userId, signInHash }
}
