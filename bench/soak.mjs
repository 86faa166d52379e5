// Runs ten minutes of mixed load on the product and checks its memory: see README.md.
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, stop } from './processes.mjs'
import { median } from './report.mjs'
import { ROWS } from './rows.mjs'

const MINUTES = 10
const MIX = ['json', 'saturated', 'large', 'tenants']
/** Memory in the last fifth of the samples, as a multiple of the second fifth. */
const GROWTH_MAX = 1.1

const print = (text) => process.stdout.write(`${text}\n`)

/** Returns the exit code. */
export async function soak(bench, { startMock, offerLoad, scenarios }) {
  const { mock, port: mockPort } = await startMock(bench)
  const folder = mkdtempSync(join(bench.folder, 'soak-'))
  const port = await freePort()
  const setup = { ...bench, folder, port, mockPort, cpu: bench.cpus?.gateway }
  const { gateway, key, keysFile, checkBooks } = await ROWS.at(-1).start(setup)
  const target = { port, key, keysFile, pid: gateway.child.pid }
  const samples = []
  let answers = 0
  let bad = 0
  const end = Date.now() + MINUTES * 60_000
  while (Date.now() < end) {
    for (const name of MIX) {
      const figures = await offerLoad(bench, scenarios[name], target)
      answers += figures.good_ever
      bad += figures.bad
      samples.push(figures.rss_mb)
    }
    print(`${answers} answers, ${bad} bad, ${samples.at(-1).toFixed(0)} MB`)
  }
  const { booked } = await checkBooks(answers)
  await stop(gateway)
  await stop(mock)
  const fifth = Math.floor(samples.length / 5)
  const growth = median(samples.slice(-fifth)) / median(samples.slice(fifth, 2 * fifth))
  print(`memory of the last fifth is ${growth.toFixed(2)} times that of the second`)
  const faults = [
    ...(growth > GROWTH_MAX ? ['memory grows'] : []),
    ...(bad > 0 ? [`${bad} bad answers`] : []),
    ...(booked < answers ? [`${answers} answers and ${booked} booked`] : []),
  ]
  for (const fault of faults) print(`FAULT ${fault}`)
  return faults.length === 0 ? 0 : 1
}
