import type { IncomingMessage, ServerResponse } from 'node:http'
import { pathOf } from '../gateway/intake/paths.ts'
import type { Checks } from './checks.ts'

/** Kubernetes' names of its probes. */
const LIVENESS: ReadonlySet<string> = new Set(['/healthz', '/livez'])
const READINESS = '/readyz'

type Start = 'starting' | 'ok' | 'stopping'
type Report = {
  status: string
  version: string
  checks: { start: { status: Start } } & Partial<Checks>
}

/**
 * Answers the probes of orchestrators and load balancers, before any limit, log or authentication.
 * Liveness depends on the event loop only: a restart would not mend the database.
 */
export class Probes {
  readonly #version: string
  #start: Start = 'starting'
  #check: (() => Promise<Checks>) | null = null

  constructor(version: string) {
    this.#version = version
  }

  /** The app accepts requests, and `check` says whether it can serve them. */
  open(check: () => Promise<Checks>) {
    this.#start = 'ok'
    this.#check = check
  }

  stop() {
    this.#start = 'stopping'
  }

  /** False if the request is for another path. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const path = pathOf(request)
    const isLiveness = LIVENESS.has(path)
    if (!isLiveness && path !== READINESS) return false
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD', 'cache-control': 'no-store' }).end()
    } else if (isLiveness) {
      send(response, 200, this.#report('alive'))
    } else {
      void this.#sendReadiness(response)
    }
    return true
  }

  async #sendReadiness(response: ServerResponse) {
    const checks = this.#start === 'ok' ? await this.#check?.() : undefined
    // SIGTERM may have arrived during the check.
    const isReady =
      this.#start === 'ok' && checks?.database.status === 'ok' && checks.journal.status === 'ok'
    if (isReady) send(response, 200, this.#report('ready', checks))
    else send(response, 503, this.#report('not_ready', checks))
  }

  #report(status: string, checks: Partial<Checks> = {}): Report {
    return { status, version: this.#version, checks: { start: { status: this.#start }, ...checks } }
  }
}

function send(response: ServerResponse, status: number, report: Report) {
  const body = JSON.stringify(report)
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
    })
    .end(body)
}
