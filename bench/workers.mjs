// Measures the gain from a second process: see LAB.md.
import { measureInTurn } from './in-turn.mjs'

const SPEED_UP_LEAST = 1.8

const print = (text) => process.stdout.write(`${text}\n`)

/**
 * One process gets one CPU, two processes get two. Without a third CPU, one of the two is shared
 * with the load.
 */
export async function measureWorkers(bench, { isQuick }) {
  const { gateway: cpu, load, second } = bench.cpus ?? {}
  const gateways = [
    { name: 'one', cpu, workers: 1 },
    { name: 'two', cpu: cpu === undefined ? cpu : `${cpu},${second ?? load}`, workers: 2 },
  ]
  const { medians, faults } = await measureInTurn(bench, gateways, { isQuick })
  const [one, two] = medians
  print('\n| Processes | JSON 2 kB, CPU µs of all | requests/s |\n| ---: | ---: | ---: |')
  for (const [index, { cpu_us, per_second }] of medians.entries()) {
    print(`| ${index + 1} | ${cpu_us.toFixed(0)} | ${per_second.toFixed(0)} |`)
  }
  if (second === undefined) {
    const byCost = (2 * one.cpu_us) / two.cpu_us
    print(
      `\nThere is no third CPU: two shared theirs with the load. By what a request costs it would be ${byCost.toFixed(2)} times as many with a CPU each.`,
    )
    return faults
  }
  const speedUp = two.per_second / one.per_second
  print(`\nTwo processes on two CPUs answer ${speedUp.toFixed(2)} times as many requests.`)
  if (speedUp < SPEED_UP_LEAST)
    faults.push(`${speedUp.toFixed(2)} times, ${SPEED_UP_LEAST} at least`)
  return faults
}
