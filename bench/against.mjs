// Compares this build with the build of another checkout, in turn: see README.md.
import { join, resolve } from 'node:path'
import { offerLoad, openGateway } from './in-turn.mjs'
import { freePort, run, start, stop, untilAnswering } from './processes.mjs'
import { median } from './report.mjs'

const LOADS = [
  { name: 'JSON 2 kB', body: 'json', connections: 32 },
  { name: 'JSON 200 kB', body: 'json-200k', connections: 8 },
  { name: 'stream of 50 at saturation', body: 'stream-50-fast', connections: 128, events: 52 },
  { name: 'stream of 50 at 100/s', body: 'stream-50', connections: 256, events: 52, rate: 100 },
]
/** Two processes of the same build differ by up to a tenth, so several pairs are started. */
const PAIRS = 4
const ROUNDS = 3
const FACTOR_MAX = 1.02

const print = (text) => process.stdout.write(`${text}\n`)

/** `args[0]` is the folder of the other checkout, with its packages installed. */
export async function measureAgainst(bench, { isQuick, args: [folder] }) {
  if (!folder) throw new Error('name the folder of the other checkout')
  const other = resolve(folder)
  await run([bench.node, join(other, 'tools/build.mjs')], { timeoutMs: 120_000 })
  const pairs = []
  for (let pair = 0; pair < (isQuick ? 2 : PAIRS); pair += 1) {
    // The start order alternates, because the first process of a pair has the emptier machine.
    pairs.push(await measurePair(bench, { other, pair, rounds: isQuick ? 2 : ROUNDS }))
  }
  print(`\n| Load | this build, CPU µs | the other, CPU µs | ratio | lowest and highest pair |`)
  print('| --- | ---: | ---: | ---: | ---: |')
  const faults = []
  for (const { name } of LOADS) {
    const [mine, others] = ['this', 'other'].map((build) =>
      median(pairs.flatMap((costs) => costs[build][name])),
    )
    const ratios = pairs
      .map((costs) => median(costs.this[name]) / median(costs.other[name]))
      .toSorted((a, b) => a - b)
    const ratio = median(ratios)
    const span = `${ratios[0].toFixed(3)}–${ratios.at(-1).toFixed(3)}`
    print(`| ${name} | ${mine.toFixed(1)} | ${others.toFixed(1)} | ${ratio.toFixed(3)} | ${span} |`)
    if (ratio > FACTOR_MAX) faults.push(`${name}: ${ratio.toFixed(3)}, at most ${FACTOR_MAX}`)
  }
  return faults
}

async function measurePair(bench, { other, pair, rounds }) {
  const mockPort = await freePort()
  const mock = start([join(bench.bin, 'mockup'), String(mockPort)], { cpu: bench.cpus?.load })
  await untilAnswering(mock, `http://127.0.0.1:${mockPort}`)
  const builds = [
    { build: 'this', root: bench.root },
    { build: 'other', root: other },
  ]
  const gateways = []
  for (const entry of pair % 2 === 0 ? builds : builds.toReversed()) {
    const settings = { root: entry.root, cpu: bench.cpus?.gateway, mockPort }
    const opened = await openGateway(bench, { ...settings, name: `${entry.build}-${pair}` })
    gateways.push({ ...opened, build: entry.build })
  }
  const costs = { this: {}, other: {} }
  for (const load of LOADS) {
    for (const gateway of gateways) await offerLoad(bench, gateway, load, { warmUp: 0, seconds: 6 })
    for (let round = 0; round < rounds; round += 1) {
      for (const gateway of round % 2 === 0 ? gateways : gateways.toReversed()) {
        const answer = await offerLoad(bench, gateway, load, { warmUp: 0.5, seconds: 3 })
        if (answer.good === 0 || answer.bad > 0) throw new Error(`${load.name}: bad answers`)
        ;(costs[gateway.build][load.name] ??= []).push(answer.cpu_us)
      }
    }
  }
  for (const { gateway } of gateways) await stop(gateway)
  await stop(mock)
  return costs
}
