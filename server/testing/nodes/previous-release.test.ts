import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openDatabase } from '../../src/store/database.ts'
import { MIGRATION_NAMES } from '../../src/store/migrate-tables.ts'
import type { Place } from '../chaos/chaos-world.ts'
import { checkAnswered, checkBooks } from '../chaos/checks.ts'
import { Clients } from '../chaos/clients.ts'
import { CHAOS_MODELS, startPatientUpstream } from '../chaos/upstream.ts'
import { DATABASES, openEmptyDatabase } from '../harness/databases.ts'
import { connectTo } from '../harness/former-database.ts'
import { runCommand } from '../harness/run-command.ts'
import { startServer } from '../harness/start-server.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { atEnd, newFolder } from './node-world.ts'
import { buildPreviousRelease } from './previous-release.ts'

const TIMEOUT_MS = 120_000
const ACCESS_TOKEN = 'Root0AccessToken0Of0The0Upgrades00'
const ANSWERS = 20

const previous = buildPreviousRelease()
/** Without it, servers of this version stand for both. */
const NAME = previous === undefined ? 'this release, without a history,' : 'the previous release'

const answerSchema = z.object({
  success: z.boolean(),
  message: z.string(),
  data: z.unknown().optional(),
})

async function call(url: string, method: string, route: string, body?: object): Promise<unknown> {
  const headers = { authorization: ACCESS_TOKEN, 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await fetch(url + route, { method, headers, ...sent })
  const { success, message, data } = answerSchema.parse(await answer.json())
  if (!success) throw new Error(`${method} ${route}: ${message}`)
  return data
}

/** Adds what a request needs, through the API of the server at `url`. */
async function addCaller(url: string, name: string): Promise<string> {
  const token = await call(url, 'POST', '/api/token/', { name, unlimited_quota: true })
  return `sk-${z.object({ key: z.string() }).parse(token).key}`
}

async function addChannel(url: string) {
  const upstream = await startPatientUpstream()
  atEnd(upstream.close)
  const models = CHAOS_MODELS.join(',')
  const channel = { type: 1, name: 'only', key: 'sk-x', base_url: upstream.baseUrl, models }
  await call(url, 'POST', '/api/channel/', { ...channel, group: 'default' })
}

async function countMigrations(place: Place): Promise<number> {
  const kysely = connectTo(place)
  const { rows } = await sql`select name from kysely_migration`.execute(kysely)
  await kysely.destroy()
  return rows.length
}

/** Uses what writes to many tables and reads rows that any version may have written. */
async function useConsole(url: string, username: string) {
  const account = { username, password: 'a long password', display_name: username }
  await call(url, 'POST', '/api/user/', account)
  await call(url, 'POST', '/api/redemption/', { name: username, quota: 500, count: 2 })
  await call(url, 'PUT', '/api/option/', { key: 'Notice', value: username })
  for (const list of ['user', 'token', 'channel', 'log', 'redemption', 'option']) {
    await call(url, 'GET', `/api/${list}/`)
  }
}

test.each(DATABASES)(
  `an upgrade on %s from ${NAME} and back loses no charge, also where a server is killed`,
  async (kind) => {
    const place = await openEmptyDatabase(kind)
    atEnd(() => place.close())
    const { databaseUrl, dataDir } = place
    const start = async (main: string | undefined, folder: string) => {
      const variables = {
        DATA_DIR: folder,
        SECRET_KEY: 'one key for all of them',
        INITIAL_ROOT_ACCESS_TOKEN: ACCESS_TOKEN,
        ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
      }
      const server = await startServer(variables, main)
      atEnd(() => server.stop('SIGKILL'))
      return server
    }
    const former = await start(previous, dataDir)
    const migrated = await countMigrations(place)
    // Otherwise the upgrade would change no table.
    if (previous !== undefined) expect(migrated).toBeLessThan(MIGRATION_NAMES.length)
    await addChannel(former.url)
    const clients = new Clients(await addCaller(former.url, 'first'))
    const answerMore = async (url: string | null) => {
      clients.url = url
      const before = clients.answered.size
      await waitUntil(async () => clients.answered.size >= before + ANSWERS)
    }
    clients.start(6)
    await answerMore(former.url)

    // SQLite has one server at a time. PostgreSQL is migrated while the former serves.
    const aside = databaseUrl === undefined ? dataDir : await newFolder()
    if (databaseUrl === undefined) await former.stop('SIGKILL')
    const next = await start(undefined, aside)
    await answerMore(next.url)
    await useConsole(next.url, 'next')
    if (databaseUrl !== undefined) {
      await answerMore(former.url)
      await useConsole(former.url, 'former')
      await former.stop('SIGKILL')
    }
    // The way back: the previous release starts on the newer tables.
    if (databaseUrl === undefined) await next.stop('SIGKILL')
    const again = await start(previous, dataDir)
    await answerMore(again.url)
    await useConsole(again.url, 'back')
    const late = new Clients(await addCaller(again.url, 'late'))
    expect(await late.ask(again.url, false)).toBe(true)
    clients.url = databaseUrl === undefined ? null : next.url
    expect(await again.stop('SIGTERM')).toBe(0)
    const last = databaseUrl === undefined ? await start(undefined, dataDir) : next
    await answerMore(last.url)
    expect(await late.ask(last.url, true)).toBe(true)
    await clients.stop()
    expect(await last.stop('SIGTERM')).toBe(0)

    expect([...clients.refused.keys()]).toEqual([])
    const database = await openDatabase(place)
    atEnd(() => database.close())
    // The first of these releases lose what a request has cost the operator when they are killed.
    const checks = { isCostKnown: previous === undefined }
    for (const { answered } of [clients, late]) {
      expect(await checkAnswered(database, answered, checks)).toEqual([])
    }
    expect(await checkBooks(database)).toEqual([])
    const { code, output } = await runCommand('audit', { dataDir, databaseUrl })
    expect([code, output]).toEqual([0, expect.stringContaining('differences: 0')])
  },
  TIMEOUT_MS,
)
