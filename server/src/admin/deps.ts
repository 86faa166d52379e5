import type { Logger } from 'pino'
import type { SharedHealth } from '../domain/channel-health.ts'
import type { CallLimit } from '../http/call-limit.ts'
import type { Ask } from '../integrations/ask.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Secrets } from '../secrets.ts'
import type { Settings } from '../settings/settings.ts'
import type { Database } from '../store/database.ts'
import type { Upstream } from '../upstream/send.ts'

/** What the verbs of the control plane work with. */
export type AdminDeps = {
  database: Database
  settings: Settings
  ledger: Ledger
  secrets: Secrets
  env: {
    readonly TRUSTED_PROXIES: readonly string[]
    readonly DEFAULT_PASSWORD_NETWORKS: readonly string[]
    readonly GITHUB_ADDRESS: string
    readonly GITHUB_API_ADDRESS: string
    readonly LARK_ADDRESS: string
    readonly TURNSTILE_ADDRESS: string
  }
  /** For servers outside that are no providers. */
  ask: Ask
  log: Logger
  upstream: Upstream
  /** How the gateway of this process sees the channels, and what it is told of them. */
  health: SharedHealth
  /** Counts calls by address, together with the billing queries. */
  callLimit: CallLimit
  version: string
  /** Epoch seconds. */
  startedAt: number
  /** The folder of the built console. */
  consoleDir: string
  /** Epoch milliseconds. */
  now: () => number
}

export const nowSeconds = ({ now }: Pick<AdminDeps, 'now'>) => Math.floor(now() / 1000)
