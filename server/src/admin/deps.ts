import type { Logger } from 'pino'
import type { SharedHealth, SharedSessions } from '../domain/channel-health.ts'
import type { CallLimit } from '../http/call-limit.ts'
import type { Passwords } from '../http/password.ts'
import type { JsonClient } from '../integrations/json-client.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Secrets } from '../secrets.ts'
import type { Settings } from '../settings/settings.ts'
import type { DatabaseCheck } from '../store/database-check.ts'
import type { Database } from '../store/database.ts'
import type { Upstream } from '../upstream/send.ts'

export type AdminDeps = {
  database: Database
  settings: Settings
  ledger: Ledger
  secrets: Secrets
  passwords: Passwords
  env: {
    readonly TRUSTED_PROXIES: readonly string[]
    readonly DEFAULT_PASSWORD_NETWORKS: readonly string[]
    readonly GITHUB_ADDRESS: string
    readonly GITHUB_API_ADDRESS: string
    readonly LARK_ADDRESS: string
    readonly TURNSTILE_ADDRESS: string
    readonly TELEGRAM_ADDRESS: string
    readonly BASE_PATH: string
  }
  /** Calls external servers other than providers. */
  ask: JsonClient
  /** Like `ask`, for long price lists. */
  fetchJson: JsonClient
  log: Logger
  upstream: Upstream
  /** Channel health, shared with this process's gateway. */
  health: SharedHealth
  /** Sessions that this process's gateway has bound to channels. */
  sessions: SharedSessions
  /** Call limit per address, shared with the billing queries. */
  callLimit: CallLimit
  checkDatabase: DatabaseCheck
  version: string
  /** Epoch seconds. */
  startedAt: number
  consoleDir: string
  /** Epoch milliseconds. */
  now: () => number
}

export const nowSeconds = ({ now }: Pick<AdminDeps, 'now'>) => Math.floor(now() / 1000)
