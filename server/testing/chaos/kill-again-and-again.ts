import { setTimeout as pause } from 'node:timers/promises'
import { killWhileStarting, type RunningServer, startServer } from '../harness/start-server.ts'
import { waitUntil } from '../harness/wait-until.ts'
import type { ChaosWorld } from './chaos-world.ts'
import { checkAnswered, checkBooks, countRaised } from './checks.ts'
import { Clients, REASONING } from './clients.ts'
import type { Usage } from './upstream.ts'

const CLIENTS = 12
/** Their streams hide output, so that holds grow with time. */
const REASONING_CLIENTS = 4
/** Pays for one of these clients at a time. Topped up at each kill. */
const SHORT_CLIENTS = 4
const SHORT_QUOTA = 1500
/** The least that the option allows: a hold covers the first moments of a stream alone. */
const HELD_TOKENS = '256'
const LOADED_MS_MAX = 600
const STARTING_MS_MAX = 1500
/** Generous, so that a stall of a shared machine does not end a run of a thousand kills. */
const START_TIMEOUT_MS = 120_000
/** Share of the kills that happen while the process starts. */
const WHILE_STARTING = 0.1
/** Share of the other kills that may happen before the process has answered anything. */
const BEFORE_ANSWERS = 0.3

export type Chaos = {
  kills: number
  answered: number
  broken: number
  /** Streams whose hold was raised while they ran. */
  raised: number
  /** Refused because the balance of the short account did not pay for them. */
  unpaid: number
  refused: ReadonlyMap<string, number>
  wrong: string[]
}

type Options = {
  kills: number
  /** Entry point of the process; the server's source by default. */
  main?: string
  onKill?: (chaos: Chaos) => void
}

/**
 * Kills a server under load at random moments, restarts it, and checks how each answer was billed.
 */
export async function killAgainAndAgain(world: ChaosWorld, options: Options): Promise<Chaos> {
  await world.setOption('StreamHoldTokens', HELD_TOKENS)
  const short = await world.addCaller(SHORT_QUOTA)
  const clients = new Clients(world.key)
  const reasoning = new Clients(world.key, { asked: REASONING })
  const poor = new Clients(short.key, { asked: REASONING, mayBeShort: true })
  const groups = [clients, reasoning, poor]
  const sum = (amountOf: (group: Clients) => number) =>
    groups.reduce((total, group) => total + amountOf(group), 0)
  const chaos = (kills: number, wrong: string[]): Chaos => ({
    kills,
    wrong,
    raised,
    unpaid: poor.unpaid,
    answered: sum(({ answered }) => answered.size),
    broken: sum(({ broken }) => broken),
    refused: new Map(groups.flatMap(({ refused }) => [...refused])),
  })
  clients.start(CLIENTS)
  reasoning.start(REASONING_CLIENTS)
  poor.start(SHORT_CLIENTS)
  let server: RunningServer | null = null
  let raised = 0
  const checked = new Map<Clients, number>()
  try {
    for (let kills = 1; kills <= options.kills; kills++) {
      await killOnce()
      // The new server is ready only after it has written its predecessor's journal to the
      // database.
      server = await startServer(world.variables, options.main, START_TIMEOUT_MS)
      const wrong = await checkNew()
      if (wrong.length > 0) return chaos(kills, wrong)
      await world.credit(short.user, SHORT_QUOTA)
      callAt(server.url)
      options.onKill?.(chaos(kills, []))
    }
    const { size } = reasoning.answered
    await waitUntil(async () => reasoning.answered.size > size)
    await stopAll()
    const code = await server?.stop('SIGTERM')
    const wrong = [
      ...(code === 0 ? [] : [`the server ended with ${code}`]),
      ...(await checkNew()),
      ...(await checkAll()),
      ...(await checkBooks(world.database)),
    ]
    return chaos(options.kills, wrong)
  } finally {
    callAt(null)
    await server?.stop('SIGKILL')
    await stopAll()
  }

  function callAt(url: string | null) {
    for (const group of groups) group.url = url
  }

  async function stopAll() {
    await Promise.all(groups.map((group) => group.stop()))
  }

  /** Answers since the last look. */
  async function checkNew() {
    const fresh = new Map<string, Usage>()
    for (const group of groups) {
      for (const [id, usage] of [...group.answered].slice(checked.get(group) ?? 0)) {
        fresh.set(id, usage)
      }
      checked.set(group, group.answered.size)
    }
    raised += await countRaised(world.database, [...fresh.keys()])
    return checkAnswered(world.database, fresh)
  }

  async function checkAll() {
    const wrong = groups.map(({ answered }) => checkAnswered(world.database, answered))
    return (await Promise.all(wrong)).flat()
  }

  async function killOnce() {
    if (server === null || Math.random() < WHILE_STARTING) {
      await end()
      return killWhileStarting(world.variables, Math.random() * STARTING_MS_MAX, options.main)
    }
    // On a busy machine the first answer takes longer than the pause.
    const { size } = clients.answered
    if (Math.random() >= BEFORE_ANSWERS) await waitUntil(async () => clients.answered.size > size)
    await pause(Math.random() * LOADED_MS_MAX)
    await end()
  }

  async function end() {
    await server?.stop('SIGKILL')
    callAt(null)
  }
}
