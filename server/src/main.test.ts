import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { portOf } from '../testing/harness/port-of.ts'
import { createPostgresDatabase, findFreePort } from '../testing/harness/postgres.ts'
import {
  type RunningServer,
  runServerToItsEnd,
  startServer,
} from '../testing/harness/start-server.ts'
import { waitUntil } from '../testing/harness/wait-until.ts'
import { startCuttingProxy } from '../testing/ledger/cutting-proxy.ts'

let folder: string
let running: RunningServer[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-main-'))
  running = []
})

afterEach(async () => {
  await Promise.all(running.map((server) => server.stop('SIGKILL')))
  await rm(folder, { recursive: true, force: true })
})

const dataDir = () => join(folder, 'data')

async function start(variables: Record<string, string> = {}) {
  const server = await startServer({ DATA_DIR: dataDir(), ...variables })
  running.push(server)
  return server
}

/** Without the files that SQLite keeps next to an open database. */
const lastingFiles = async () =>
  (await readdir(dataDir())).filter((name) => !/-(wal|shm|journal)$/.test(name))

const login = async (url: string, password: string) => {
  const response = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    body: JSON.stringify({ username: 'root', password }),
  })
  const answer: unknown = await response.json()
  return answer
}

/** Checks the sentence, and that nothing was left behind. */
async function expectRefused(variables: Record<string, string>, sentence: RegExp) {
  const { code, output } = await runServerToItsEnd({ DATA_DIR: dataDir(), ...variables })
  expect(output.trim()).toMatch(sentence)
  expect(output.trim().split('\n')).toHaveLength(1)
  expect(code).toBe(1)
  expect(existsSync(dataDir())).toBe(false)
}

const everything = async () => {
  const names = await readdir(dataDir(), { recursive: true })
  return ['.', ...names].map((name) => join(dataDir(), name))
}

const openToOthers = async () => {
  const modes = await Promise.all(
    (await everything()).map(async (path) => ({ path, mode: (await stat(path)).mode & 0o077 })),
  )
  return modes.filter(({ mode }) => mode !== 0)
}

test("an empty folder gets a root who can log in, and files for the server's user only", async () => {
  const before = process.umask(0o022)
  try {
    const server = await start()
    expect(server.output()).toContain('root / 123456')
    expect(await login(server.url, '123456')).toMatchObject({ success: true, data: { role: 100 } })
    expect((await everything()).length).toBeGreaterThan(3)
    expect(await openToOthers()).toEqual([])
    await server.stop('SIGTERM')
  } finally {
    process.umask(before)
  }
  // An earlier version left them open.
  await chmod(dataDir(), 0o755)
  await chmod(join(dataDir(), 'tollgate.db'), 0o644)
  await start()
  expect(await openToOthers()).toEqual([])
})

