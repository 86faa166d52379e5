import type { Generated, Insertable } from 'kysely'
import type { TestOutcome } from '@tollgate/contract'
import type { AlertTables } from './alert-schema.ts'
import type { BillTables } from './bill-schema.ts'
import type { ConfigTables } from './config-schema.ts'
import type {
  ChannelFaultsTable,
  ChannelHoursTable,
  ChannelKeyTestsTable,
  GroupHoursTable,
  ModelHoursTable,
  RollupsTable,
  UserHoursTable,
} from './hour-tables.ts'
import type { ImportTables } from './import-schema.ts'
import type { PriceTables } from './price-schema.ts'
import type {
  AuthTicketsTable,
  PasskeysTable,
  RecoveryCodesTable,
  SecondFactorsTable,
  SessionsTable,
} from './second-factor-tables.ts'

type Flag = 0 | 1

/**
 * In all tables, amounts are in quota units, times in epoch seconds and durations in milliseconds.
 */
export type UsersTable = {
  id: Generated<number>
  username: string
  /** Normalized for case and width; null if an older account has the same normalized name. */
  username_folded: string | null
  password_hash: string
  display_name: string
  role: number
  status: number
  email: string
  /** The mailbox that the address delivers to; several addresses may share a mailbox. */
  email_mailbox: Generated<string>
  github_id: string
  wechat_id: string
  lark_id: Generated<string>
  oidc_id: Generated<string>
  /** Keyed hash of the management access token; null if the user has none. */
  access_token_hash: string | null
  quota: Generated<number>
  quota_leased: Generated<number>
  used_quota: Generated<number>
  request_count: Generated<number>
  group: string
  aff_code: string
  /** Last characters of the invite code; null if an older account has the same. */
  gift_code: string | null
  inviter_id: number
  /** Reminds by mail below this balance: null for the threshold of the site, 0 for no mail. */
  remind_below: Generated<number | null>
  /** In fen, 1/100 yuan. Only the ledger changes it. */
  invite_balance: Generated<number>
  created_time: number
}

export type TokensTable = {
  id: Generated<number>
  user_id: number
  /** Both null once the token is deleted. The row stays, because ledger rows refer to it. */
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
  /** Budget per period; ignored while `budget_period` is empty. */
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
  test_outcome: Generated<TestOutcome>
  test_model: Generated<string>
  test_endpoint: Generated<string>
  /** 1 once the operator has been alerted that the channel reports implausible usage. */
  misreported: Generated<Flag>
  base_url: string
  other: string
  balance: Generated<number>
  balance_updated_time: Generated<number>
  models: string
  group: string
  tag: Generated<string>
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
  /** Epoch seconds; 0 for never. */
  expired_time: Generated<number>
  /** The name of the generation; codes of several calls may share it. */
  batch: Generated<string>
  /** 1 if the code was disabled together with its batch. Enabling the batch enables these alone. */
  disabled_with_batch: Generated<number>
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
  /** JSON: `AttemptRecord[]` of the contract. */
  attempts: string
  /** JSON: `ChargeBasis` of the contract, or empty. */
  basis: string
  held: Generated<number>
  /** 1 if the request's epoch was already closed when its end was recorded. */
  late: Generated<Flag>
  disconnect_policy: Generated<string>
  /** Empty if `content` is for readers of both languages. */
  content_zh: Generated<string>
  /** What all attempts cost the operator, in nano-dollars; null if unknown. */
  provider_cost: Generated<number | null>
  /** The API that the client called, in a word; empty on rows of earlier versions. */
  endpoint: Generated<string>
  /** The group that served the request; empty without one, and on rows of earlier versions. */
  group: Generated<string>
}

/** One row per epoch. An epoch is never reused. */
export type LedgerNodesTable = {
  /** Name of the epoch. */
  run: string
  label: string
  started_at: number
  /** Since this time the epoch acquires no leases; null while it is open. */
  closed_at: number | null
  /** Since this time its journal is fully applied and its open holds are voided. */
  finished_at: number | null
  /** Sequence number; increases with each batch. */
  beat: Generated<number>
  /** Number of the last journal record that was applied. */
  position: Generated<number>
}

