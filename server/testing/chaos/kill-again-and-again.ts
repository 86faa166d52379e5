import { setTimeout as pause } from 'node:timers/promises'
import { killWhileStarting, type RunningServer, startServer } from '../harness/start-server.ts'
import { waitUntil } from '../harness/wait-until.ts'
import type { ChaosWorld } from './chaos-world.ts'
import { checkAnswered, checkBooks } from './checks.ts'
import { Clients } from './clients.ts'

const CLIENTS = 12
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
  const clients = new Clients(world.key)
  const chaos = (kills: number, wrong: string[]): Chaos => ({
    kills,
    wrong,
    answered: clients.answered.size,
    broken: clients.broken,
    refused: clients.refused,
  })
  clients.start(CLIENTS)
  let server: RunningServer | null = null
  let checked = 0
  try {
    for (let kills = 1; kills <= options.kills; kills++) {
      await killOnce()
      // The new server is ready only after it has written its predecessor's journal to the
      // database.
      server = await startServer(world.variables, options.main, START_TIMEOUT_MS)
      const known = new Map([...clients.answered].slice(checked))
      checked += known.size
      const wrong = await checkAnswered(world.database, known)
      if (wrong.length > 0) return chaos(kills, wrong)
      clients.url = server.url
      options.onKill?.(chaos(kills, []))
    }
    await clients.stop()
    const code = await server?.stop('SIGTERM')
    const wrong = [
      ...(code === 0 ? [] : [`the server ended with ${code}`]),
      ...(await checkAnswered(world.database, clients.answered)),
      ...(await checkBooks(world.database)),
    ]
    return chaos(options.kills, wrong)
  } finally {
    clients.url = null
    await server?.stop('SIGKILL')
    await clients.stop()
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
    clients.url = null
  }
}
