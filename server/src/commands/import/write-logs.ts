import { LOG_TYPE, NEVER, TOKEN_STATUS } from '@tollgate/contract'
import type { ImportedUse } from '../../ledger/balances/imported-sums.ts'
import { bulkInsert } from '../../store/bulk.ts'
import type { Tx } from '../../store/database.ts'
import { executeAll } from '../../store/execute-all.ts'
import { findImportSource, setLogCursor } from '../../store/imports.ts'
import { storableText } from '../../store/storable-text.ts'
import { book } from './book.ts'
import type { ImportContext } from './context.ts'
import { chooseIds, continueIds, KnownRows } from './known-rows.ts'
import type { Source, SourceLog } from './sources/source.ts'
import { insertTokens, type Tokens } from './write-tokens.ts'
import type { ImportedUser } from './write-users.ts'

const insertRows = bulkInsert('logs', {
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
})

const CONTENT_LENGTH_MAX = 2000
const NAME_LENGTH_MAX = 200

export type Owners = {
  readonly users: ReadonlyMap<string, ImportedUser>
  readonly usersKnown: KnownRows
  readonly tokens: Tokens
  readonly channels: KnownRows
}

/**
 * Copies the log and books its charges, a page per transaction. The cursor of a source moves with
 * each page, so an import that was interrupted continues where it stopped.
 */
export async function importLogs(context: ImportContext, source: Source, owners: Owners) {
  const { database, name, isDryRun, report } = context
  const ways = await openWays(context, owners)
  const begun = await findImportSource(database.kysely, name)
  for await (const { rows, cursor } of readAhead(source.logs(begun?.log_cursor ?? ''))) {
    const known = rows.filter(({ userId }) => owners.users.has(userId))
    report.count('log rows', 'new', known.length)
    report.count('log rows', 'left out', rows.length - known.length)
    if (!isDryRun) await writePage(context, { rows: known, cursor }, ways)
  }
  return ways
}

/** Reads a page while the page before it is written. */
async function* readAhead<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  const iterator = pages[Symbol.asyncIterator]()
  for (let next = iterator.next(); ;) {
    const page = await next
    if (page.done === true) return
    next = iterator.next()
    yield page.value
  }
}

/** How rows of the log find what they belong to. */
type Ways = Owners & {
  /** Keys that hold the use of keys that are gone, by their user in the source. */
  readonly pastKeys: KnownRows
  /** By user and name, for logs without ids of keys. */
  readonly tokensByName: ReadonlyMap<string, string>
}

async function openWays(context: ImportContext, owners: Owners): Promise<Ways> {
  const byName = [...owners.tokens.imported.values()].map(
    ({ source }) => [`${source.userId} ${source.name}`, source.id] as const,
  )
  return {
    ...owners,
    pastKeys: await KnownRows.read(context, 'past key'),
    tokensByName: new Map(byName),
  }
}

type Page = { rows: readonly SourceLog[]; cursor: string }

async function writePage(context: ImportContext, { rows, cursor }: Page, ways: Ways) {
  const { database, name } = context
  const charges = rows.filter(({ type }) => type === 'consume')
  const sourceTokens = new Map(charges.map((row) => [row, sourceTokenOf(row, ways)]))
  const past = await planPastKeys(context, { sourceTokens, ways })
  const tokenOf = (row: SourceLog) => tokenIdOf(row, sourceTokens.get(row), { ways, past })
  const uses = charges.map((row) => useOf(row, tokenOf(row), ways))
  const stored = rows.map((row) => logRow(row, row.type === 'consume' ? tokenOf(row) : 0, ways))
  const counted = countUse(sourceTokens, ways)
  await database.changeAccounts(async (tx) => {
    await insertPastKeys(tx, context, { past, ways })
    await book(tx, context, { uses, records: insertRows(database.kind, stored) })
    await ways.usersKnown.write(tx, database.kind, counted.users)
    await ways.tokens.known.write(tx, database.kind, counted.tokens)
    await setLogCursor(tx, name, cursor)
  })
  ways.pastKeys.note(past)
  ways.usersKnown.note(counted.users)
  ways.tokens.known.note(counted.tokens)
}

