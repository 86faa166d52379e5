import { type Message, messageSchema } from '../src/domain/message.ts'
import type { ControlPlane } from './control-plane.ts'

/** What waits to be sent, oldest first. */
export async function outboxOf({ database }: ControlPlane): Promise<Message[]> {
  const rows = await database.kysely.selectFrom('outbox').select('message').orderBy('id').execute()
  return rows.map(({ message }) => messageSchema.parse(JSON.parse(message)))
}

/** What the mails to an address say, opened: codes and links, oldest first. */
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
