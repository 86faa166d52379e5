import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openChaosWorld, type Place } from '../../testing/chaos/chaos-world.ts'
import { checkAnswered, checkBooks } from '../../testing/chaos/checks.ts'
import { type Answered, Clients } from '../../testing/chaos/clients.ts'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { runCommand } from '../../testing/harness/run-command.ts'
import {
  type RunningServer,
  runServerToItsEnd,
  startServer,
} from '../../testing/harness/start-server.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import { openDatabase } from '../store/database.ts'

const SECOND_MS = 1000
const CLIENTS = 8
const QUOTA = 1_000_000_000
const FOR_LOAD = { timeout: 120 * SECOND_MS }

let server: RunningServer | null

const place = openPerTest(() => openTestDatabase('sqlite'))
const world = openPerTest(() => openChaosWorld(place, { quota: QUOTA, tokenQuota: QUOTA }))
beforeEach(async () => {
  writeSecretKey(place.dataDir)
  server = null
})

afterEach(async () => {
  await server?.stop('SIGKILL')
})

const pathOf = (name: string) => join(place.dataDir, name)
const start = async () => (server = await startServer(world.variables))

const backUp = (...args: string[]) => runCommand('backup', place, pathOf('backup.db'), ...args)
const restore = (to: Place, ...args: string[]) =>
  runCommand('restore', to, pathOf('backup.db'), ...args)

const writeSecretKey = (dataDir: string, key = world.variables['SECRET_KEY']) =>
  writeFileSync(join(dataDir, 'secret-key'), `${key}\n`)

function newPlace(name: string): Place {
  const dataDir = pathOf(name)
  mkdirSync(dataDir)
  return { dataDir, databaseUrl: undefined }
}

function newPlaceWithKey(name: string): Place {
  const made = newPlace(name)
  writeSecretKey(made.dataDir)
  return made
}

/** Starts and stops a server, which applies the journals, and checks the books afterwards. */
async function expectBilled(to: Place, answered: Answered) {
  server = await startServer({ ...world.variables, DATA_DIR: to.dataDir })
  expect(await server.stop('SIGTERM')).toBe(0)
  const database = await openDatabase(to)
  try {
    expect(await checkAnswered(database, answered)).toEqual([])
    expect(await checkBooks(database)).toEqual([])
  } finally {
    await database.close()
  }
}

test(
  'a backup under load has every charge until then; newer journals bring the others',
  FOR_LOAD,
  async () => {
    const { url } = await start()
    const clients = new Clients(world.key)
    clients.url = url
    clients.start(CLIENTS)
    await waitUntil(async () => clients.answered.size > 100)
    const before = new Map(clients.answered)
    expect(await backUp()).toMatchObject({ code: 0, output: expect.stringContaining('1 tokens') })
    const atBackup = clients.answered.size
    await waitUntil(async () => clients.answered.size > atBackup + 100)
    await server?.stop('SIGKILL')
    clients.url = null
    await clients.stop()

    const elsewhere = newPlace('restored')
    writeSecretKey(elsewhere.dataDir)
    expect(await restore(elsewhere)).toMatchObject({ code: 0 })
    await expectBilled(elsewhere, before)

    expect(await restore(place)).toMatchObject({
      code: 1,
      output: expect.stringContaining('--replace'),
    })
    await world.database.close()
    expect(await restore(place, '--replace')).toMatchObject({ code: 0 })
    await expectBilled(place, clients.answered)
  },
)

