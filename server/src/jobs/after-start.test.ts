import { expect, test } from 'vitest'
import { openMailServer } from '../../testing/fakes/mail-server.ts'
import { atEnd } from '../../testing/harness/at-end.ts'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { startServer } from '../../testing/harness/start-server.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import { openDatabase } from '../store/database.ts'
import { enqueue } from '../store/outbox.ts'

async function prepare(mailPort: number) {
  const place = await openTestDatabase('sqlite')
  atEnd(() => place.close())
  const database = await openDatabase(place)
  await database.transaction(async (tx) => {
    const options = [
      { key: 'SMTPServer', value: 'localhost' },
      { key: 'SMTPPort', value: String(mailPort) },
      { key: 'SMTPFrom', value: 'gate@example.com' },
    ]
    await tx.insertInto('options').values(options).execute()
    const message = { type: 'address-in-use', to: 'bob@example.com', language: 'en' } as const
    await enqueue(tx, message, Math.floor(Date.now() / 1000))
  })
  await database.close()
  return place
}

test('messages left by the previous process are sent after the start', async () => {
  const mailServer = await openMailServer({ encryption: 'none' })
  atEnd(() => mailServer.close())
  const { dataDir } = await prepare(mailServer.port)
  const server = await startServer({ DATA_DIR: dataDir })
  atEnd(() => server.stop())
  await waitUntil(async () => mailServer.mails.length === 1)
  expect(mailServer.mails).toMatchObject([{ receivers: ['bob@example.com'] }])
  expect(await server.stop()).toBe(0)
})