type Known = NonNullable<ReturnType<KnownRows['get']>>

/** The key in the source, if it is imported. */
function sourceTokenOf({ userId, tokenId, tokenName }: SourceLog, ways: Ways): string | undefined {
  const id = tokenId === '' ? ways.tokensByName.get(`${userId} ${tokenName}`) : tokenId
  return id !== undefined && ways.tokens.imported.has(id) ? id : undefined
}

/** Charges and their keys in the source. A key is looked up once. */
type SourceTokens = ReadonlyMap<SourceLog, string | undefined>

function tokenIdOf(
  row: SourceLog,
  id: string | undefined,
  { ways, past }: { ways: Ways; past: ReadonlyMap<string, Known> },
): number {
  const token = id === undefined ? undefined : ways.tokens.imported.get(id)
  return token?.id ?? past.get(row.userId)?.new_id ?? ways.pastKeys.idOf(row.userId) ?? 0
}

/** Past keys that are still missing for these charges. */
function planPastKeys(
  context: ImportContext,
  { sourceTokens, ways }: { sourceTokens: SourceTokens; ways: Ways },
): Promise<Map<string, Known>> {
  const users = new Set<string>()
  for (const [{ userId }, token] of sourceTokens) if (token === undefined) users.add(userId)
  return newPastKeys(context, [...users], ways.pastKeys)
}

export async function newPastKeys(
  { database }: ImportContext,
  userIds: readonly string[],
  pastKeys: KnownRows,
): Promise<Map<string, Known>> {
  const missing = userIds.filter((userId) => pastKeys.get(userId) === undefined)
  const ids = await chooseIds(
    database,
    'tokens',
    missing.map(() => ''),
  )
  const rows = missing.map((userId, index) => {
    const row = { new_id: ids[index] ?? 0, digest: '', quota: 0, used: 0, requests: 0 }
    return [userId, row] as const
  })
  return new Map(rows)
}

/** A deleted key: it has no secret, and only its use counts. */
export async function insertPastKeys(
  tx: Tx,
  { database }: ImportContext,
  { past, ways }: { past: ReadonlyMap<string, Known>; ways: Pick<Ways, 'users' | 'pastKeys'> },
) {
  if (past.size === 0) return
  const { kind } = database
  const rows = [...past].map(([userId, { new_id }]) => ({
    id: new_id,
    user_id: ways.users.get(userId)?.id ?? 0,
    key_hash: null,
    key_sealed: null,
    status: TOKEN_STATUS.disabled,
    name: 'imported',
    created_time: 0,
    accessed_time: 0,
    expired_time: NEVER,
    unlimited_quota: 1,
    models: '',
    subnet: '',
  }))
  await executeAll(tx, insertTokens(kind, rows))
  await continueIds(tx, kind, 'tokens')
  await ways.pastKeys.write(tx, kind, past)
}

const chargeOf = ({ quota }: SourceLog) => Math.max(0, quota)

function useOf(row: SourceLog, tokenId: number, { users, channels }: Ways): ImportedUse {
  const user = users.get(row.userId)
  return {
    userId: user?.id ?? 0,
    tokenId,
    channel: channels.idOf(row.channelId) ?? 0,
    model: storableText(row.model, NAME_LENGTH_MAX),
    group: row.group || (user?.group.split(',')[0] ?? ''),
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

function logRow(row: SourceLog, token_id: number, { users, channels }: Ways) {
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
  }
}

/** What of the source's counters the log explains. */
function countUse(charges: SourceTokens, ways: Ways) {
  const users = new Map<string, Known>()
  const tokens = new Map<string, Known>()
  const add = (to: Map<string, Known>, id: string, known: Known | undefined, row: SourceLog) => {
    const entry = to.get(id) ?? known
    if (entry === undefined) return
    const { used, requests } = entry
    to.set(id, { ...entry, used: used + chargeOf(row), requests: requests + 1 })
  }
  for (const [row, token] of charges) {
    add(users, row.userId, ways.usersKnown.get(row.userId), row)
    if (token !== undefined) add(tokens, token, ways.tokens.known.get(token), row)
  }
  return { users, tokens }
}
