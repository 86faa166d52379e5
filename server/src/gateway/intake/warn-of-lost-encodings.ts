import type { Logger } from 'pino'
import { onEncodingLoadFailure } from '@tollgate/relay'

/**
 * Logs each encoding once, not once per request. Receipts mark the affected charges as estimates.
 */
export function warnOfLostEncodings(log: Pick<Logger, 'warn'>) {
  const logged = new Set<string>()
  onEncodingLoadFailure((encoding, error) => {
    if (logged.has(encoding)) return
    logged.add(encoding)
    log.warn({ error, encoding }, 'tokens cannot be counted and are estimated')
  })
}
