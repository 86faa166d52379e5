import { QUOTA_MAX, TOKEN_STATUS } from '@tollgate/contract'
import { createCredits } from '../../ledger/balances/credit.ts'
import { bulkInsert } from '../../store/bulk.ts'
import { executeAll } from '../../store/execute-all.ts'
import { importedHash } from '../../store/imported-keys.ts'
import { isInList } from '../../store/in-list.ts'
import { storableText } from '../../store/storable-text.ts'
import { updateToken } from '../../store/tokens.ts'
import { book } from './book.ts'
import type { ImportContext } from './context.ts'
import { chooseIds, continueIds, digestOf, KnownRows } from './known-rows.ts'
import type { Source, SourceToken } from './sources/source.ts'
import { writeInTurn } from './write-in-turn.ts'
import type { ImportedUser } from './write-users.ts'

export const insertTokens = bulkInsert('tokens', {
  id: 'bigint',
  user_id: 'bigint',
  key_hash: 'text?',
  key_sealed: 'text?',
  status: 'bigint',
  name: 'text',
  created_time: 'bigint',
  accessed_time: 'bigint',
  expired_time: 'bigint',
  unlimited_quota: 'bigint',
  models: 'text',
  subnet: 'text',
})

const NAME_LENGTH_MAX = 200

export type ImportedToken = { readonly id: number; readonly source: SourceToken }

export type Tokens = {
  readonly known: KnownRows
  /** By the id in the source. */
  readonly imported: ReadonlyMap<string, ImportedToken>
}

export async function importTokens(
  context: ImportContext,
  source: Source,
  users: ReadonlyMap<string, ImportedUser>,
): Promise<Tokens> {
  const known = await KnownRows.read(context, 'token')
  const imported = new Map<string, ImportedToken>()
  const seen = new Set<string>()
  for await (const tokens of source.tokens()) {
    const usable = await withoutUnusable(context, tokens, { users, known, seen })
    const page = await planPage(context, usable, { users, known })
    for (const { token, id, outcome } of page) {
      imported.set(token.id, { id, source: token })
      context.report.count('keys', outcome)
    }
    if (!context.isDryRun) await writePage(context, page, known)
  }
  return { known, imported }
}

type State = { users: ReadonlyMap<string, ImportedUser>; known: KnownRows }

/** Keys without an owner, and keys that another row has. */
async function withoutUnusable(
  context: ImportContext,
  tokens: readonly SourceToken[],
  { users, known, seen }: State & { seen: Set<string> },
): Promise<SourceToken[]> {
  const { database, report } = context
  const hashes = tokens.map((token) => hashOf(context, token))
  const rows = await database.kysely
    .selectFrom('tokens')
    .select('key_hash')
    .where(isInList(database.kind, 'key_hash', { type: 'text', values: hashes }))
    .execute()
  const taken = new Set(rows.map(({ key_hash }) => key_hash))
  return tokens.filter((token, index) => {
    const hash = hashes[index] ?? ''
    if (known.get(token.id) !== undefined) return true
    const reason = reasonToSkip({ token, isKnown: taken.has(hash) || seen.has(hash) }, users)
    seen.add(hash)
    if (reason === null) return true
    report.count('keys', 'left out')
    report.tell(`Keys left out: ${reason}`, `key ${token.id} (${token.name})`)
    return false
  })
}

function reasonToSkip(
  { token, isKnown }: { token: SourceToken; isKnown: boolean },
  users: State['users'],
): string | null {
  if (!users.has(token.userId)) return 'their user is not imported'
  if ('plain' in token.key && token.key.plain === '') return 'they are empty'
  return isKnown ? 'another row has the same key' : null
}

const hashOf = ({ secrets }: ImportContext, { key }: SourceToken) =>
  'plain' in key ? secrets.hashRelayKey(key.plain) : importedHash(key.sha256)

type Planned = {
  readonly token: SourceToken
  readonly id: number
  readonly userId: number
  readonly digest: string
  readonly outcome: 'new' | 'changed' | 'same'
  readonly credit: number
  readonly used: number
}

async function planPage(
  { database }: ImportContext,
  tokens: readonly SourceToken[],
  { users, known }: State,
): Promise<Planned[]> {
  const fresh = tokens.filter(({ id }) => known.get(id) === undefined)
  const ids = await chooseIds(
    database,
    'tokens',
    fresh.map(({ id }) => id),
  )
  const idOf = new Map(fresh.map(({ id }, index) => [id, ids[index] ?? 0]))
  return tokens.map((token) => {
    const before = known.get(token.id)
    const digest = digestOf(settingsOf(token), token.budget)
    return {
      token,
      id: before?.new_id ?? idOf.get(token.id) ?? 0,
      userId: users.get(token.userId)?.id ?? 0,
      digest,
      outcome: before === undefined ? 'new' : before.digest === digest ? 'same' : 'changed',
      credit: limitOf(token) - (before?.quota ?? 0),
      used: before?.used ?? 0,
    }
  })
}

/** What is left of a limit; the number of an unlimited key means nothing. */
const limitOf = ({ isUnlimited, remainQuota }: SourceToken) =>
  isUnlimited ? 0 : Math.min(Math.max(0, remainQuota), QUOTA_MAX)

const STATUSES: readonly number[] = Object.values(TOKEN_STATUS)

const settingsOf = (token: SourceToken) => ({
  status: STATUSES.includes(token.status) ? token.status : TOKEN_STATUS.disabled,
  name: storableText(token.name, NAME_LENGTH_MAX),
  expired_time: token.expiredTime,
  unlimited_quota: token.isUnlimited ? (1 as const) : (0 as const),
  models: token.models.join(','),
  subnet: token.subnets.join(','),
})

async function writePage(context: ImportContext, page: readonly Planned[], known: KnownRows) {
  const { database, now } = context
  const { kind } = database
  const rows = new Map(page.map((planned) => [planned.token.id, knownRow(planned)]))
  const credits = page
    .filter(({ credit }) => credit !== 0)
    .map(({ id, credit }) => ({ kind: 'token' as const, ownerId: id, amount: credit }))
  if (credits.length === 0 && page.every(({ outcome }) => outcome === 'same')) return
  const added = page.filter(({ outcome }) => outcome === 'new')
  const changed = page.filter(({ outcome }) => outcome === 'changed')
  const ledger = createCredits({ database, now })
  const inserted = added.map((planned) => newRow(context, planned))
  await writeInTurn(context, 'changeAccounts', async (tx) => {
    await executeAll(tx, insertTokens(kind, inserted))
    await continueIds(tx, kind, 'tokens')
    for (const { id, userId, token } of changed) {
      await updateToken(tx, { userId, id }, settingsOf(token))
    }
    for (const { id, token, outcome } of page) {
      if (outcome === 'same' || (token.budget === null && outcome === 'new')) continue
      const { quota, period } = token.budget ?? { quota: 0, period: '' as const }
      await ledger.editBudget(tx, { tokenId: id, quota, period })
    }
    await book(tx, context, { credits })
    await known.write(tx, kind, rows)
  })
  known.note(rows)
}

const knownRow = ({ token, id, digest, used }: Planned) => ({
  new_id: id,
  digest,
  quota: limitOf(token),
  used,
  requests: 0,
})

function newRow(context: ImportContext, { token, id, userId }: Planned) {
  const { secrets } = context
  return {
    id,
    user_id: userId,
    key_hash: hashOf(context, token),
    key_sealed: 'plain' in token.key ? secrets.sealRelayKey(token.key.plain) : null,
    created_time: token.createdTime,
    accessed_time: token.accessedTime,
    ...settingsOf(token),
  }
}
