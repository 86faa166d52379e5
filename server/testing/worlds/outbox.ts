import { type Message, messageSchema } from '../../src/text/message.ts'
import type { ControlPlane } from './control-plane.ts'

/** Unsent messages, oldest first. */
export async function outboxOf({ database }: Pick<ControlPlane, 'database'>): Promise<Message[]> {
  const rows = await database.kysely.selectFrom('outbox').select('message').orderBy('id').execute()
  return rows.map(({ message }) => messageSchema.parse(JSON.parse(message)))
}

/** Decrypted codes and links of the mails to an address, oldest first. */
export async function mailedTo(plane: ControlPlane, email: string): Promise<string[]> {
  const messages = await outboxOf(plane)
  return messages.flatMap((message) => {
    if (message.type === 'verification' && message.to === email) {
      return [plane.secrets.openMessage(message.code_sealed)]
    }
    return message.type === 'reset' && message.to === email
      ? [plane.secrets.openMessage(message.link_sealed)]
      : []
  })
}
