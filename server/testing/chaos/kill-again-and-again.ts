import { setTimeout as pause } from 'node:timers/promises'
import { killWhileStarting, type RunningServer, startServer } from '../harness/start-server.ts'
import { waitUntil } from '../harness/wait-until.ts'
import type { ChaosWorld } from './chaos-world.ts'
import { checkBooks } from './checks.ts'
import { Load } from './load.ts'

const LOADED_MS_MAX = 600
const STARTING_MS_MAX = 1500
/** Generous, so that a stall of a shared machine does not end a run of a thousand kills. */
const START_TIMEOUT_MS = 120_000
/** Share of the kills that happen while the process starts. */
const WHILE_STARTING = 0.1
/** Share of the other kills that may happen before the process has answered anything. */
const BEFORE_ANSWERS = 0.3

/** See `Load`. */
export type Chaos = {
  kills: number
  answered: number
  broken: number
  raised: number
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
  const load = await Load.start(world)
  const chaos = (kills: number, wrong: string[]): Chaos => {
    const { answered, broken, raised, unpaid, refused } = load
    return { kills, wrong, answered, broken, raised, unpaid, refused }
  }
  let server: RunningServer | null = null
  try {
    for (let kills = 1; kills <= options.kills; kills++) {
      await killOnce()
      // The new server is ready only after it has written its predecessor's journal to the
      // database.
      server = await startServer(world.variables, options.main, START_TIMEOUT_MS)
      const wrong = await load.checkNew()
      if (wrong.length > 0) return chaos(kills, wrong)
      await load.callAt(server.url)
      options.onKill?.(chaos(kills, []))
    }
    const { reasoned } = load
    await waitUntil(async () => load.reasoned > reasoned)
    await load.stop()
    const code = await server?.stop('SIGTERM')
    const wrong = [
      ...(code === 0 ? [] : [`the server ended with ${code}`]),
      ...(await load.checkNew()),
      ...(await load.checkAll()),
      ...(await checkBooks(world.database)),
    ]
    return chaos(options.kills, wrong)
  } finally {
    load.pause()
    await server?.stop('SIGKILL')
    await load.stop()
  }

  async function killOnce() {
    if (server === null || Math.random() < WHILE_STARTING) {
      await end()
      return killWhileStarting(world.variables, Math.random() * STARTING_MS_MAX, options.main)
    }
    // On a busy machine the first answer takes longer than the pause.
    const { answered } = load
    if (Math.random() >= BEFORE_ANSWERS) await waitUntil(async () => load.answered > answered)
    await pause(Math.random() * LOADED_MS_MAX)
    await end()
  }

  async function end() {
    await server?.stop('SIGKILL')
    load.pause()
  }
}
