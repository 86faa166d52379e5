import { setImmediate as nextTurn } from 'node:timers/promises'
import { KEY_PART_MIN, SEARCH_ROWS_MAX } from '@tollgate/contract'
import {
  findUserTokenByHash,
  findUserTokens,
  listSealedKeys,
  type ShownUserToken,
  type UserTokenFilter,
} from '../../store/user-tokens.ts'
import type { AdminDeps } from '../deps.ts'

const PREFIX = 'sk-'
/** Keys are sealed one by one, so a part is found by opening them. */
const KEYS_PER_TURN = 1000
const KEYS_READ_MAX = 500_000

/** Where a masked key leaves characters out. */
const GAP = /…|\.{2,}|\*+/
const KEY_TEXT = /^[0-9A-Za-z]*$/

export const isKeyText = (keyword: string) => keyword.startsWith(PREFIX)

type Matches = (key: string) => boolean

/** Null for a text that is too short to be a part of a key, or cannot be one. */
function matcherOf(keyword: string): Matches | null {
  const [head = '', tail = '', ...more] = keyword.replace(/^sk-/, '').split(GAP)
  const isKey = more.length === 0 && KEY_TEXT.test(head + tail)
  if (!isKey || head.length + tail.length < (isKeyText(keyword) ? 2 : KEY_PART_MIN)) return null
  if (GAP.test(keyword)) return (key) => key.startsWith(head) && key.endsWith(tail)
  return isKeyText(keyword) ? (key) => key.startsWith(head) : (key) => key.includes(head)
}

/** Tokens by their key, whole or in part, at most `SEARCH_ROWS_MAX`, the newest first. */
export async function findByKey(
  { database: { kysely }, secrets }: Pick<AdminDeps, 'database' | 'secrets'>,
  filter: UserTokenFilter,
  keyword: string,
): Promise<ShownUserToken[]> {
  const whole = keyword.replace(/^sk-/, '')
  const exact = await findUserTokenByHash(kysely, filter, secrets.hashRelayKey(whole))
  if (exact.length > 0) return exact
  const matches = matcherOf(keyword)
  if (matches === null) return []
  const ids: number[] = []
  let before = Number.MAX_SAFE_INTEGER
  for (let read = 0; read < KEYS_READ_MAX && ids.length < SEARCH_ROWS_MAX;) {
    const rows = await listSealedKeys(kysely, filter, { before, limit: KEYS_PER_TURN })
    for (const { id, key_sealed } of rows) {
      if (key_sealed !== null && matches(secrets.openRelayKey(key_sealed))) ids.push(id)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < KEYS_PER_TURN) break
    before = last.id
    read += rows.length
    // Requests are served in between.
    await nextTurn()
  }
  const shown = ids.slice(0, SEARCH_ROWS_MAX)
  return shown.length === 0 ? [] : findUserTokens(kysely, filter, shown)
}