test('SIGTERM ends the process in order despite half a request, and the next start finds everything written, by the same SECRET_KEY', async () => {
  const first = await start({
    INITIAL_ROOT_PASSWORD: 'another password',
    SECRET_KEY: 'the first secret key',
  })
  const { port } = new URL(first.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  await new Promise((resolve) => socket.write('GET /api/status HTTP/1.1\r\n', resolve))
  const startedAt = performance.now()
  expect(await first.stop('SIGTERM')).toBe(0)
  expect(performance.now() - startedAt).toBeLessThan(15_000)
  socket.destroy()

  const before = await lastingFiles()
  const { code, output } = await runServerToItsEnd({
    DATA_DIR: dataDir(),
    SECRET_KEY: 'the second secret key',
  })
  expect(code).toBe(1)
  expect(output).toMatch(/^SECRET_KEY /)
  expect(await lastingFiles()).toEqual(before)

  const second = await start({ SECRET_KEY: 'the first secret key' })
  expect(second.output()).not.toContain('First login')
  expect(await login(second.url, 'another password')).toMatchObject({ success: true })
})

test.each([
  [{ PORT: 'eighty' }, /^PORT must be a whole number/],
  [
    { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', DATABASE_WAIT_SECONDS: '0' },
    /^DATABASE_URL: the database cannot be opened/,
  ],
])('%o is refused in one sentence and leaves nothing behind', async (variables, sentence) => {
  await expectRefused(variables, sentence)
})

test('a port in use is refused by name', async () => {
  const taken = createServer()
  taken.listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const port = portOf(taken)
  await expectRefused({ PORT: String(port) }, /^PORT \d+ is in use/)
  taken.close()
})

test('a data folder that is a file is refused', async () => {
  await writeFile(join(folder, 'file'), '')
  const { code, output } = await runServerToItsEnd({ DATA_DIR: join(folder, 'file') })
  expect(code).toBe(1)
  expect(output).toMatch(/^DATA_DIR .* cannot be written/)
})

test('a second process on the same data folder is refused, until a kill -9 of the first', async () => {
  await mkdir(dataDir(), { mode: 0o755 })
  await writeFile(join(dataDir(), 'of-others'), '')
  const first = await start()
  // A folder with other files keeps its mode.
  expect((await stat(dataDir())).mode & 0o777).toBe(0o755)
  expect((await stat(join(dataDir(), 'tollgate.db'))).mode & 0o777).toBe(0o600)
  const { code, output } = await runServerToItsEnd({ DATA_DIR: dataDir() })
  expect(code).toBe(1)
  expect(output).toMatch(/^DATA_DIR .* in use/)
  await first.stop('SIGKILL')
  const second = await start({ HOST: '::1' })
  // Browsers take IPv6 addresses in brackets.
  expect(second.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
  expect(await login(second.url, '123456')).toMatchObject({ success: true })
})

test('a disk that fails during the start ends it in one sentence, and the next start recovers', async () => {
  const first = await start()
  await first.stop('SIGKILL')
  const journal = join(dataDir(), 'journal')
  const [epoch = ''] = await readdir(journal)
  const lock = join(journal, epoch, 'lock')
  await rm(lock)
  // SQLite cannot open a folder, as it cannot open a file on a full disk.
  await mkdir(lock)
  const { code, output } = await runServerToItsEnd({ DATA_DIR: dataDir() })
  expect([code, output.trim().split('\n')]).toEqual([
    1,
    [expect.stringMatching(/^DATA_DIR: the start failed: unable to open database file\./)],
  ])
  await rm(lock, { recursive: true })
  expect(await login((await start()).url, '123456')).toMatchObject({ success: true })
})

test('two concurrent first starts on one PostgreSQL create one root, and a third reports a clock that differs', async () => {
  const database = await createPostgresDatabase(inject('postgresUrl'))
  const shared = { DATABASE_URL: database.url, SECRET_KEY: 'one key for both of them' }
  const servers = await Promise.all([
    start({ ...shared, DATA_DIR: join(folder, 'a') }),
    start({ ...shared, DATA_DIR: join(folder, 'b') }),
  ])
  for (const { url, output } of servers) {
    expect(await login(url, '123456')).toMatchObject({ success: true })
    expect(output()).not.toContain('clock')
  }
  await Promise.all(servers.map((server) => server.stop()))
  const twoHoursAhead =
    '--import data:text/javascript,const%20now=Date.now;Date.now=()=>now()+7200000'
  const ahead = await start({ ...shared, NODE_OPTIONS: twoHoursAhead })
  expect(ahead.output()).toContain('clock')
  expect(ahead.output()).toContain('ahead of that of the database')
  await ahead.stop()
  await database.drop()
})

const probe = async (url: string, path = '/readyz') => {
  const response = await fetch(`${url}${path}`, { headers: { connection: 'close' } })
  const body: unknown = await response.json()
  return { status: response.status, body }
}

test('a lost database takes the server out of the rotation, and its return puts it back', async () => {
  const database = await createPostgresDatabase(inject('postgresUrl'))
  const proxy = await startCuttingProxy(database.url)
  const { url } = await start({ DATABASE_URL: proxy.databaseUrl })
  const isReady = async () => (await probe(url)).status === 200
  expect(await probe(url)).toMatchObject({ status: 200, body: { status: 'ready' } })

  proxy.sever()
  await waitUntil(async () => !(await isReady()))
  const { status, body } = await probe(url)
  expect(status).toBe(503)
  expect(body).toMatchObject({
    status: 'not_ready',
    checks: { start: { status: 'ok' }, database: { status: 'unavailable' } },
  })
  expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|postgres/)
  expect((await probe(url, '/healthz')).status).toBe(200)
  expect(await probe(url, '/api/status')).toMatchObject({ status: 503, body: { success: false } })

  proxy.restore()
  await waitUntil(isReady)
  expect((await probe(url, '/api/status')).status).toBe(200)
  await running.pop()?.stop()
  await proxy.close()
  await database.drop()
})

test('while the server waits for its database it is alive and not ready, and SIGTERM ends it', async () => {
  const port = await findFreePort()
  const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none'
  const variables = { DATABASE_URL, DATA_DIR: dataDir(), PORT: String(port) }
  const ended = runServerToItsEnd(variables, async (stop) => {
    const url = `http://127.0.0.1:${port}`
    await waitUntil(async () => (await probe(url, '/healthz').catch(() => null))?.status === 200)
    expect(await probe(url)).toMatchObject({
      status: 503,
      body: { checks: { start: { status: 'starting' } } },
    })
    stop()
  })
  const { code, output } = await ended
  expect(code).toBe(0)
  expect(output).toContain('the database does not answer: connect ECONNREFUSED')
})

test('on all addresses of both families, a journal that cannot be written takes the server out of the rotation until it can', async () => {
  const { port } = new URL((await start({ HOST: '::' })).url)
  const url = `http://127.0.0.1:${port}`
  expect((await probe(`http://[::1]:${port}`)).status).toBe(200)
  const journal = join(dataDir(), 'journal')
  await rm(journal, { recursive: true })
  await writeFile(journal, '')
  await waitUntil(async () => (await probe(url)).status === 503)
  expect((await probe(url)).body).toMatchObject({
    checks: { database: { status: 'ok' }, journal: { status: 'unwritable' } },
  })
  await rm(journal)
  await waitUntil(async () => (await probe(url)).status === 200)
})

test('several workers share the port; one that dies is replaced; after SIGTERM all accept connections for the delay, and stop', async () => {
  const variables = { WORKERS: '2', LOG_LEVEL: 'info', SHUTDOWN_DELAY_SECONDS: '2' }
  const server = await start(variables)
  await waitUntil(async () => server.output().split('a worker is ready').length > 2)
  const children = async () => {
    const { stdout } = await promisify(execFile)('pgrep', ['-P', String(server.process.pid)])
    return stdout.trim().split('\n')
  }
  const isUp = async () => (await children().catch(() => [])).length === 2
  await waitUntil(isUp)
  const [victim] = await children()
  process.kill(Number(victim), 'SIGKILL')
  await waitUntil(async () => (await isUp()) && !(await children()).includes(victim ?? ''))
  expect(await login(server.url, '123456')).toMatchObject({ success: true })

  const exited = server.stop('SIGTERM')
  await waitUntil(async () => (await probe(server.url)).status === 503)
  expect(await probe(server.url)).toMatchObject({
    status: 503,
    body: { status: 'not_ready', checks: { start: { status: 'stopping' } } },
  })
  expect((await probe(server.url, '/livez')).status).toBe(200)
  expect((await probe(server.url, '/api/status')).status).toBe(200)
  expect(await exited).toBe(0)
  await expect(probe(server.url)).rejects.toThrow()
})

test('workers that cannot start are one sentence, and leave nothing behind', async () => {
  await expectRefused(
    {
      WORKERS: '2',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      DATABASE_WAIT_SECONDS: '0',
    },
    /^DATABASE_URL: the database cannot be opened/,
  )
})
