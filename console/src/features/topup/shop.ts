import type { TopUpPackages } from '@tollgate/contract'

type Buyer = { username: string; id: number }

/** Shop URL with the buyer and a transaction id; null without a valid shop address. */
export function shopAddress(
  topUpLink: string,
  { username, id }: Buyer,
  transactionId: string,
): string | null {
  if (!/^https?:/.test(topUpLink) || !URL.canParse(topUpLink)) return null
  const url = new URL(topUpLink)
  url.searchParams.set('username', username)
  url.searchParams.set('user_id', String(id))
  url.searchParams.set('transaction_id', transactionId)
  return url.href
}

/** Random UUID. `crypto.randomUUID` exists only in secure contexts (TLS). */
export function newTransactionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte, index) => {
    if (index === 6) return ((byte & 0x0f) | 0x40).toString(16).padStart(2, '0')
    if (index === 8) return ((byte & 0x3f) | 0x80).toString(16).padStart(2, '0')
    return byte.toString(16).padStart(2, '0')
  }).join('')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}

/** Promotion active at `now` (epoch seconds, both ends inclusive). */
export function runningPromotion({ promotion }: TopUpPackages, now: number) {
  const isRunning = promotion !== null && promotion.from <= now && now <= promotion.until
  return isRunning ? promotion : null
}
