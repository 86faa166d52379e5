// What the gateway itself costs on PostgreSQL, beside SQLite: see README.md.
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, run, start, stop, untilAnswering } from './processes.mjs'
import { median } from './report.mjs'
import { addToken, signIn, startServerAt } from './rows.mjs'

const DEBIAN_VERSIONS = '/usr/lib/postgresql'
const CONNECTIONS = 32
const FACTOR_MAX = 1.2

const print = (text) => process.stdout.write(`${text}\n`)

function findPostgres() {
  const versions = existsSync(DEBIAN_VERSIONS) ? readdirSync(DEBIAN_VERSIONS) : []
  const version = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .find((name) => existsSync(join(DEBIAN_VERSIONS, name, 'bin/initdb')))
  if (!version) throw new Error('PostgreSQL not found: install postgresql')
  return join(DEBIAN_VERSIONS, version, 'bin')
}

/** On the CPU of the load, so that what it costs itself is not the gateway's. It refuses to run as root. */
async function startPostgres({ folder, cpus }) {
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

async function openGateway(bench, { name, databaseUrl, mockPort }) {
  const dataFolder = join(bench.folder, name)
  mkdirSync(dataFolder)
  const port = await freePort()
  const cpu = bench.cpus?.gateway
  const gateway = startServerAt({ ...bench, dataFolder, port, cpu, databaseUrl })
  const call = await signIn(gateway, `http://127.0.0.1:${port}`)
  await call('POST', '/api/channel/', {
    type: 8,
    name: 'bench',
    key: 'sk-upstream-0123456789',
    base_url: `http://127.0.0.1:${mockPort}`,
    models: 'gpt-4o-mini',
    group: 'default',
  })
  return { name, port, gateway, key: await addToken(call) }
}

async function offerJson({ bin, cpus, folder }, { port, gateway, key }, { warmUp, seconds }) {
  const target = ['-p', port, '-P', gateway.child.pid, '-k', key]
  const load = ['-b', join(folder, 'json.json'), '-c', CONNECTIONS, '-w', warmUp, '-d', seconds]
  const command = [join(bin, 'loadgen'), ...target, ...load].map(String)
  return JSON.parse(await run(command, { cpu: cpus?.load, timeoutMs: 60_000 }))
}

/** Both gateways are up all the time, and are asked in turn. */
export async function measureDatabases(bench, { isQuick }) {
  const rounds = isQuick ? 2 : 6
  const time = { warmUp: 1, seconds: isQuick ? 2 : 4 }
  const mockPort = await freePort()
  const mock = start([join(bench.bin, 'mockup'), String(mockPort)], { cpu: bench.cpus?.load })
  await untilAnswering(mock, `http://127.0.0.1:${mockPort}`)
  const postgres = await startPostgres(bench)
  const gateways = [
    await openGateway(bench, { name: 'SQLite', mockPort }),
    await openGateway(bench, { name: 'PostgreSQL', mockPort, databaseUrl: postgres.url }),
  ]
  const figures = gateways.map(() => [])
  for (const gateway of gateways) await offerJson(bench, gateway, time)
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, gateway] of gateways.entries()) {
      figures[index].push(await offerJson(bench, gateway, time))
    }
  }
  for (const { gateway } of gateways) await stop(gateway)
  await stop(postgres.server)
  await stop(mock)
  const [sqlite, other] = figures.map((rows) => median(rows.map(({ cpu_us }) => cpu_us)))
  const factor = other / sqlite
  print('\n| Database | JSON 2 kB, CPU µs of the gateway |\n| --- | ---: |')
  for (const [index, { name }] of gateways.entries()) {
    print(`| ${name} | ${[sqlite, other][index].toFixed(0)} |`)
  }
  print(`\nOn PostgreSQL a request takes ${factor.toFixed(2)} times the CPU.`)
  const faults = figures.flat().some(({ good, bad }) => good === 0 || bad > 0)
    ? ['bad answers']
    : []
  if (factor > FACTOR_MAX) faults.push(`${factor.toFixed(2)} times, at most ${FACTOR_MAX}`)
  return faults
}
