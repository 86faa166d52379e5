import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Usage } from './upstream.ts'

const PATIENCE_MS = 20_000
const RETRY_MS = 20

const usageSchema = z.object({ prompt_tokens: z.int(), completion_tokens: z.int() })
const answerSchema = z.object({ usage: usageSchema })

const ASKED = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }
export const REASONING = { model: 'gpt-5.1', reasoning_effort: 'high' }
const STREAMED = { stream: true, stream_options: { include_usage: true } }

/** Usage of every answer that a client received completely, by request id. */
export type Answered = ReadonlyMap<string, Usage>

type ClientsOptions = {
  /** What differs in the body. */
  asked?: object
  /** The balance is too small for all of them. */
  mayBeShort?: boolean
}

const SHORT = /"(Insufficient balance|The quota is used up)/

export class Clients {
  readonly answered = new Map<string, Usage>()
  /** Answers that failed or ended early. */
  broken = 0
  /** Number of unsuccessful answers, by their text. */
  readonly refused = new Map<string, number>()
  /** Answers that failed because the balance was short, if that may happen. */
  unpaid = 0
  readonly #key: string
  readonly #asked: object
  readonly #mayBeShort: boolean
  #url: string | null = null
  #isStopped = false
  #loops: Promise<void>[] = []

  constructor(key: string, { asked = {}, mayBeShort = false }: ClientsOptions = {}) {
    this.#key = key
    this.#asked = { ...ASKED, ...asked }
    this.#mayBeShort = mayBeShort
  }

  /** Address to call; null while no server is up. */
  set url(url: string | null) {
    this.#url = url
  }

  /** Starts `count` loops; every second one requests streams. */
  start(count: number) {
    this.#loops = Array.from({ length: count }, (_, index) => this.#loop(index % 2 === 0))
  }

  async stop() {
    this.#isStopped = true
    await Promise.all(this.#loops)
  }

  /** Returns whether the whole answer has arrived. */
  async ask(url: string, isStream: boolean): Promise<boolean> {
    try {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ ...this.#asked, ...(isStream ? STREAMED : {}) }),
        headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      const text = await response.text()
      const id = response.headers.get('x-request-id') ?? ''
      const usage = response.ok ? usageOf(text, isStream) : null
      if (usage !== null) this.answered.set(id, usage)
      else if (this.#mayBeShort && SHORT.test(text)) this.unpaid += 1
      else this.#count(`${response.status} ${text.slice(0, 200)}`)
      return usage !== null
    } catch {
      this.broken += 1
      return false
    }
  }

  async #loop(isStream: boolean) {
    while (!this.#isStopped) {
      const url = this.#url
      const isAnswered = url !== null && (await this.ask(url, isStream))
      if (!isAnswered) await pause(RETRY_MS)
    }
  }

  #count(what: string) {
    this.refused.set(what, (this.refused.get(what) ?? 0) + 1)
  }
}

/** Null if the answer is incomplete. */
function usageOf(text: string, isStream: boolean): Usage | null {
  if (!isStream) return answerSchema.parse(JSON.parse(text)).usage
  const events = text.split('\n\n').filter((event) => event !== '')
  if (events.at(-1) !== 'data: [DONE]') return null
  const last = events.at(-2)?.slice('data: '.length) ?? ''
  return answerSchema.parse(JSON.parse(last)).usage
}
