import type { Quota } from '@tollgate/contract'
import type { Hold, HoldAmount, HoldOutcome, Ledger } from '../../src/ledger/ledger.ts'
import { checkEnd } from './checks.ts'
import type { Machine, Node } from './machine.ts'
import type { SentRequest } from './request.ts'
import { requestEnd, settlementOf } from './settlement.ts'
import { heal } from './simulate.ts'
import { World } from './world.ts'

const WAIT_MS_MAX = 600_000

export type Running = { readonly request: SentRequest; readonly hold: Hold }

/** A simulated world in which a test decides what happens. */
export class Scenario {
  readonly world: World
  readonly #running = new Set<Running>()

  private constructor(world: World) {
    this.world = world
  }

  /** Opens a world with this many machines, each with one serving process. */
  static async open(machines: number): Promise<Scenario> {
    const scenario = new Scenario(await World.open({ seed: 1, isCalm: false }))
    scenario.world.wire.lossRate = 0
    for (let count = 0; count < machines; count++) await scenario.addMachine()
    return scenario
  }

  async addMachine(disk?: Machine['disk']): Promise<Machine> {
    const machine = this.world.addMachine({ workers: 1, syncAlways: false }, disk)
    await this.untilServing(machine)
    return machine
  }

  /** Kills the process that serves on the machine, and waits for the next one. */
  async restart(machine: Machine) {
    this.nodeOf(machine).process.kill()
    await this.untilServing(machine)
  }

  untilServing(machine: Machine) {
    return this.until(() => machine.nodes.some(({ ledger }) => ledger !== null))
  }

  nodeOf(machine: Machine): Node {
    const node = machine.nodes.find(({ ledger }) => ledger !== null)
    if (node === undefined) throw new Error(`nothing serves on ${machine.nature.name}`)
    return node
  }

  ledgerOf(machine: Machine): Ledger {
    const { ledger } = this.nodeOf(machine)
    if (ledger === null) throw new Error(`nothing serves on ${machine.nature.name}`)
    return ledger
  }

  pass(milliseconds: number): Promise<void> {
    return this.world.timeline.advance(milliseconds)
  }

  async until(isSo: () => boolean) {
    for (let waited = 0; !isSo(); waited++) {
      if (waited === WAIT_MS_MAX) throw new Error('it does not come to that')
      await this.pass(1)
    }
  }

  /** Lets time pass until `work` is done. */
  async done<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false
    const result = work.finally(() => {
      isDone = true
    })
    result.catch(() => {})
    await this.until(() => isDone)
    return result
  }

  async ask(
    machine: Machine,
    tokenId: number,
    amount: HoldAmount,
  ): Promise<{ request: SentRequest; outcome: HoldOutcome }> {
    const token = this.world.tokens.find(({ id }) => id === tokenId)
    if (token === undefined) throw new Error(`there is no token ${tokenId}`)
    const node = this.nodeOf(machine)
    const request = this.world.addRequest(node, token)
    const outcome = await this.done(this.ledgerOf(machine).hold(request.context, amount))
    if (outcome.type === 'held') request.admittedAt = node.process.ranMs
    return { request, outcome }
  }

  async hold(machine: Machine, tokenId: number, max: Quota): Promise<Running> {
    const { request, outcome } = await this.ask(machine, tokenId, { min: max, max })
    if (outcome.type !== 'held') throw new Error(`not held: ${JSON.stringify(outcome)}`)
    const running = { request, hold: outcome.hold }
    this.#running.add(running)
    return running
  }

  async settle(running: Running, cost: Quota) {
    const { request, hold } = running
    this.#running.delete(running)
    request.asked = cost
    await this.done(hold.settle(settlementOf(cost, '')))
    request.promisedAt = request.node.process.ranMs
  }

  /** Holds this much, settles at once, and returns the request that has ended. */
  async charge(machine: Machine, tokenId: number, max: Quota, cost: Quota): Promise<Running> {
    const running = await this.hold(machine, tokenId, max)
    await this.settle(running, cost)
    return running
  }

  async void(running: Running) {
    const { request, hold } = running
    this.#running.delete(running)
    request.asked = 'void'
    await this.done(hold.void(requestEnd('client_left')))
    request.promisedAt = request.node.process.ranMs
  }

  balance(userId: number): { quota: Quota; quota_leased: Quota } {
    const [row] = this.world.server.ask<{ quota: number; quota_leased: number }>(
      `select quota, quota_leased from users where id = ${userId}`,
    )
    if (row === undefined) throw new Error(`there is no user ${userId}`)
    return row
  }

  row({ request }: Running): LoggedEnd | undefined {
    const [row] = this.world.server.ask<LoggedEnd>(
      `select outcome, quota, uncollected, late from logs
        where request_id = '${request.context.requestId}'`,
    )
    return row && { ...row }
  }

  /** Heals and ends everything. Returns the violations found at the end. */
  async finish(): Promise<string[]> {
    for (const running of this.#running) {
      if (running.request.node.process.isAlive) await this.void(running)
    }
    await heal(this.world)
    return checkEnd(this.world)
  }
}

type LoggedEnd = { outcome: string; quota: Quota; uncollected: Quota; late: number }
