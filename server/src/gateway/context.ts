import type { AttemptRecord } from '@tollgate/contract'
import type { CountableOutput, RelayRequest } from '@tollgate/relay'
import type { Clock } from '../clock.ts'
import type { Deadlines } from '../deadlines.ts'
import type { CallLimit } from '../http/call-limit.ts'
import type { RequestSource } from '../http/client-address.ts'
import type { ConsoleHost } from '../http/console-host.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Settings } from '../settings/settings.ts'
import type { Upstream } from '../upstream/send.ts'
import type { ExpectedOutput } from './billing/expected-output.ts'
import type { Losses } from './billing/losses.ts'
import type { PendingSettlements } from './billing/pending-settlements.ts'
import type { Authorization, PricedTarget, Terms } from './billing/terms.ts'
import type { UnpricedModels } from './billing/unpriced-models.ts'
import type { ClientRequest } from './http-types.ts'
import type { Authenticate, Caller } from './intake/authenticate.ts'
import type { Client } from './intake/client.ts'
import type { Drains } from './intake/drains.ts'
import type { RequestSummary, RefusedRequests } from './intake/refused-requests.ts'
import type { StoredItems } from './intake/stored-items.ts'
import type { Uploads } from './intake/uploads.ts'
import type { GatewayLimits } from './limits.ts'
import type { BillingQueries } from './local-answers/billing-query.ts'
import type { Admission } from './rate-limits/admission.ts'
import type { RequestTrace, RequestTracing } from './request-trace.ts'
import type { AffinityStore } from './routing/affinity-store.ts'
import type { ChannelAutoDisable } from './routing/channel-auto-disable.ts'
import type { ChannelRegistry } from './routing/channel-registry.ts'
import type { HealthTracker } from './routing/health.ts'
import type { SessionAffinity } from './routing/session-affinity.ts'

export type RelayDeps = {
  readonly settings: Settings
  readonly ledger: Ledger
  readonly upstream: Upstream
  readonly authenticate: Authenticate
  readonly billingQueries: BillingQueries
  readonly callLimit: CallLimit
  readonly registry: () => ChannelRegistry
  readonly pendingSettlements: PendingSettlements
  readonly unpricedModels: Pick<UnpricedModels, 'count' | 'flushed'>
  readonly losses: Pick<Losses, 'report' | 'flushed'>
  readonly refusedRequests: Pick<RefusedRequests, 'note' | 'flushed'>
  readonly drains: Drains
  readonly autoDisable: ChannelAutoDisable
  readonly health: HealthTracker
  readonly expectedOutput: ExpectedOutput
  readonly affinity: AffinityStore
  readonly consoleHost: ConsoleHost
  readonly addressOf: (request: RequestSource) => string
  readonly limits: GatewayLimits
  readonly uploads: Uploads
  readonly storedItems: StoredItems
  /** Null if nobody collects traces. */
  readonly tracing: RequestTracing | null
  readonly clock: Clock
  /** When attempts expire. */
  readonly deadlines: Deadlines
  readonly random: () => number
}

/** A request as received, before its key is checked. */
export type Arrival = {
  readonly request: ClientRequest
  readonly client: Client
  readonly admission: Admission
  readonly requestId: string
  readonly arrivedAt: number
  /** Filled in while the request is read. */
  readonly summary: RequestSummary
}

/** A request with a hold. */
export type RelayContext = Arrival & {
  readonly caller: Caller
  readonly parsedRequest: RelayRequest
  readonly terms: Terms
  readonly authorization: Authorization
  /** Where the turns of the session go; null without a session or a choice. */
  readonly affinity: SessionAffinity | null
  /** The user's id, by which the scheduler takes turns. */
  readonly user: number
  /** Null if nobody collects traces. */
  readonly trace: RequestTrace | null
  /** Grows with every attempt. */
  readonly attempts: AttemptRecord[]
  /** Work of providers that the user does not pay for. */
  readonly unbilled: UnbilledAttempt[]
  /** Answers that did not arrive, which other attempts replaced. */
  readonly replaced: ReplacedAnswer[]
}

export type SettlementContext = Pick<
  RelayContext,
  'admission' | 'arrivedAt' | 'terms' | 'user' | 'attempts' | 'unbilled' | 'replaced'
> & {
  readonly authorization: Pick<Authorization, 'hold'>
  readonly client: Pick<Client, 'drains'>
}

/** An attempt whose provider may bill an answer that did not arrive. */
export type ReplacedAnswer = {
  readonly record: AttemptRecord
  readonly target: PricedTarget
  /** Estimated output tokens. Null for tasks other than text, whose answers all cost the same. */
  readonly output: ((promptTokens: number) => number) | null
}

/** An attempt that the operator pays for. */
export type UnbilledAttempt = {
  readonly record: AttemptRecord
  /** Its output; null for a non-streamed answer, whose progress is invisible. */
  readonly output: CountableOutput | null
  readonly target: PricedTarget
}
