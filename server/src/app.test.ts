import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { OptionKey } from '@tollgate/contract'
import { openMailServer } from '../testing/fakes/mail-server.ts'
import {
  answerChat,
  answerError,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../testing/fakes/scripted-upstream.ts'
import { openTestDatabase } from '../testing/harness/databases.ts'
import { rawCall, rawRequest } from '../testing/harness/raw-call.ts'
import { waitUntil } from '../testing/harness/wait-until.ts'
import { addressOf } from '../testing/worlds/gateway-world.ts'
import { ask, COST, QUOTA } from '../testing/worlds/relay-scenario.ts'
import { createRowMaker } from '../testing/worlds/row-maker.ts'
import { readUser } from '../testing/worlds/rows.ts'
import { createApp } from './app.ts'
import { createCredits } from './ledger/balances/credit.ts'
import { readEnv } from './process/env.ts'
import { seed } from './process/seed.ts'
import { deriveSecrets } from './secrets.ts'
import { openDatabase } from './store/database.ts'

const ACCESS_TOKEN = 'AccessTokenOfTheTests'
const EMAIL = 'bob@example.com'
const LOGIN = { user: 'gate@example.com', pass: 'the-mail-password' }

/** When journal files are synced. */
const disk = vi.hoisted(() => ({ synced: Promise.resolve() }))

vi.mock(import('./ledger/journal/file-disk.ts'), async (importOriginal) => {
  const { fileDisk } = await importOriginal()
  const create: typeof fileDisk.create = (path) => {
    const file = fileDisk.create(path)
    const sync = () => disk.synced.then(() => file.sync())
    return {
      write: (bytes) => file.write(bytes),
      sync,
      isLinked: () => file.isLinked(),
      close: () => file.close(),
    }
  }
  return { fileDisk: { ...fileDisk, create } }
})

let upstream: ScriptedUpstream
let world: Awaited<ReturnType<typeof openWorld>>

beforeEach(async () => {
  upstream = await startScriptedUpstream()
  world = await openWorld()
})

afterEach(async () => {
  await world.close()
  await upstream.close()
})

/** The app as `main.ts` opens it, with one caller and one channel, on its own port. */
async function openWorld(variables: NodeJS.ProcessEnv = {}) {
  const place = await openTestDatabase('sqlite')
  const database = await openDatabase(place)
  const secrets = deriveSecrets('a master key of the tests')
  const env = readEnv({
    DATA_DIR: place.dataDir,
    INITIAL_ROOT_ACCESS_TOKEN: ACCESS_TOKEN,
    ...variables,
  })
  await seed({ database, secrets, env, now: Date.now })
  const ledger = createCredits({ database, now: Date.now })
  const rows = createRowMaker({ database, ledger, secrets })
  const user = await rows.addUser({ quota: QUOTA })
  await database.kysely.updateTable('users').set({ email: EMAIL }).where('id', '=', user).execute()
  const { key } = await rows.addToken({ user })
  await rows.addChannel({ base_url: upstream.baseUrl('p0') })
  const log = pino({ level: 'silent' })
  const app = await createApp({
    env,
    database,
    secrets,
    log,
    version: '',
    observers: {},
    consoleDir: '/nowhere',
  })
  const server = createServer(app.serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= app.shutDown().then(app.close))
  return {
    database,
    url: addressOf(server.address()),
    user,
    key,
    /** Once it resolves, every request is in the ledger. */
    stop,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await stop()
      await database.close()
      await place.close()
    },
  }
}

async function setOption(key: OptionKey, value: string) {
  const answer = await fetch(`${world.url}/api/option/`, {
    method: 'PUT',
    headers: { authorization: ACCESS_TOKEN },
    body: JSON.stringify({ key, value }),
  })
  expect(await answer.json()).toMatchObject({ success: true })
}

test('a program at an address without /v1 gets an error, a browser gets the console', async () => {
  const get = (path: string, headers: Record<string, string>, method = 'GET') =>
    fetch(world.url + path, { method, headers })
  for (const path of ['/models', '/chat/completions', '/v1/v1/models']) {
    const answer = await get(path, { accept: '*/*' })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({
      error: { message: expect.stringContaining('base URL') },
    })
  }
  const posted = await get('/chat/completions', { accept: 'text/html' }, 'POST')
  expect([posted.status, posted.headers.get('content-type')]).toEqual([
    404,
    'application/json; charset=utf-8',
  ])
  expect(await posted.text()).toContain('/v1/chat/completions')
  for (const header of ['Accept: text/html,*/*;q=0.8', 'Sec-Fetch-Mode: navigate']) {
    const page = await rawCall(world.url, rawRequest('GET /models', { headers: [header] }))
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      ['text/plain; charset=utf-8'],
    ])
  }
  expect((await get('/token', { accept: '*/*' })).status).toBe(200)
})

const account = async () => {
  const { quota, used_quota } = await readUser(world, world.user)
  return { quota, used_quota }
}

