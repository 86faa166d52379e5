import type { CreditKind } from '@tollgate/contract'
import { API_TOP_UP_REASON } from './topup/grant-quota.ts'

/** The beginning of a credit's source says what made it. */
const KINDS: Readonly<Record<string, CreditKind>> = {
  redemption: 'code',
  topup: 'topup',
  gift: 'gift',
  inviter: 'invitation',
  invitee: 'invitation',
  'new-user': 'welcome',
  import: 'import',
}

/** Only remarks are notes: the ledger's own reasons are English codes. */
export function presentCredit<Row extends { reason: string; source: string }>({
  reason,
  source,
  ...row
}: Row) {
  const kind = KINDS[source.split(':')[0] ?? ''] ?? 'adjustment'
  const isRemark = kind === 'topup' && reason !== API_TOP_UP_REASON
  return { ...row, kind, note: isRemark ? reason : '' }
}
