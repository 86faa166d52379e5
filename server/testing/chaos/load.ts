import type { ChaosWorld } from './chaos-world.ts'
import { checkAnswered, countRaised } from './checks.ts'
import { Clients, REASONING } from './clients.ts'
import type { Usage } from './upstream.ts'

const CLIENTS = 12
/** Their streams hide output, so that holds grow with time. */
const REASONING_CLIENTS = 4
/** Pays for one of these clients at a time. Topped up at each start of the server. */
const SHORT_CLIENTS = 4
const SHORT_QUOTA = 1500
/** The least that the option allows: a hold covers the first moments of a stream alone. */
const HELD_TOKENS = '256'

/** Clients of all kinds, and how their answers were billed. */
export class Load {
  /** Streams whose hold was raised while they ran. */
  raised = 0
  readonly #world: ChaosWorld
  readonly #short: { user: number; clients: Clients }
  readonly #reasoning: Clients
  readonly #groups: readonly Clients[]
  readonly #checked = new Map<Clients, number>()

  private constructor(world: ChaosWorld, short: { user: number; key: string }) {
    this.#world = world
    const clients = new Clients(short.key, { asked: REASONING, mayBeShort: true })
    this.#short = { user: short.user, clients }
    this.#reasoning = new Clients(world.key, { asked: REASONING })
    const ordinary = new Clients(world.key)
    this.#groups = [ordinary, this.#reasoning, clients]
    ordinary.start(CLIENTS)
    this.#reasoning.start(REASONING_CLIENTS)
    clients.start(SHORT_CLIENTS)
  }

  static async start(world: ChaosWorld): Promise<Load> {
    await world.setOption('StreamHoldTokens', HELD_TOKENS)
    return new Load(world, await world.addCaller(SHORT_QUOTA))
  }

  /** Answers that arrived completely. */
  get answered() {
    return this.#groups.reduce((sum, { answered }) => sum + answered.size, 0)
  }

  get reasoned() {
    return this.#reasoning.answered.size
  }

  get broken() {
    return this.#groups.reduce((sum, { broken }) => sum + broken, 0)
  }

  /** Refused because the short balance did not pay for them. */
  get unpaid() {
    return this.#short.clients.unpaid
  }

  get refused(): ReadonlyMap<string, number> {
    return new Map(this.#groups.flatMap(({ refused }) => [...refused]))
  }

  async callAt(url: string) {
    await this.#world.credit(this.#short.user, SHORT_QUOTA)
    for (const group of this.#groups) group.url = url
  }

  pause() {
    for (const group of this.#groups) group.url = null
  }

  async stop() {
    await Promise.all(this.#groups.map((group) => group.stop()))
  }

  /** Checks the answers since the last check. */
  async checkNew(): Promise<string[]> {
    const fresh = new Map<string, Usage>()
    for (const group of this.#groups) {
      const { answered } = group
      const known = this.#checked.get(group) ?? 0
      for (const [id, usage] of [...answered].slice(known)) fresh.set(id, usage)
      this.#checked.set(group, answered.size)
    }
    this.raised += await countRaised(this.#world.database, [...fresh.keys()])
    return checkAnswered(this.#world.database, fresh)
  }

  async checkAll(): Promise<string[]> {
    const all = new Map(this.#groups.flatMap(({ answered }) => [...answered]))
    return checkAnswered(this.#world.database, all)
  }
}
