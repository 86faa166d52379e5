import { TOKEN_STATUS, type Token } from '@tollgate/contract'
import { tokenState } from '../../domain/token-state.ts'
import type { ShownToken } from '../../store/tokens.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

/** A token as its owner sees it: with its key, and in the state it is in at this moment. */
export function shownToken(deps: Pick<AdminDeps, 'secrets' | 'now'>, row: ShownToken): Token {
  return {
    ...row,
    key: row.key_sealed === null ? '' : deps.secrets.openRelayKey(row.key_sealed),
    status: TOKEN_STATUS[tokenState(row, nowSeconds(deps))],
    unlimited_quota: row.unlimited_quota === 1,
  }
}
