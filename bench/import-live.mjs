// Imports a large log into PostgreSQL while a gateway charges users of the import: see README.md.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from './databases.mjs'
import { createDatabase, runImport, SECRET_KEY, SIZE, SIZE_QUICK } from './import.mjs'
import { offerLoad } from './in-turn.mjs'
import { balanceOf, createPeer, isUnlimited, keyOf } from './peer-database.mjs'
import { freePort, start, stop, untilAnswering } from './processes.mjs'
import { addChannel, signIn, startServerAt } from './rows.mjs'

/** The name of both sources, so that the second continues the first. */
const NAME = 'old'
const RATE = 100
const WINDOW_SECONDS = 5
const USERS = 50
const BALANCE_MIN = 500_000
const SCRAPE_MS = 250
const LAG = /^tollgate_apply_lag_seconds (\S+)$/m

const print = (text) => process.stdout.write(`${text}\n`)

export async function measureImportLive(bench, { isQuick }) {
  const size = isQuick ? SIZE_QUICK : SIZE
  const postgres = await startPostgres({ folder: bench.folder })
  const databaseUrl = await createDatabase(postgres, 'target')
  const importing = { ...bench, postgres }
  const dataFolder = join(bench.folder, 'gateway')
  mkdirSync(dataFolder)
  const importFrom = async (file, logs) => {
    const address = join(bench.folder, file)
    await createPeer(address, { product: 'New API', users: size.users, logs })
    return () => runImport(importing, { address, target: { dataFolder, databaseUrl }, name: NAME })
  }
  const importUsers = await importFrom('users.db', 0)
  await importUsers()
  const importLog = await importFrom('log.db', size.logs)
  const gateway = await openGateway(bench, { dataFolder, databaseUrl })
  const before = await gateway.measure()
  let isDone = false
  const imported = importLog().finally(() => {
    isDone = true
  })
  const during = []
  while (!isDone) during.push(await gateway.measure())
  const { output, seconds } = await imported
  const after = await gateway.measure()
  await gateway.close()
  await stop(postgres.server)
  print(`\nThe import took ${seconds} s during ${RATE} requests per second.`)
  print('\n| | p50 ms | p99 ms, worst window | bad answers | largest lag of charges s |')
  print('| --- | ---: | ---: | ---: | ---: |')
  for (const [name, windows] of Object.entries({ before: [before], during, after: [after] })) {
    const largest = (field) => Math.max(...windows.map((window) => window[field]))
    const [p50, p99] = [largest('p50_us'), largest('p99_us')].map((us) => (us / 1000).toFixed(1))
    print(`| ${name} | ${p50} | ${p99} | ${largest('bad')} | ${largest('lag').toFixed(1)} |`)
  }
  return [
    ...(during.some(({ bad, good }) => bad > 0 || good === 0) ? ['bad answers'] : []),
    ...(output.includes('the audit finds 0 differences') ? [] : ['the audit finds differences']),
  ]
}

/** A gateway whose load is of imported users; `measure` offers it for a window. */
async function openGateway(bench, target) {
  const mockPort = await freePort()
  const mock = start([join(bench.bin, 'mockup'), String(mockPort)])
  await untilAnswering(mock, `http://127.0.0.1:${mockPort}`)
  const [port, metricsPort] = [await freePort(), await freePort()]
  const variables = { SECRET_KEY, METRICS_PORT: String(metricsPort) }
  const server = startServerAt({
    ...bench,
    ...target,
    cpu: undefined,
    port,
    variables,
  })
  await addChannel(await signIn(server, `http://127.0.0.1:${port}`), mockPort)
  const keysFile = join(bench.folder, 'live-keys')
  writeFileSync(keysFile, keysOfUsers().join('\n'))
  const lags = []
  const scrape = async () => {
    const text = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((got) => got.text())
    lags.push(Number(LAG.exec(text)[1]))
  }
  const timer = setInterval(() => void scrape().catch(() => {}), SCRAPE_MS)
  const measure = async () => {
    lags.length = 0
    const load = { body: 'json', connections: 64, rate: RATE, keysFile }
    const figures = await offerLoad({ ...bench, cpus: null }, { port, gateway: server }, load, {
      warmUp: 0,
      seconds: WINDOW_SECONDS,
    })
    await sleep(SCRAPE_MS)
    return { ...figures, lag: Math.max(0, ...lags) }
  }
  const close = async () => {
    clearInterval(timer)
    await stop(server)
    await stop(mock)
  }
  return { measure, close }
}

/** Keys of users who have much of the log and can pay for the load. */
function keysOfUsers() {
  const keys = []
  for (let number = 1; keys.length < USERS; number += 1) {
    if (isUnlimited(number) && balanceOf(number) >= BALANCE_MIN) keys.push(`sk-${keyOf(number)}`)
  }
  return keys
}
