import { AppError } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { isMailboxTaken, lockMailbox } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'

/**
 * Throws `email_taken` while aliases count and another account has an address of the same mailbox.
 * Two transactions that want one mailbox follow each other, so one of them sees the other's account.
 */
export async function requireOwnMailbox(
  tx: Tx,
  { database, settings }: Pick<AdminDeps, 'database' | 'settings'>,
  wanted: { email: string; exceptId?: number },
): Promise<void> {
  if (wanted.email === '' || !settings.current().EmailAliasRestrictionEnabled) return
  await lockMailbox(tx, database.kind, wanted.email)
  if (await isMailboxTaken(tx, wanted)) throw new AppError('email_taken')
}
