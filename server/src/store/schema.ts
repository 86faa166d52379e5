import type { Generated, Insertable } from 'kysely'
import type {
  AuthTicketsTable,
  PasskeysTable,
  RecoveryCodesTable,
  SecondFactorsTable,
  SessionsTable,
} from './second-factor-tables.ts'

/** 0 or 1, in both databases. */
type Flag = 0 | 1

/** Amounts are quota units, times epoch seconds, durations milliseconds. */
export type UsersTable = {
  id: Generated<number>
  username: string
  /** Without case and width; null when an older account has the same. */
  username_folded: string | null
  password_hash: string
  display_name: string
  role: number
  status: number
  email: string
  /** The mailbox that the address leads to; several addresses may lead to one. */
  email_mailbox: Generated<string>
  github_id: string
  wechat_id: string
  lark_id: Generated<string>
  oidc_id: Generated<string>
  /** Keyed hash of the management access token; null while the user has none. */
  access_token_hash: string | null
  quota: Generated<number>
  quota_leased: Generated<number>
  used_quota: Generated<number>
  request_count: Generated<number>
  group: string
  aff_code: string
  /** The end of the invite code; null when an older account has the same. */
  gift_code: string | null
  inviter_id: number
  /** In fen, 1/100 yuan; only the ledger changes it. */
  invite_balance: Generated<number>
  created_time: number
}

export type TokensTable = {
  id: Generated<number>
  user_id: number
  /** Both null once the token is deleted: the row stays, for the books. */
  key_hash: string | null
  key_sealed: string | null
  status: number
  name: string
  created_time: number
  accessed_time: Generated<number>
  expired_time: number
  remain_quota: Generated<number>
  quota_leased: Generated<number>
  unlimited_quota: Flag
  used_quota: Generated<number>
  models: string
  subnet: string
  /** What each period of the budget has; nothing counts while there is no period. */
  budget_quota: Generated<number>
  /** `BudgetPeriod` of the contract, or empty. */
  budget_period: Generated<string>
}

export type ChannelsTable = {
  id: Generated<number>
  type: number
  key_sealed: string
  status: number
  status_reason: Generated<string>
  status_time: Generated<number>
  name: string
  weight: number
  created_time: number
  test_time: Generated<number>
  response_time: Generated<number>
  test_error: Generated<string>
  /** 1 once its operator was told that its reports of usage are not believed. */
  misreported: Generated<Flag>
  base_url: string
  other: string
  balance: Generated<number>
  balance_updated_time: Generated<number>
  models: string
  group: string
  used_quota: Generated<number>
  model_mapping: string
  priority: number
  config: string
}

/** Derived from channels: which channel may serve which model to which group. */
export type AbilitiesTable = {
  group: string
  model: string
  channel_id: number
}

export type RedemptionsTable = {
  id: Generated<number>
  user_id: number
  key: string
  status: number
  name: string
  quota: number
  created_time: number
  redeemed_time: Generated<number>
  redeemed_by: Generated<number>
}

export type OptionsTable = { key: string; value: string }

export type LogsTable = {
  id: Generated<number>
  user_id: number
  created_at: number
  type: number
  content: string
  username: string
  token_id: number
  token_name: string
  model_name: string
  upstream_model: string
  quota: number
  uncollected: number
  prompt_tokens: number
  completion_tokens: number
  channel: number
  request_id: string | null
  elapsed_time: number
  first_token_time: number
  is_stream: Flag
  outcome: string
  end_reason: string
  /** JSON: `Attempt[]` of the contract. */
  attempts: string
  /** JSON: `ChargeBasis` of the contract, or empty. */
  basis: string
  held: Generated<number>
  /** 1 when the run of the request had been closed before this was known. */
  late: Generated<Flag>
  disconnect_policy: Generated<string>
  /** Empty when `content` is for everybody. */
  content_zh: Generated<string>
}

/** One row per process start; a run is never used again. */
export type LedgerNodesTable = {
  run: string
  label: string
  started_at: number
  /** Since then it leases nothing. */
  closed_at: number | null
  /** Since then its journal is applied wholly, and what never ended is voided. */
  finished_at: number | null
  /** Goes on with each of its turns. */
  beat: Generated<number>
  /** The number of the last record of its journal that was applied. */
  position: Generated<number>
}

/** What a run may charge of an account without asking. */
export type QuotaLeasesTable = {
  run: string
  /** `AccountKind` of the ledger. */
  kind: string
  /** Of the user; of the token for tokens and budgets. */
  owner_id: number
  /** When the budget's period began; 0 for users and tokens. */
  period: number
  amount: number
}

/** A token's budget of one period; nothing is ever reset. */
export type TokenBudgetsTable = {
  token_id: number
  period_start: number
  limit_quota: number
  spent: number
  quota_leased: number
}

/** What could not be applied, for the operator; open until it is resolved. */
export type LedgerFaultsTable = {
  id: Generated<number>
  run: string
  /** The number of the record, or of the last one of the turn it was in. */
  position: number
  record: string
  error: string
  created_at: number
  resolved_at: number | null
}

