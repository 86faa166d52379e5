import { AppError } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { isMailboxTaken, lockMailbox } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'

/**
 * With the alias restriction on, throws `email_taken` if another account uses the same mailbox. The
 * lock serializes transactions on one mailbox, so the second one sees the first one's account.
 */
export async function requireOwnMailbox(
  tx: Tx,
  { database, settings }: Pick<AdminDeps, 'database' | 'settings'>,
  mailbox: { email: string; exceptId?: number },
): Promise<void> {
  if (mailbox.email === '' || !settings.current().EmailAliasRestrictionEnabled) return
  await lockMailbox(tx, database.kind, mailbox.email)
  if (await isMailboxTaken(tx, mailbox)) throw new AppError('email_taken')
}
