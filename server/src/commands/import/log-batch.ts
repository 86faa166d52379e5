import { LOG_TYPE, type Seconds } from '@tollgate/contract'
import type { ImportedUse } from '../../ledger/balances/imported-sums.ts'
import { StagedUses } from '../../ledger/balances/staged-uses.ts'
import { bulkInsert } from '../../store/bulk.ts'
import type { Tx } from '../../store/database.ts'
import { executeAll } from '../../store/execute-all.ts'
import { IMPORTED_LOGS } from '../../store/imported-logs.ts'
import { setLogCursor } from '../../store/imports.ts'
import { storableText } from '../../store/storable-text.ts'
import { book } from './book.ts'
import type { ImportContext } from './context.ts'
import type { Known } from './known-rows.ts'
import { sourceTokenOf, type LogOwners } from './log-owners.ts'
import { insertPastKeys, newPastKeys } from './past-keys.ts'
import type { SourceLog } from './sources/source.ts'

const COLUMNS = {
  user_id: 'bigint',
  created_at: 'bigint',
  type: 'bigint',
  content: 'text',
  username: 'text',
  token_id: 'bigint',
  token_name: 'text',
  model_name: 'text',
  upstream_model: 'text',
  quota: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  channel: 'bigint',
  elapsed_time: 'bigint',
  first_token_time: 'bigint',
  is_stream: 'bigint',
  outcome: 'text',
  attempts: 'text',
  group: 'text',
} as const

const insertRows = bulkInsert('logs', COLUMNS)
const insertUnindexed = bulkInsert(IMPORTED_LOGS, COLUMNS)

/** Notes are indexed, and PostgreSQL cannot index texts of 2.7 kB and more. */
const CONTENT_LENGTH_MAX = 800
const NAME_LENGTH_MAX = 200

type Page = { readonly rows: readonly SourceLog[]; readonly cursor: string }

/** What a transaction writes of the log: rows page by page, then their charges at once. */
export class LogBatch {
  readonly #tx: Tx
  readonly #context: ImportContext
  readonly #owners: LogOwners
  /** Rows before this moment are indexed at the end of the import. */
  readonly #unindexedBefore: Seconds
  readonly #uses: StagedUses
  readonly #past = new Map<string, Known>()
  readonly #users = new Map<string, Known>()
  readonly #tokens = new Map<string, Known>()
  /** The database writes a page while the next one is read. */
  #writing: Promise<void> = Promise.resolve()
  #cursor = ''
  #read = 0
  #known = 0

  constructor(
    tx: Tx,
    context: ImportContext,
    { owners, unindexedBefore }: { owners: LogOwners; unindexedBefore: Seconds },
  ) {
    this.#unindexedBefore = unindexedBefore
    this.#tx = tx
    this.#context = context
    this.#owners = owners
    this.#uses = new StagedUses(context.database.kind)
  }

  get cursor(): string {
    return this.#cursor
  }

  get rows(): number {
    return this.#read
  }