/** Quota that an epoch may charge to an account without asking the database. */
export type QuotaLeasesTable = {
  run: string
  /** `AccountKind` of the ledger. */
  kind: string
  /** The user's id for users, the token's id for tokens and budgets. */
  owner_id: number
  /** Start of the budget period; 0 for users and tokens. */
  period: number
  amount: number
}

/** A token's budget for one period. A new period gets a new row; nothing is reset. */
export type TokenBudgetsTable = {
  token_id: number
  period_start: number
  limit_quota: number
  spent: number
  quota_leased: number
}

/** Journal records that could not be applied, for the operator; open until `resolved_at` is set. */
export type LedgerFaultsTable = {
  id: Generated<number>
  run: string
  /** Number of the record, or of the last record of its batch. */
  position: number
  record: string
  error: string
  created_at: number
  resolved_at: number | null
}

/** Every balance change that is not a charge. `source` makes each change idempotent. */
export type CreditsTable = {
  id: Generated<number>
  kind: string
  owner_id: number
  amount: number
  reason: string
  source: string
  actor_id: number
  created_at: number
  /** The requested amount if less was booked; otherwise null. */
  asked: Generated<number | null>
}

/** Charges per user, token and day; never deleted. `day` counts days since the epoch, UTC. */
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

/** Every change of `users.invite_balance`, in fen. `source` makes each change idempotent. */
export type PartnerEntriesTable = {
  id: Generated<number>
  user_id: number
  amount: number
  reason: string
  source: string
  actor_id: number
  created_at: number
}

/** At most one code per address and purpose. A code is used once. */
export type VerificationCodesTable = {
  purpose: string
  email: string
  code_hash: string
  tries: Generated<number>
  expires_at: number
}

/** A login in progress at an identity provider. */
export type OAuthStatesTable = {
  state_hash: string
  /** Hash of the cookie of the browser that began the login. */
  browser_hash: string
  /** Empty if the client builds the address itself, and therefore without PKCE and nonce. */
  provider: string
  tries: Generated<number>
  expires_at: number
}

/** Attempts since the window began. A row with `taken` = 0 is a mark that expires. */
export type AttemptsTable = {
  key_hash: string
  taken: number
  expires_at: number
}

/** The last run of each kind of work over many channels. `ended_at` is 0 until the run ends. */
export type ChannelRunsTable = {
  kind: string
  /** Identifies the process that performs the run. */
  run: string
  total: number
  done: number
  failed: number
  started_at: number
  ended_at: number
  beat_at: number
}

/** Messages to people outside, until they have been sent. Each attempt postpones `due_at`. */
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
  /** 0 while a change awaits root's confirmation, for options that control access to accounts. */
  confirmed: Generated<Flag>
  /** Root's name and the time; empty and 0 for a change that needed no confirmation. */
  confirmed_by: Generated<string>
  confirmed_at: Generated<number>
}

/** Items and responses of the Responses API until they expire, sealed for their user and id. */
export type StoredItemsTable = {
  id_hash: string
  user_id: number
  sealed: string
  /** Length of `sealed`. */
  bytes: number
  /** Epoch seconds. */
  expires_at: number
}

/** Single values about the database: the change counters, the fingerprint of the secret key. */
export type MetaTable = { name: string; value: string }

export type Schema = BillTables &
  ConfigTables &
  ImportTables &
  PriceTables &
  AlertTables & {
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
    channel_faults: ChannelFaultsTable
    channel_key_tests: ChannelKeyTestsTable
    user_hours: UserHoursTable
    group_hours: GroupHoursTable
    partner_entries: PartnerEntriesTable
    verification_codes: VerificationCodesTable
    oauth_states: OAuthStatesTable
    attempts: AttemptsTable
    channel_runs: ChannelRunsTable
    outbox: OutboxTable
    option_changes: OptionChangesTable
    stored_items: StoredItemsTable
    meta: MetaTable
  }

export type NewLogRow = Insertable<LogsTable>
