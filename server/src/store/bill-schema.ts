import type { Generated } from 'kysely'

export type BillSourcesTable = {
  id: Generated<number>
  name: string
  kind: string
  url: string
  /** Empty if the source has no key. */
  key_sealed: string
  account: string
  /** JSON: ids of the channels whose use the bill contains. */
  channels: string
  currency: string
  /** Dollars per unit of the currency, as decimal text. */
  rate: string
  zone: string
  /** JSON: billed model → recorded model. */
  aliases: string
  /** JSON: billed key → channel. */
  keys: string
  /** 0: only by hand. */
  every_hours: number
  alert_percent: number
  /** JSON: `BillMapping` of the last file; empty before the first. */
  mapping: Generated<string>
  created_at: number
  /** When the API was last asked; 0 if never. */
  asked_at: Generated<number>
  /** What the operator was last alerted about. */
  alerted: Generated<string>
}

export type BillImportsTable = {
  id: Generated<number>
  source_id: number
  file: string
  state: string
  rows: Generated<number>
  added: Generated<number>
  repeated: Generated<number>
  started_at: number
  /** When the import last made progress. */
  beat_at: number
  ended_at: Generated<number>
  covers_from: Generated<number>
  covers_to: Generated<number>
  error: Generated<string>
  error_zh: Generated<string>
  /** JSON: `LineProblem[]` of the contract. */
  problems: Generated<string>
  /** JSON: where the reading of a file's parts continues; empty otherwise. */
  reading: Generated<string>
}

type Use = {
  /** Hours since the epoch, UTC, and the length of the interval in hours. */
  hour: number
  hours: number
  model: string
  key: string
  item: string
  requests: number | null
  input: number | null
  cached: number | null
  written: number | null
  output: number | null
  /** In 10^-9 units of the source's currency. */
  amount: number | null
}

export type BillStagedTable = Use & { import_id: number; row: number; line_id: string }

export type BillLinesTable = Use & { source_id: number; line_id: string; import_id: number }

/**
 * Attempts that a provider may bill, by channel, hour, model as sent and fingerprint of the key.
 * Includes attempts that no user was charged for. `unknown` counts attempts whose cost is not
 * known; `cost` is in nano-dollars. `written_tokens` is null for hours before the column existed.
 */
export type ProviderHoursTable = {
  channel_id: number
  hour: number
  model_name: string
  key: string
  attempts: number
  unknown: number
  input_tokens: number
  cached_tokens: number
  written_tokens: number | null
  output_tokens: number
  cost: number
}

export type BillTables = {
  bill_sources: BillSourcesTable
  bill_imports: BillImportsTable
  bill_staged: BillStagedTable
  bill_lines: BillLinesTable
  provider_hours: ProviderHoursTable
}
