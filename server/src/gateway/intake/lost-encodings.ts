import type { Logger } from 'pino'
import { onLostEncoding } from '@tollgate/relay'

/**
 * Logs each encoding once, not once per request. Receipts mark the affected charges as estimates.
 */
export function warnOfLostEncodings(log: Pick<Logger, 'warn'>) {
  const told = new Set<string>()
  onLostEncoding((encoding, error) => {
    if (told.has(encoding)) return
    told.add(encoding)
    log.warn({ error, encoding }, 'tokens cannot be counted and are estimated')
  })
}
