import type { NotifyBus } from '../../src/store/notify-bus.ts'
import type { Process } from './process.ts'
import type { Random } from './random.ts'

const TRAVEL_MS_MAX = 30

type End = {
  process: Process
  isCut: () => boolean
  hear: (text: string) => void
  /** One-way travel time to the database, which carries the messages. */
  distanceMs?: number | undefined
}

/** Carries messages between all processes, and loses some. */
export class MessageWire {
  readonly #random: Random
  #ends: End[] = []
  lossRate = 0.1
  /** Revocations of leases that nodes asked for. */
  revocations = 0

  constructor(random: Random) {
    this.#random = random
  }

  attach(process: Process, isCut: () => boolean, distanceMs?: number): NotifyBus {
    const end: End = { process, isCut, hear: () => {}, distanceMs }
    this.#ends.push(end)
    process.onDeath(() => this.#detach(end))
    return {
      send: (text) => this.#send(end, text),
      onText: (listener) => {
        end.hear = listener
      },
      close: async () => this.#detach(end),
    }
  }

  #send(from: End, text: string) {
    if (from.isCut() || !from.process.isAlive) return
    if (text.includes('"recall"')) this.revocations += 1
    for (const { process, isCut, hear, distanceMs } of this.#ends) {
      if (isCut() || this.#random.chance(this.lossRate)) continue
      const fixedMs = distanceMs === undefined ? undefined : distanceMs + (from.distanceMs ?? 0)
      process.after(fixedMs ?? this.#random.skewed(0, TRAVEL_MS_MAX), () => hear(text))
    }
  }

  #detach(end: End) {
    this.#ends = this.#ends.filter((other) => other !== end)
  }
}
