import { expect, test } from 'vitest'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { openOutboxWorld } from '../../testing/worlds/outbox-world.ts'
import { MAIL_RULES } from '../integrations/mail.ts'
import type { Message } from '../text/message.ts'
import { deliverDue } from './deliver-messages.ts'

const inUse: Message = { type: 'address-in-use', to: 'bob@example.com', language: 'en' }

const world = openPerTest(() => openOutboxWorld('sqlite'))

test('a hanging server delays nothing for longer than its deadline', async () => {
  await world.withMail({ hangs: true })
  const mailRules = { ...MAIL_RULES, totalMs: 200 }
  await world.put(inUse)
  await deliverDue({ ...world.deps, mailRules })
  expect(await world.waiting()).toMatchObject([{ tries: 1 }])
})
