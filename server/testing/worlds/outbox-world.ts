import { ROLE, type OptionKey, USER_STATUS } from '@tollgate/contract'
import { createJsonClient } from '../../src/integrations/json-client.ts'
import type { DeliveryDeps } from '../../src/jobs/deliver-messages.ts'
import { createOutgoing } from '../../src/network/outgoing.ts'
import { createLog } from '../../src/process/log.ts'
import { deriveSecrets } from '../../src/secrets.ts'
import { openSettings } from '../../src/settings/settings.ts'
import { openDatabase } from '../../src/store/database.ts'
import { enqueue } from '../../src/store/outbox.ts'
import { insertUser } from '../../src/store/users.ts'
import type { Message } from '../../src/text/message.ts'
import { openMailServer } from '../fakes/mail-server.ts'
import { type DatabaseKind, openKeptDatabase } from '../harness/databases.ts'

const LOGIN = { user: 'gate@example.com', pass: 'the-mail-password' }

export async function openOutboxWorld(kind: DatabaseKind) {
  const place = await openKeptDatabase(kind)
  const database = await openDatabase(place)
  const secrets = deriveSecrets('a master key of the tests')
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const clock = { now: Date.UTC(2026, 10, 21, 12) }
  const settings = await openSettings({ database, secrets, log })
  const allowsPrivate = () => settings.current().ChannelPrivateNetworksEnabled
  const outgoing = createOutgoing({ allowsPrivate })
  const { ask, close: closeAsk } = createJsonClient({ deadlineMs: 2000, outgoing })
  const servers: { close: () => Promise<void> }[] = []
  const now = () => clock.now
  const env = { TELEGRAM_ADDRESS: 'https://telegram.invalid' }
  const deps: DeliveryDeps = {
    database,
    settings,
    secrets,
    ask,
    outgoing,
    log,
    now,
    env,
  }

  const setOption = (key: OptionKey, value: string) =>
    settings.update(
      { key, value },
      { actor: { id: 1, username: 'root', role: ROLE.root }, language: 'en', nowSeconds: 0 },
    )
  return {
    deps,
    database,
    secrets,
    clock,
    lines,
    setOption,
    put: (message: Message) =>
      database.transaction((tx) => enqueue(tx, message, Math.floor(clock.now / 1000))),
    waiting: () => database.kysely.selectFrom('outbox').selectAll().orderBy('id').execute(),
    addUser: (email: string, parts: { role?: number; status?: number } = {}) =>
      addUser(database, { email, role: ROLE.user, status: USER_STATUS.enabled, ...parts }),
    /** Opens a mail server and sets the options that point to it. */
    withMail: async (parts: Parameters<typeof openMailServer>[0] = {}) => {
      const server = await openMailServer({ login: LOGIN, ...parts })
      servers.push(server)
      await setOption('SMTPServer', '127.0.0.1')
      await setOption('SMTPPort', String(server.port))
      await setOption('SMTPAccount', LOGIN.user)
      await setOption('SMTPToken', LOGIN.pass)
      return server
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
      await closeAsk()
      await database.close()
      await place.close()
    },
  }
}

let made = 0

async function addUser(
  database: DeliveryDeps['database'],
  { email, role, status }: { email: string; role: number; status: number },
): Promise<number> {
  const username = `reader${++made}`
  return database.transaction((tx) =>
    insertUser(tx, {
      username,
      password_hash: '',
      display_name: username,
      role,
      status,
      email,
      github_id: '',
      wechat_id: '',
      access_token_hash: null,
      group: 'default',
      aff_code: `code-${made}`,
      inviter_id: 0,
      created_time: 0,
    }),
  )
}