const outcomes = async () => {
  const rows = await world.database.kysely
    .selectFrom('logs')
    .select('outcome')
    .where('user_id', '=', world.user)
    .orderBy('id')
    .execute()
  return rows.map(({ outcome }) => outcome)
}

test.each([
  { consume: true, error: true, kept: ['void', 'settled'] },
  { consume: false, error: true, kept: ['void'] },
  { consume: true, error: false, kept: ['settled'] },
  { consume: false, error: false, kept: [] },
])(
  'LogConsumeEnabled $consume and LogErrorEnabled $error keep $kept, and the charge is booked',
  async ({ consume, error, kept }) => {
    upstream.script('p0', answerError(400, {}), answerChat())
    await setOption('LogConsumeEnabled', String(consume))
    await setOption('LogErrorEnabled', String(error))
    expect((await ask(world)).status).toBe(400)
    expect((await ask(world)).status).toBe(200)
    await world.stop()
    expect(await account()).toEqual({ quota: QUOTA - COST, used_quota: COST })
    expect(await outcomes()).toEqual(kept)
  },
)

test('an absolute request target counts as its path', async () => {
  upstream.script('p0', answerChat())
  const asked = httpRequest(world.url, {
    path: `${world.url}/v1/models`,
    headers: { authorization: `Bearer ${world.key}` },
  }).end()
  const [response] = await once(asked, 'response')
  expect(JSON.parse(await text(response))).toMatchObject({ object: 'list' })
})

describe("while the journal's disk hangs", () => {
  let answers: () => void

  beforeEach(() => {
    const { promise, resolve } = Promise.withResolvers<void>()
    disk.synced = promise
    answers = resolve
  })
  afterEach(() => answers())

  test('requests are answered while their charge is being written', async () => {
    upstream.script('p0', answerChat())
    expect((await ask(world)).status).toBe(200)
  })

  test('with SYNC_JOURNAL=always no request is answered', async () => {
    const careful = await openWorld({ SYNC_JOURNAL: 'always' })
    upstream.script('p0', answerChat())
    const isAnswered = vi.fn()
    const answer = ask(careful)
    const heard = answer.then(isAnswered)
    // Later requests are answered before it.
    for (let times = 0; times < 3; times++) await (await ask(world)).text()
    expect(isAnswered).not.toHaveBeenCalled()
    answers()
    await heard
    expect((await answer).status).toBe(200)
    await careful.close()
  })
})

const waiting = async () => {
  const rows = await world.database.kysely.selectFrom('outbox').select('id').execute()
  return rows.length
}

test('a user whose balance falls below the configured threshold gets one mail', async () => {
  const mailServer = await openMailServer({ login: LOGIN })
  try {
    upstream.script('p0', answerChat())
    await setOption('SMTPServer', '127.0.0.1')
    await setOption('SMTPPort', String(mailServer.port))
    await setOption('SMTPAccount', LOGIN.user)
    await setOption('SMTPToken', LOGIN.pass)
    await setOption('QuotaRemindThreshold', String(QUOTA - COST))
    expect((await ask(world)).status).toBe(200)
    await waitUntil(async () => (await account()).used_quota === COST)
    // A balance at the threshold is not below it; the next request takes the balance below it.
    expect(await waiting()).toBe(0)
    expect((await ask(world)).status).toBe(200)
    await waitUntil(async () => mailServer.mails.length > 0)
    await waitUntil(async () => (await waiting()) === 0)
    expect(mailServer.mails).toMatchObject([{ receivers: [EMAIL] }])
  } finally {
    await mailServer.close()
  }
})

describe('private networks', () => {
  const change = async (key: OptionKey, value: string) => {
    const answer = await fetch(`${world.url}/api/option/`, {
      method: 'PUT',
      headers: { authorization: ACCESS_TOKEN },
      body: JSON.stringify({ key, value }),
    })
    return answer.text()
  }

  test('are forbidden to channels and configured servers by the option', async () => {
    upstream.script('p0', answerChat())
    expect((await ask(world)).status).toBe(200)
    await setOption('SMTPServer', '127.0.0.1')
    await setOption('ChannelPrivateNetworksEnabled', 'false')
    expect((await ask(world)).status).toBe(502)
    expect(await change('SMTPServer', '127.0.0.2')).toContain('private network')
    expect(upstream.requestsOf('p0')).toHaveLength(1)
  })

  test('are forbidden by the environment, except for listed ones', async () => {
    await world.close()
    world = await openWorld({ CHANNEL_PRIVATE_NETWORKS: 'forbid' })
    upstream.script('p0', answerChat())
    expect((await ask(world)).status).toBe(502)
    expect(await change('ChannelPrivateNetworksEnabled', 'true')).toContain('environment variable')
    await world.close()
    world = await openWorld({
      CHANNEL_PRIVATE_NETWORKS: 'forbid',
      UPSTREAM_PRIVATE_NETWORKS: '127.0.0.0/8',
    })
    expect((await ask(world)).status).toBe(200)
    await setOption('SMTPServer', '127.0.0.2')
  })
})
