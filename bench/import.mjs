// Imports large databases of other gateways: see README.md.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { findPostgres, startPostgres } from './databases.mjs'
import { cpuOf } from './machine.mjs'
import { createPeer, keyOf } from './peer-database.mjs'
import { freePort, run, stop, untilAnswering } from './processes.mjs'
import { startServerAt } from './rows.mjs'

export const SIZE = { users: 100_000, logs: 1_000_000 }
export const SIZE_QUICK = { users: 5000, logs: 50_000 }
const SECONDS_MAX = 120
const TIMEOUT_MS = 900_000
const CONNECTIONS = 32
const TIMED = 'TIMEFORMAT="cpu %R %U %S"; time "$@"'
export const SECRET_KEY = 'the secret key of the bench'

const CASES = [
  { product: 'One API', from: 'SQLite', to: 'SQLite' },
  { product: 'New API', from: 'PostgreSQL', to: 'SQLite' },
  { product: 'New API', from: 'SQLite', to: 'PostgreSQL' },
  { product: 'New API', from: 'PostgreSQL', to: 'PostgreSQL' },
]

const psql = () => join(findPostgres(), 'psql')

const print = (text) => process.stdout.write(`${text}\n`)

/** `args` chooses cases by their numbers. */
export async function measureImport(bench, { isQuick, args }) {
  const size = isQuick ? SIZE_QUICK : SIZE
  const chosen = CASES.filter((_, index) => args.length === 0 || args.includes(String(index + 1)))
  const needsPostgres = chosen.some(({ from, to }) => [from, to].includes('PostgreSQL'))
  const postgres = needsPostgres ? await startPostgres({ folder: bench.folder }) : null
  const faults = []
  print('\n| From | Into | first run s | CPU s | of the server s | second run s |')
  print('| --- | --- | ---: | ---: | ---: | ---: |')
  for (const [index, each] of chosen.entries()) {
    const folder = join(bench.folder, `import-${index}`)
    mkdirSync(folder)
    const world = { ...bench, postgres, folder, size, ...each }
    faults.push(...(await measureCase(world)).map((fault) => `${nameOf(each)}: ${fault}`))
    rmSync(folder, { recursive: true })
  }
  if (postgres !== null) await stop(postgres.server)
  return faults
}

const nameOf = ({ product, from, to }) => `${product} on ${from} into ${to}`

async function measureCase(world) {
  const { product, from, to, size, postgres, folder } = world
  const address =
    from === 'SQLite' ? join(folder, 'one-api.db') : await createDatabase(postgres, 'peer')
  await createPeer(address, { product, ...size })
  const databaseUrl = to === 'SQLite' ? undefined : await createDatabase(postgres, 'target')
  const target = { dataFolder: join(folder, 'data'), databaseUrl }
  mkdirSync(target.dataFolder)
  const first = await runImport(world, { address, target })
  const before = await digestOf(target)
  const second = await runImport(world, { address, target })
  const after = await digestOf(target)
  print(
    `| ${product}, ${from} | ${to} | ${first.seconds} | ${first.cpu} | ${first.serverCpu} | ${second.seconds} |`,
  )
  const counts = [`users: ${size.users} new`, `keys: ${size.users} new`]
  counts.push(`log rows: ${size.logs} new`, 'the audit finds 0 differences')
  return [
    ...counts.filter((text) => !first.output.includes(text)).map((text) => `without "${text}"`),
    ...(before === after ? [] : ['the second run made a difference']),
    ...(await findRefusedKeys(world, target)),
    ...(first.seconds > SECONDS_MAX ? [`${first.seconds} s, at most ${SECONDS_MAX}`] : []),
  ]
}

/** Seconds by the clock, of the command's CPU and of PostgreSQL's. */
export async function runImport({ node, root, postgres }, { address, target, name }) {
  const { dataFolder, databaseUrl } = target
  const command = [node, join(root, 'server/dist/tollgate.js'), 'import', '--from', address]
  if (name) command.push('--name', name)
  const env = { ...process.env, DATA_DIR: dataFolder, SECRET_KEY }
  if (databaseUrl) env.DATABASE_URL = databaseUrl
  const child = spawn('bash', ['-c', TIMED, 'bash', ...command], { env, timeout: TIMEOUT_MS })
  const before = postgres === null ? 0 : cpuOf(postgres.server.child.pid)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the import failed: ${output}`)
  const [, real, user, system] = /^cpu (\S+) (\S+) (\S+)$/m.exec(output).map(Number)
  const serverCpu = postgres === null ? 0 : cpuOf(postgres.server.child.pid) - before
  return {
    output,
    seconds: Math.round(real),
    cpu: Math.round(user + system),
    serverCpu: Math.round(serverCpu),
  }
}

export async function createDatabase({ url }, name) {
  const address = url.replace(/\/\w+$/, `/${name}`)
  await run([
    psql(),
    '-qX',
    url,
    '-c',
    `drop database if exists ${name}`,
    '-c',
    `create database ${name}`,
  ])
  return address
}

/** A digest of all rows of all tables. */
async function digestOf({ dataFolder, databaseUrl }) {
  const hash = createHash('sha256')
  if (databaseUrl !== undefined) {
    const tables = await run([
      psql(),
      '-qXAt',
      databaseUrl,
      '-c',
      `select tablename from pg_tables
      where schemaname = 'public' order by 1`,
    ])
    for (const table of tables.trim().split('\n')) {
      // Otherwise a scan of a large table begins where the last one was.
      const env = { ...process.env, PGOPTIONS: '-c synchronize_seqscans=off' }
      const copy = `copy (select t::text from "${table}" t) to stdout`
      const child = spawn(psql(), ['-qX', databaseUrl, '-c', copy], { env })
      for await (const part of child.stdout) hash.update(part)
    }
    return hash.digest('hex')
  }
  const database = new DatabaseSync(join(dataFolder, 'tollgate.db'), { readOnly: true })
  const tables = database.prepare("select name from sqlite_master where type = 'table' order by 1")
  for (const { name } of tables.all()) {
    for (const row of database.prepare(`select * from "${String(name)}"`).iterate()) {
      hash.update(JSON.stringify(Object.values(row)))
    }
  }
  database.close()
  return hash.digest('hex')
}

/** Asks the relay with every key of the other gateway. */
async function findRefusedKeys(bench, { dataFolder, databaseUrl }) {
  const port = await freePort()
  const variables = { SECRET_KEY }
  const server = startServerAt({ ...bench, dataFolder, databaseUrl, port, variables })
  await untilAnswering(server, `http://127.0.0.1:${port}/api/status`)
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  let [next, refused] = [1, 0]
  const ask = async () => {
    while (next <= bench.size.users) {
      const number = next
      next += 1
      const headers = { authorization: `Bearer sk-${keyOf(number)}` }
      const sent = request({ agent, port, host: '127.0.0.1', path: '/v1/models', headers }).end()
      const [response] = await once(sent, 'response')
      response.resume()
      await once(response, 'end')
      if (response.statusCode !== 200) refused += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, ask))
  agent.destroy()
  await stop(server)
  return refused === 0 ? [] : [`${refused} of ${bench.size.users} keys are refused`]
}