/** Each step ends with one sentence that says what to do, and changes nothing. */
test('a restore refuses what it cannot do', async () => {
  const running = await start()
  expect(await backUp()).toMatchObject({ code: 0 })
  const refused = (sentence: string) => ({
    code: 1,
    output: `restore: could not be done: ${sentence}\n`,
  })
  expect(await restore(place, '--replace')).toEqual(
    refused(
      `DATA_DIR ${place.dataDir} is in use by another process. Stop it, or give this one its own.`,
    ),
  )
  await running.stop('SIGTERM')
  const { dataDir } = newPlace('elsewhere')
  const elsewhere = { dataDir, databaseUrl: undefined }
  const stored = join(dataDir, 'secret-key')
  expect(await restore(elsewhere)).toEqual(
    refused(
      `the backup does not contain the secret key; put it into ${stored} or SECRET_KEY first.`,
    ),
  )
  writeSecretKey(dataDir, 'the secret key of another installation')
  expect(await restore(elsewhere)).toEqual(
    refused(`${stored} is not the key this backup was written with.`),
  )
  const file = pathOf('backup.db')
  const plain = pathOf('tollgate.db')
  expect(await runCommand('restore', elsewhere, plain)).toEqual(
    refused(`${plain} is not a backup of Tollgate.`),
  )
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0x55, bytes.length / 2, bytes.length / 2 + 8192))
  expect((await restore(elsewhere)).code).toBe(1)
  expect(await backUp()).toEqual({
    code: 1,
    output: `backup: could not be done: ${file} exists; choose another name.\n`,
  })
})

test('with the secret key, a backup is all that another machine needs', async () => {
  await (await start()).stop('SIGTERM')
  expect(await backUp('--with-secret-key')).toMatchObject({ code: 0 })
  const elsewhere = newPlace('elsewhere')
  expect(await restore(elsewhere)).toMatchObject({ code: 0 })
  server = await startServer({ DATA_DIR: elsewhere.dataDir })
  const headers = { authorization: `Bearer ${world.key}` }
  expect((await fetch(`${server.url}/v1/models`, { headers })).status).toBe(200)
})

test('a server does not start as a new one on half of its data', async () => {
  const original = newPlace('original')
  server = await startServer({ ...world.variables, DATA_DIR: original.dataDir })
  const copy = newPlace('copy')
  copyFileSync(join(original.dataDir, 'tollgate.db'), join(copy.dataDir, 'tollgate.db'))
  const variables = { ...world.variables, DATA_DIR: copy.dataDir }
  const outputOf = async () => (await runServerToItsEnd(variables)).output
  expect(await outputOf()).toContain('tollgate.db has no tables and no tollgate.db-wal')

  mkdirSync(join(copy.dataDir, 'journal', 'epoch'), { recursive: true })
  writeFileSync(join(copy.dataDir, 'tollgate.db'), '')
  expect(await outputOf()).toContain('the database is empty, but')
})

test('a server names the lack of what a database was copied without', async () => {
  const original = newPlace('original')
  server = await startServer({ ...world.variables, DATA_DIR: original.dataDir })
  const copy = newPlace('copy')
  for (const name of ['tollgate.db', 'tollgate.db-wal']) {
    copyFileSync(join(original.dataDir, name), join(copy.dataDir, name))
  }
  await server.stop('SIGKILL')
  server = await startServer({ ...world.variables, DATA_DIR: copy.dataDir })
  expect(server.output()).toContain('copied from a running server without 1 of its journals')
  await server.stop('SIGTERM')
  server = await startServer({ ...world.variables, DATA_DIR: original.dataDir })
  expect(server.output()).not.toContain('copied from a running server')
})

test('of two backups to a name at once, each is done or refused, and no part stays', async () => {
  await (await start()).stop('SIGTERM')
  const ended = await Promise.all([backUp(), backUp()])
  expect(ended.map(({ code }) => code)).toContain(0)
  for (const { code, output } of ended) {
    if (code !== 0) expect(output).toMatch(/exists; choose another name\.\n$/)
  }
  expect(readdirSync(place.dataDir).filter((name) => name.startsWith('backup.db'))).toEqual([
    'backup.db',
  ])
  expect(await restore(newPlaceWithKey('elsewhere'))).toMatchObject({ code: 0 })
})

test('places that cannot hold a backup, and what is none, are named', async () => {
  await (await start()).stop('SIGTERM')
  const failed = (command: string, reason: string) => ({
    code: 1,
    output: `${command}: could not be done: ${reason}.\n`,
  })
  const nowhere = pathOf('nowhere')
  expect(await runCommand('backup', place, join(nowhere, 'x.db'))).toEqual(
    failed('backup', `the folder ${nowhere} does not exist`),
  )
  expect(await runCommand('restore', newPlace('elsewhere'), place.dataDir)).toEqual(
    failed('restore', `${place.dataDir} is not a file`),
  )
})
