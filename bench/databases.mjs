// Compares the gateway's CPU cost on PostgreSQL and SQLite: see LAB.md.
import { chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { measureInTurn } from './in-turn.mjs'
import { freePort, run, start, stop } from './processes.mjs'

const DEBIAN_VERSIONS = '/usr/lib/postgresql'
const FACTOR_MAX = 1.2

const print = (text) => process.stdout.write(`${text}\n`)

export function findPostgres() {
  const versions = existsSync(DEBIAN_VERSIONS) ? readdirSync(DEBIAN_VERSIONS) : []
  const version = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .find((name) => existsSync(join(DEBIAN_VERSIONS, name, 'bin/initdb')))
  if (!version) throw new Error('PostgreSQL not found: install postgresql')
  return join(DEBIAN_VERSIONS, version, 'bin')
}

/**
 * Runs on the CPU of the load, so that its own cost is not the gateway's. PostgreSQL refuses to run
 * as root.
 */
export async function startPostgres({ folder, cpus }) {
  const bin = findPostgres()
  const place = mkdtempSync(join(folder, 'postgres-'))
  const isRoot = process.getuid() === 0
  const owner = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
  if (isRoot) {
    const idOf = async (flag) => Number(await run(['id', flag, 'postgres']))
    chownSync(place, await idOf('-u'), await idOf('-g'))
    await run(['chmod', '711', folder])
  }
  const data = join(place, 'data')
  const initdb = [join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8']
  await run([...owner, ...initdb, '--locale=C', '--no-sync'], { timeoutMs: 60_000 })
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=']
  const options = settings.flatMap((setting) => ['-c', setting])
  const command = [join(bin, 'postgres'), '-D', data, '-p', String(port), ...options]
  const server = start([...owner, ...command], { cpu: cpus?.load })
  const ready = [join(bin, 'pg_isready'), '-h', '127.0.0.1', '-p', String(port), '-t', '1']
  for (let left = 100; left > 0; left -= 1) {
    const isReady = await run(ready).then(
      () => true,
      () => false,
    )
    if (isReady) return { server, url: `postgres://postgres@127.0.0.1:${port}/postgres` }
  }
  throw new Error(`PostgreSQL did not start: ${server.stderr}`)
}

export async function measureDatabases(bench, { isQuick }) {
  const cpu = bench.cpus?.gateway
  const postgres = await startPostgres(bench)
  const gateways = [
    { name: 'SQLite', cpu },
    { name: 'PostgreSQL', cpu, databaseUrl: postgres.url },
  ]
  const { medians, faults } = await measureInTurn(bench, gateways, { isQuick })
  await stop(postgres.server)
  const [sqlite, other] = medians.map(({ cpu_us }) => cpu_us)
  const factor = other / sqlite
  print('\n| Database | JSON 2 kB, CPU µs of the gateway |\n| --- | ---: |')
  print(`| SQLite | ${sqlite.toFixed(0)} |\n| PostgreSQL | ${other.toFixed(0)} |`)
  print(`\nOn PostgreSQL a request takes ${factor.toFixed(2)} times the CPU.`)
  if (factor > FACTOR_MAX) faults.push(`${factor.toFixed(2)} times, at most ${FACTOR_MAX}`)
  return faults
}
