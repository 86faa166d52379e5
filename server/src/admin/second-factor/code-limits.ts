import { AppError } from '@tollgate/contract'
import { addressKey } from '../../http/rate-limit.ts'
import { createAttemptLimit, createMarks, type LimitDeps } from '../attempt-limit.ts'
import { type Count, releaseAll, takeAll } from '../session/login-limits.ts'

const WINDOW_SECONDS = 20 * 60
const FAILURES_PER_ADDRESS_MAX = 20
const FAILURES_PER_ACCOUNT_MAX = 10
/** Without a daily limit, someone who knows the password could guess six digits within months. */
const DAY_SECONDS = 24 * 3600
const FAILURES_PER_ACCOUNT_AND_DAY_MAX = 50
/** The longest a session may last. */
const KNOWN_SECONDS = 30 * 24 * 3600

type CodeAttempt = {
  userId: number
  address: string
  /** Device token from an earlier login to this account, or null. */
  device: string | null
}

export type CodeLimits = {
  /** Throws `too_many_requests`. Resolves to a function that refunds a successful attempt. */
  take: (attempt: CodeAttempt) => Promise<(newDevice: string) => Promise<void>>
}

/**
 * Limits wrong codes of a login by address and by account. An address or browser that has passed
 * the second factor has its own count, so that strangers who know the password cannot lock the
 * owner out.
 */
export function createCodeLimits(deps: LimitDeps): CodeLimits {
  const limitOf = (name: string, most: number, seconds = WINDOW_SECONDS) =>
    createAttemptLimit(deps, { name: `second factor ${name}`, most, seconds })
  const addresses = limitOf('address', FAILURES_PER_ADDRESS_MAX)
  const accounts = limitOf('account', FAILURES_PER_ACCOUNT_MAX)
  const days = limitOf('day', FAILURES_PER_ACCOUNT_AND_DAY_MAX, DAY_SECONDS)
  const known = createMarks(deps, { name: 'second factor known', seconds: KNOWN_SECONDS })
  return {
    take: async ({ userId, address, device }) => {
      const here = addressKey(address)
      const markOf = (place: string) => `${userId} ${place}`
      const isKnown = async (place: string | null) =>
        place !== null && (await known.has(markOf(place)))
      const knownDevice = (await isKnown(device)) ? device : null
      const place = knownDevice ?? ((await isKnown(here)) ? here : 'elsewhere')
      const counts: Count[] = [
        ...(knownDevice === null ? [[addresses, here] satisfies Count] : []),
        [accounts, markOf(place)],
        [days, markOf(place)],
      ]
      const seconds = await takeAll(counts)
      if (seconds !== null) throw new AppError('too_many_requests', { seconds })
      return async (newDevice) => {
        await known.put(markOf(here))
        await known.put(markOf(newDevice))
        await releaseAll(counts)
      }
    },
  }
}
