import type { Timer } from '../../src/clock.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { addAccounts, type SimulatedToken } from './accounts.ts'
import type { BrokenRule } from './broken-rules.ts'
import { NO_FAULTS, type Rates } from './commit-outcome.ts'
import { Machine, type Node, type Surroundings } from './machine.ts'
import type { MemoryServer } from './memory-server.ts'
import { BEGIN_MS } from './process.ts'
import { Random } from './random.ts'
import { runRequest, type SentRequest } from './request.ts'
import { startServer } from './simulated-database.ts'
import { MessageWire } from './wire.ts'

export type WorldOptions = {
  seed: number
  /** Only troubles that leave no cost uncollected. */
  isCalm: boolean
  /** Deliberate deviation from the product. */
  broken?: BrokenRule
}

const NOTES_MAX = 80
const FAST_MS = 5

export class World implements Surroundings {
  readonly seed: number
  readonly isCalm: boolean
  readonly random: Random
  readonly timeline = new FakeClock()
  readonly server: MemoryServer
  readonly wire: MessageWire
  readonly broken: BrokenRule
  readonly userIds: number[]
  readonly tokens: SimulatedToken[]
  readonly machines: Machine[] = []
  readonly requests = new Map<string, SentRequest>()
  /** Credits that were acknowledged. */
  readonly bookedSources = new Set<string>()
  sources = 0
  /** Includes tokens that may or may not exist, because the response to their creation was lost. */
  lastTokenId: number
  readonly complaints: string[] = []
  readonly notes: string[] = []
  rates: Rates = NO_FAULTS
  travelMsMax = FAST_MS
  wasRestored = false
  /** A scheduled restore of the database. */
  restoreTimer: Timer | undefined

  private constructor(
    { seed, isCalm, broken = {} }: WorldOptions,
    server: MemoryServer,
    accounts: Pick<World, 'userIds' | 'tokens'>,
  ) {
    this.seed = seed
    this.isCalm = isCalm
    this.broken = broken
    this.random = new Random(seed)
    this.server = server
    this.wire = new MessageWire(this.random)
    this.userIds = accounts.userIds
    this.tokens = accounts.tokens
    this.lastTokenId = Math.max(...accounts.tokens.map(({ id }) => id))
  }

  static async open(options: WorldOptions): Promise<World> {
    const server = await startServer()
    const accounts = await addAccounts(server, () => BEGIN_MS)
    return new World(options, server, accounts)
  }

  get nodes(): Node[] {
    return this.machines.flatMap(({ nodes }) => nodes)
  }

  get servingNodes(): Node[] {
    return this.nodes.filter(
      ({ ledger, isDraining, process }) => ledger !== null && !isDraining && !process.isStopped,
    )
  }

  note = (text: string) => {
    this.notes.push(`${(this.timeline.monotonic() / 1000).toFixed(3)} ${text}`)
    if (this.notes.length > NOTES_MAX) this.notes.shift()
  }

  complain = (text: string) => {
    this.note(`! ${text}`)
    this.complaints.push(text)
  }

  excuse = (reason: string, isOne: (request: SentRequest) => boolean) => {
    for (const request of this.requests.values()) {
      if (request.excuse === null && isOne(request)) request.excuse = reason
    }
  }

  /** Varies the number of workers and the journal's sync mode. */
  addMachines(count: number) {
    const { random } = this
    for (let added = 0; added < count; added++) {
      this.addMachine({ workers: random.chance(0.25) ? 2 : 1, syncAlways: random.chance(0.25) })
    }
  }

  addMachine(nature: Omit<Machine['nature'], 'name'>, disk?: Machine['disk']): Machine {
    const name = `machine${this.machines.length + 1}`
    const machine = new Machine(this, { ...nature, name }, disk)
    this.machines.push(machine)
    return machine
  }

  sendRequest() {
    const { random, servingNodes } = this
    if (servingNodes.length === 0) return
    const node = random.pick(servingNodes)
    if (node.ledger === null) return
    const token = random.pick(this.tokens.filter(({ isDeleted }) => !isDeleted))
    const request = this.addRequest(node, token)
    const nature = { random, isCalm: this.isCalm, mayBePoisoned: !this.isCalm }
    runRequest(request, node.ledger, nature).catch((error: unknown) =>
      this.complain(`${request.context.requestId} failed: ${String(error)}`),
    )
  }

  addRequest(node: Node, token: SimulatedToken): SentRequest {
    const requestId = `request${this.requests.size + 1}`
    const request: SentRequest = {
      context: {
        requestId,
        userId: token.userId,
        username: `user${token.userId}`,
        tokenId: token.id,
        tokenName: `token${token.id}`,
        model: this.random.pick(['gpt-4o', 'gpt-4o-mini']),
        isStream: this.random.chance(0.4),
        openedAt: Math.floor(node.process.clock.now() / 1000),
        tokenLimited: token.isLimited,
        budget: token.hasBudget ? 'day' : null,
      },
      node,
      admittedAt: null,
      asked: null,
      promisedAt: null,
      isOnlyInDatabase: false,
      excuse: null,
    }
    this.requests.set(requestId, request)
    return request
  }
}
