// What a second process gives: see README.md.
import { measureInTurn } from './in-turn.mjs'

const SPEED_UP_LEAST = 1.8

const print = (text) => process.stdout.write(`${text}\n`)

/** One process has one CPU; two have two, or the same one where there is no third for the load. */
export async function measureWorkers(bench, { isQuick }) {
  const { gateway: cpu, second } = bench.cpus ?? {}
  const both = second === undefined ? cpu : `${cpu},${second}`
  const gateways = [
    { name: 'one', cpu, workers: 1 },
    { name: 'two', cpu: both, workers: 2 },
  ]
  const { medians, faults } = await measureInTurn(bench, gateways, { isQuick })
  const [one, two] = medians
  print('\n| Processes | JSON 2 kB, CPU µs of all | requests/s |\n| ---: | ---: | ---: |')
  for (const [index, { cpu_us, per_second }] of medians.entries()) {
    print(`| ${index + 1} | ${cpu_us.toFixed(0)} | ${per_second.toFixed(0)} |`)
  }
  if (second === undefined) {
    print(
      '\nThere is no third CPU: two shared one, so that nothing is said of two with a CPU each.',
    )
    return faults
  }
  const speedUp = two.per_second / one.per_second
  print(`\nTwo processes on two CPUs answer ${speedUp.toFixed(2)} times as many requests.`)
  if (speedUp < SPEED_UP_LEAST)
    faults.push(`${speedUp.toFixed(2)} times, ${SPEED_UP_LEAST} at least`)
  return faults
}