  async add({ rows, cursor }: Page) {
    const { kind } = this.#context.database
    const known = rows.filter(({ userId }) => this.#owners.users.has(userId))
    const charges = known.filter(({ type }) => type === 'consume')
    const keys = new Map(charges.map((row) => [row, sourceTokenOf(row, this.#owners)]))
    await this.#writing
    await this.#addPastKeys(keys)
    const tokenOf = (row: SourceLog) => this.#tokenIdOf(row, keys.get(row))
    const uses = charges.map((row) => useOf(row, tokenOf(row), this.#owners))
    const stored = known.map((row) => logRow(row, keys.has(row) ? tokenOf(row) : 0, this.#owners))
    const isUnindexed = (row: { created_at: Seconds }) => row.created_at < this.#unindexedBefore
    this.#writing = executeAll(this.#tx, [
      ...insertUnindexed(kind, stored.filter(isUnindexed)),
      ...insertRows(
        kind,
        stored.filter((row) => !isUnindexed(row)),
      ),
      ...this.#uses.add(uses),
    ])
    // The next page, or the end of the batch, reports the failure.
    this.#writing.catch(() => {})
    this.#countUse(keys)
    this.#cursor = cursor
    this.#read += rows.length
    this.#known += known.length
  }

  async #addPastKeys(keys: ReadonlyMap<SourceLog, string | undefined>) {
    const userIds = new Set<string>()
    for (const [{ userId }, key] of keys) {
      if (key === undefined && !this.#past.has(userId)) userIds.add(userId)
    }
    const database = { kysely: this.#tx, kind: this.#context.database.kind }
    const past = await newPastKeys(database, [...userIds], this.#owners.pastKeys)
    await insertPastKeys(this.#tx, this.#context, { past, owners: this.#owners })
    for (const [userId, key] of past) this.#past.set(userId, key)
  }

  #tokenIdOf({ userId }: SourceLog, key: string | undefined): number {
    const token = key === undefined ? undefined : this.#owners.tokens.imported.get(key)
    return token?.id ?? this.#past.get(userId)?.new_id ?? this.#owners.pastKeys.idOf(userId) ?? 0
  }

  /** The part of the source's counters that the log explains. */
  #countUse(keys: ReadonlyMap<SourceLog, string | undefined>) {
    const { usersKnown, tokens } = this.#owners
    for (const [row, key] of keys) {
      addTo(this.#users, { id: row.userId, known: usersKnown.get(row.userId), row })
      if (key !== undefined) addTo(this.#tokens, { id: key, known: tokens.known.get(key), row })
    }
  }

  /** Ends the batch. */
  async book() {
    const { database, name } = this.#context
    const { usersKnown, tokens } = this.#owners
    await this.#writing
    await book(this.#tx, this.#context, { uses: this.#uses })
    await usersKnown.write(this.#tx, database.kind, this.#users)
    await tokens.known.write(this.#tx, database.kind, this.#tokens)
    await setLogCursor(this.#tx, name, this.#cursor)
  }

  /** To be called once the transaction has committed. */
  countCommitted() {
    const { pastKeys, usersKnown, tokens } = this.#owners
    pastKeys.note(this.#past)
    usersKnown.note(this.#users)
    tokens.known.note(this.#tokens)
    countRows(this.#context, { read: this.#read, known: this.#known })
  }
}

export function countRows(
  { report }: ImportContext,
  { read, known }: Record<'read' | 'known', number>,
) {
  report.count('log rows', 'new', known)
  report.count('log rows', 'left out', read - known)
}

type Counted = { id: string; known: Known | undefined; row: SourceLog }

function addTo(counts: Map<string, Known>, { id, known, row }: Counted) {
  const entry = counts.get(id) ?? known
  if (entry === undefined) return
  const { used, requests } = entry
  counts.set(id, { ...entry, used: used + chargeOf(row), requests: requests + 1 })
}

const chargeOf = ({ quota }: SourceLog) => Math.max(0, quota)

function useOf(row: SourceLog, tokenId: number, { users, channels }: LogOwners): ImportedUse {
  const user = users.get(row.userId)
  return {
    userId: user?.id ?? 0,
    tokenId,
    channel: channels.idOf(row.channelId) ?? 0,
    model: storableText(row.model, NAME_LENGTH_MAX),
    group: groupOf(row, user),
    at: row.at,
    charged: chargeOf(row),
    requests: 1,
    promptTokens: row.promptTokens,
    completionTokens: row.completionTokens,
    cachedTokens: row.cachedTokens,
    elapsedMs: row.elapsedMs,
    firstTokenMs: row.firstTokenMs,
  }
}

/** Logs of One API have no groups: their requests count for the first group of their user today. */
const groupOf = ({ group }: SourceLog, user: { group: string } | undefined): string =>
  storableText(group || (user?.group.split(',')[0] ?? ''), NAME_LENGTH_MAX)

function logRow(row: SourceLog, token_id: number, { users, channels }: LogOwners) {
  const user = users.get(row.userId)
  return {
    user_id: user?.id ?? 0,
    created_at: row.at,
    type: LOG_TYPE[row.type],
    content: storableText(row.content, CONTENT_LENGTH_MAX),
    username: user?.username ?? '',
    token_id,
    token_name: storableText(row.tokenName, NAME_LENGTH_MAX),
    model_name: storableText(row.model, NAME_LENGTH_MAX),
    upstream_model: storableText(row.upstreamModel, NAME_LENGTH_MAX),
    quota: row.type === 'consume' ? chargeOf(row) : row.quota,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    channel: channels.idOf(row.channelId) ?? 0,
    elapsed_time: row.elapsedMs ?? 0,
    first_token_time: row.firstTokenMs,
    is_stream: row.isStream ? 1 : 0,
    outcome: row.type === 'consume' ? 'settled' : '',
    attempts: '[]',
    group: row.type === 'consume' ? groupOf(row, user) : '',
  }
}