/** Every change of a balance that is no charge; `source` makes it happen once. */
export type CreditsTable = {
  id: Generated<number>
  kind: string
  owner_id: number
  amount: number
  reason: string
  source: string
  actor_id: number
  created_at: number
  /** What was asked for; null where all of it was booked. */
  asked: Generated<number | null>
}

/** The books behind the log; never deleted. `day` is days since the epoch, UTC. */
export type LedgerDaysTable = {
  user_id: number
  token_id: number
  day: number
  charged: number
  token_charged: number
  budget_charged: Generated<number>
  uncollected: number
  requests: number
}

/** Every movement of `users.invite_balance`, in fen; `source` makes it happen once. */
export type PartnerEntriesTable = {
  id: Generated<number>
  user_id: number
  amount: number
  reason: string
  source: string
  actor_id: number
  created_at: number
}

/** One code at most per address and purpose, which is used once. */
export type VerificationCodesTable = {
  purpose: string
  email: string
  code_hash: string
  tries: Generated<number>
  expires_at: number
}

/** A sign-in that was begun and has not come back from the identity server. */
export type OAuthStatesTable = {
  state_hash: string
  /** Of the cookie that began it. */
  browser_hash: string
  /** Empty when the client builds the address itself, and so without PKCE and nonce. */
  provider: string
  tries: Generated<number>
  expires_at: number
}

/** How often something was tried since its window began, or, with 0, a mark that is good for a while. */
export type AttemptsTable = {
  key_hash: string
  taken: number
  expires_at: number
}

/** The last run of each kind of work over many channels; `ended_at` is 0 before its end. */
export type ChannelRunsTable = {
  kind: string
  /** Of the process that does it. */
  run: string
  total: number
  done: number
  failed: number
  started_at: number
  ended_at: number
  beat_at: number
}

/** What is to be told to people outside, until it has been sent. `due_at` moves on with each try. */
export type OutboxTable = {
  id: Generated<number>
  /** JSON: `Message` of the domain. */
  message: string
  tries: Generated<number>
  due_at: number
  created_at: number
}

/** Every change of an option; secrets are masked. */
export type OptionChangesTable = {
  id: Generated<number>
  key: string
  actor_id: number
  actor_name: string
  before: string
  after: string
  created_at: number
  /** 0 while a change of an option that decides who gets into accounts waits for root. */
  confirmed: Generated<Flag>
  /** Root's name, and when; empty and 0 for a change that needed no confirmation. */
  confirmed_by: Generated<string>
  confirmed_at: Generated<number>
}

/** Upper bounds of the histogram columns `latency_0 …` and `first_token_0 …`; the last column is "more". */
export const HISTOGRAM_BOUNDS_MS = [
  100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000,
] as const

type Bucket = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9

export const HISTOGRAM_BUCKETS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const satisfies Bucket[]

/** `hour` is hours since the epoch, UTC, in all tables of hours. */
export type RollupsTable = {
  hour: number
  user_id: number
  token_id: number
  channel_id: number
  model_name: string
  cached_tokens: number
  cache_write_tokens: number
  reasoning_tokens: number
} & HourFigures &
  HourTimes

/** The sums that dashboards show. */
export type HourFigures = {
  requests: number
  failures: number
  prompt_tokens: number
  completion_tokens: number
  quota: number
}

export type HourTimes = { [Key in `latency_${Bucket}` | `first_token_${Bucket}`]: number }

/** The same sums over all users and channels. */
export type ModelHoursTable = { hour: number; model_name: string } & HourFigures

/**
 * The same sums over all users and models; `lost` counts attempts at requests that went on elsewhere, and
 * `unbilled_quota` is what attempts would have cost that nobody was charged for.
 */
export type ChannelHoursTable = {
  hour: number
  channel_id: number
  lost: Generated<number>
  unbilled_quota: Generated<number>
} & HourFigures &
  HourTimes

/** The same sums over all tokens and channels. */
export type UserHoursTable = { user_id: number; hour: number; model_name: string } & HourFigures

/** Single facts about the database itself: change sequence, fingerprint of the secret key. */
export type MetaTable = { name: string; value: string }

export type Schema = {
  users: UsersTable
  tokens: TokensTable
  channels: ChannelsTable
  abilities: AbilitiesTable
  redemptions: RedemptionsTable
  options: OptionsTable
  sessions: SessionsTable
  second_factors: SecondFactorsTable
  recovery_codes: RecoveryCodesTable
  passkeys: PasskeysTable
  auth_tickets: AuthTicketsTable
  logs: LogsTable
  ledger_nodes: LedgerNodesTable
  quota_leases: QuotaLeasesTable
  token_budgets: TokenBudgetsTable
  ledger_faults: LedgerFaultsTable
  credits: CreditsTable
  ledger_days: LedgerDaysTable
  rollups: RollupsTable
  model_hours: ModelHoursTable
  channel_hours: ChannelHoursTable
  user_hours: UserHoursTable
  partner_entries: PartnerEntriesTable
  verification_codes: VerificationCodesTable
  oauth_states: OAuthStatesTable
  attempts: AttemptsTable
  channel_runs: ChannelRunsTable
  outbox: OutboxTable
  option_changes: OptionChangesTable
  meta: MetaTable
}

export type NewLogRow = Insertable<LogsTable>
