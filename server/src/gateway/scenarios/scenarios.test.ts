import { describe, expect, test } from 'vitest'
import { answerAs, SECOND } from '../../../testing/failover/answers.ts'
import { BROKEN_NETWORKS } from '../../../testing/failover/network.ts'
import { askAndRead, expectWhole } from '../../../testing/failover/outcome.ts'
import {
  type Expected,
  type Scenario,
  SCENARIOS,
  SLACK_MS,
  type Time,
  WITHIN_MS,
} from '../../../testing/failover/scenarios.ts'
import {
  ASKED,
  openWorld,
  type Provider,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'

/*
 * The scenarios of the public Failover Bench, and further network faults. The second of the two
 * channels uses another model name. Here a second is 50 ms; `npm run failover` uses real times.
 */
const SCALE = Number(process.env['FAILOVER_SCALE'] ?? 0.05)
const LONGEST_MS = 150_000

const time: Time = (ms) => ms * SCALE

/** With real times all scenarios start together, so that setup does not delay a running one. */
const together = SCALE === 1 ? SCENARIOS.length + BROKEN_NETWORKS.length : 0
const begin = Promise.withResolvers<void>()
let ready = 0

async function untilAllAreReady() {
  ready += 1
  if (ready >= together) begin.resolve()
  await begin.promise
}

async function withWorld<Result>(
  first: Provider,
  second: Partial<Provider>,
  run: (world: World) => Promise<Result>,
): Promise<Result> {
  const fallback = { script: [answerAs(SECOND)], mapping: 'other-model', ...second }
  const { world, end } = await openWorld([{ ...first, priority: 1 }, fallback], {
    options: [['HedgeAfterSeconds', String(10 * SCALE)]],
    limits: { tailMs: time(3000), cooldown: { firstMs: time(1000), maxMs: time(10_000) } },
    upstreamLimits: {
      connectMs: time(10_000) + SLACK_MS,
      firstByteMs: time(300_000),
      idleMs: time(120_000),
      totalMs: time(1_800_000),
    },
  })
  try {
    await untilAllAreReady()
    return await run(world)
  } finally {
    await end()
  }
}

/** Returns the time of the scenario's slowest answer. */
async function runScenario(scenario: Scenario): Promise<number> {
  const { first, second, parts } = scenario
  const fallback = { ...parts, ...(second === undefined ? {} : { script: second(time) }) }
  const inWorld = (act: (world: World) => Promise<number>) =>
    withWorld({ script: first(time) }, fallback, act)
  if ('run' in scenario) return inWorld((world) => scenario.run(world, time))
  const bodies = scenario.both === true ? [STREAMED, ASKED] : [STREAMED]
  const times: number[] = []
  for (const body of bodies) {
    times.push(await inWorld((world) => askForWhole(world, body, scenario)))
  }
  return Math.max(...times)
}

async function askForWhole(world: World, body: object, expected: Expected): Promise<number> {
  const { withinMs = WITHIN_MS } = expected
  const outcome = await askAndRead(world, body)
  const { attempts } = await expectWhole(world, outcome, time(withinMs) + SLACK_MS)
  expect(attempts).toEqual(expected.attempts)
  return outcome.milliseconds
}

describe.concurrent('the sixteen scenarios', () => {
  test.for(SCENARIOS)('$name', { timeout: LONGEST_MS }, async (scenario, { task }) => {
    Object.assign(task.meta, { answerMs: await runScenario(scenario) })
  })
})

describe.concurrent('their variants over the network', () => {
  test.for(BROKEN_NETWORKS)(
    '$name',
    { timeout: LONGEST_MS },
    async ({ open, attempts }, { task }) => {
      const place = await open()
      const first = { script: [], base_url: place.base_url }
      const expected = { attempts, withinMs: 15_000 }
      const answerMs = await withWorld(first, {}, (world) => askForWhole(world, STREAMED, expected))
      await place.close()
      Object.assign(task.meta, { answerMs })
    },
  )
})
