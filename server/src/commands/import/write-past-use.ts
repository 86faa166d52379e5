import type { ImportedUse } from '../../ledger/balances/imported-sums.ts'
import { StagedUses } from '../../ledger/balances/staged-uses.ts'
import { executeAll } from '../../store/execute-all.ts'
import { book } from './book.ts'
import { type ImportContext, nowSeconds } from './context.ts'
import type { Known, KnownRows } from './known-rows.ts'
import type { LogOwners } from './log-owners.ts'
import { insertPastKeys, newPastKeys } from './past-keys.ts'
import { writeInTurn } from './write-in-turn.ts'

const PAGE_ROWS = 20_000

type Past = {
  readonly userId: string
  /** Null for what no key that is left has used. */
  readonly tokenId: string | null
  readonly charged: number
  readonly requests: number
}

/**
 * Books what users and keys had used before the log of the source began, or while it was off, as
 * one charge each.
 */
export async function importPastUse(context: ImportContext, owners: LogOwners) {
  if (context.isDryRun) return
  const past = [...pastOfTokens(owners)]
  for (let first = 0; first < past.length; first += PAGE_ROWS) {
    await writePage(context, past.slice(first, first + PAGE_ROWS), owners)
  }
  const rest = [...pastOfUsers(owners)]
  for (let first = 0; first < rest.length; first += PAGE_ROWS) {
    await writePage(context, rest.slice(first, first + PAGE_ROWS), owners)
  }
}

function* pastOfTokens({ tokens, users, usersKnown }: LogOwners): Generator<Past> {
  const left = new Map<string, number>()
  for (const [id, { source }] of tokens.imported) {
    const { userId, usedQuota } = source
    const user = users.get(userId)
    const explained = usersKnown.get(userId)?.used ?? 0
    // What keys have used is part of what their user has used.
    const available = left.get(userId) ?? Math.max(0, (user?.source.usedQuota ?? 0) - explained)
    const charged = Math.min(available, usedQuota - (tokens.known.get(id)?.used ?? 0))
    if (charged <= 0) continue
    left.set(userId, available - charged)
    yield { userId, tokenId: id, charged, requests: 0 }
  }
}

function* pastOfUsers({ users, usersKnown }: LogOwners): Generator<Past> {
  for (const [userId, { source }] of users) {
    const known = usersKnown.get(userId)
    const charged = Math.max(0, source.usedQuota - (known?.used ?? 0))
    const requests = Math.max(0, source.requestCount - (known?.requests ?? 0))
    if (charged > 0 || requests > 0) yield { userId, tokenId: null, charged, requests }
  }
}

async function writePage(context: ImportContext, page: readonly Past[], owners: LogOwners) {
  const { database } = context
  const { users, usersKnown, tokens, pastKeys } = owners
  const userIds = page.filter(({ tokenId }) => tokenId === null).map(({ userId }) => userId)
  const past = await newPastKeys(database, userIds, pastKeys)
  const keyOf = ({ userId, tokenId }: Past) =>
    (tokenId === null
      ? (past.get(userId)?.new_id ?? pastKeys.idOf(userId))
      : tokens.imported.get(tokenId)?.id) ?? 0
  const uses = page.map((row): ImportedUse => {
    const user = users.get(row.userId)
    return {
      ...NO_TOKENS,
      userId: user?.id ?? 0,
      tokenId: keyOf(row),
      group: user?.group.split(',')[0] ?? '',
      at: nowSeconds(context),
      charged: row.charged,
      requests: row.requests,
    }
  })
  const counted = { users: new Map<string, Known>(), tokens: new Map<string, Known>() }
  for (const row of page) {
    count(counted.users, usersKnown, row.userId, row)
    if (row.tokenId !== null) count(counted.tokens, tokens.known, row.tokenId, row)
  }
  await writeInTurn(context, 'changeAccounts', async (tx) => {
    await insertPastKeys(tx, context, { past, owners })
    const staged = new StagedUses(database.kind)
    await executeAll(tx, staged.add(uses))
    await book(tx, context, { uses: staged })
    await usersKnown.write(tx, database.kind, counted.users)
    await tokens.known.write(tx, database.kind, counted.tokens)
  })
  pastKeys.note(past)
  usersKnown.note(counted.users)
  tokens.known.note(counted.tokens)
}

const NO_TOKENS = {
  channel: 0,
  model: '',
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  elapsedMs: null,
  firstTokenMs: 0,
}

function count(to: Map<string, Known>, known: KnownRows, id: string, row: Past) {
  const entry = to.get(id) ?? known.get(id)
  if (entry === undefined) return
  const { used, requests } = entry
  to.set(id, { ...entry, used: used + row.charged, requests: requests + row.requests })
}
