import type { Kysely } from 'kysely'
import { foldedName } from '../../store/folded-name.ts'
import type { Schema } from '../../store/schema.ts'
import { storableText } from '../../store/storable-text.ts'

const NAME_LENGTH_MAX = 200

const IDENTITIES = ['email', 'github_id', 'wechat_id', 'lark_id', 'oidc_id'] as const

type IdentityColumn = (typeof IDENTITIES)[number]

/** What must be unique among users. A claim returns false if another user has the value. */
export type TakenNames = ReturnType<typeof takenNames>

export async function readTakenNames(db: Kysely<Schema>): Promise<TakenNames> {
  const rows = await db
    .selectFrom('users')
    .select(['username', 'username_folded', 'access_token_hash', 'aff_code', 'gift_code'])
    .select(IDENTITIES)
    .execute()
  const names = takenNames()
  for (const row of rows) {
    names.claim('username', row.username)
    if (row.username_folded !== null) names.claim('username_folded', row.username_folded)
    if (row.access_token_hash !== null) names.claim('access_token_hash', row.access_token_hash)
    if (row.gift_code !== null) names.claim('gift_code', row.gift_code)
    names.claim('aff_code', row.aff_code)
    for (const column of IDENTITIES) names.claim(column, row[column])
  }
  return names
}

type Column =
  | IdentityColumn
  | 'username'
  | 'username_folded'
  | 'access_token_hash'
  | 'aff_code'
  | 'gift_code'

function takenNames() {
  const taken = new Map<Column, Set<string>>()
  const claim = (column: Column, value: string): boolean => {
    if (value === '') return false
    const values = taken.get(column) ?? new Set()
    taken.set(column, values)
    if (values.has(value)) return false
    values.add(value)
    return true
  }
  return {
    claim,
    /** The name, or the name with the id if another user has it. */
    claimUsername: ({ id, username }: { id: string; username: string }): string => {
      const name = storableText(username, NAME_LENGTH_MAX)
      const candidates = [name, `${name}_${id}`, `imported_${id}`]
      return candidates.find((name) => claim('username', name)) ?? `imported_${id}_${Date.now()}`
    },
    claimFoldedName: (username: string): string | null => {
      const folded = foldedName(username)
      return claim('username_folded', folded) ? folded : null
    },
  }
}
