import { isMailConfigured } from '../../integrations/mail.ts'
import type { Tx } from '../../store/database.ts'
import { enqueue } from '../../store/outbox.ts'
import type { Message } from '../../text/message.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

export type FactorEvent = Extract<Message, { type: 'second-factor' }>['event']

/** Queues a mail to the account's owner, if the account has an address and SMTP is configured. */
export async function notifyOwner(
  tx: Tx,
  deps: AdminDeps,
  user: { id: number; email: string },
  event: FactorEvent,
) {
  if (user.email === '' || !isMailConfigured(deps.settings.current())) return
  await enqueue(tx, { type: 'second-factor', user_id: user.id, event }, nowSeconds(deps))
}
