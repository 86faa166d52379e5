import { AppError } from '@tollgate/contract'
import { addressKey } from '../../http/rate-limit.ts'
import {
  type AttemptLimit,
  createAttemptLimit,
  createMarks,
  type LimitDeps,
} from '../attempt-limit.ts'

const WINDOW_SECONDS = 20 * 60
const FAILURES_PER_ADDRESS_MAX = 20
const FAILURES_PER_ACCOUNT_MAX = 10
/** The longest a session may last. */
const KNOWN_SECONDS = 30 * 24 * 3600

type LoginAttempt = {
  address: string
  /** The name as typed. */
  name: string
  /**
   * The account with this name, if any. An address stays known for an account until its password
   * changes.
   */
  user: { id: number; password_hash?: string } | undefined
  /** Device token of this account, or null. */
  device: string | null
}

export type LoginLimits = {
  /** Throws `too_many_requests`. */
  take: (attempt: LoginAttempt) => Promise<{
    /** Too many failures under the account's other name. The response must not reveal this. */
    isLocked: boolean
    /** Refunds a successful attempt. */
    forgive: () => Promise<void>
  }>
}

/**
 * Limits failed logins by address and account. Addresses and browsers that have logged in before
 * have their own count, so that strangers elsewhere cannot lock an owner out. A browser with a
 * device token is also independent of other callers at its address. An account has a name and an
 * email address: reported limits are counted by the typed name, or a lock would reveal whose
 * address it is. Unknown names are counted too and cost the same work.
 */
export function createLoginLimits(deps: LimitDeps, purpose: 'login' | 'bind'): LoginLimits {
  const limitOf = (what: string, most: number) =>
    createAttemptLimit(deps, { name: `${purpose} ${what}`, most, seconds: WINDOW_SECONDS })
  const addresses = limitOf('address', FAILURES_PER_ADDRESS_MAX)
  const names = limitOf('name', FAILURES_PER_ACCOUNT_MAX)
  const accounts = limitOf('account', FAILURES_PER_ACCOUNT_MAX)
  const knownPlaces = limitOf('known place', FAILURES_PER_ACCOUNT_MAX)
  const known = createMarks(deps, { name: `${purpose} known`, seconds: KNOWN_SECONDS })
  return {
    take: async ({ address, name, user, device }) => {
      const here = addressKey(address)
      const account = user === undefined ? `nobody ${name}` : String(user.id)
      const mark = `${here} ${account} ${user?.password_hash ?? ''}`
      const isKnown = device !== null || (await known.has(mark))
      const ofAddress: Count = [addresses, here]
      const ofAccount: Count = isKnown ? [knownPlaces, `${here} ${account}`] : [names, name]
      const counts: Count[] = device === null ? [ofAddress, ofAccount] : [[knownPlaces, device]]
      const seconds = await takeAll(counts)
      if (seconds !== null) throw new AppError('too_many_requests', { seconds })
      const isLocked = !isKnown && (await accounts.take(account)) !== null
      const forgive = async () => {
        await known.put(mark)
        await releaseAll(isKnown ? counts : [...counts, [accounts, account]])
      }
      return { isLocked, forgive }
    },
  }
}

export type Count = readonly [limit: AttemptLimit, key: string]

/** Takes from all limits or none: an attempt that one limit rejects must not use up the others. */
export async function takeAll(counts: readonly Count[]): Promise<number | null> {
  for (const [index, [limit, key]] of counts.entries()) {
    const seconds = await limit.take(key)
    if (seconds === null) continue
    await releaseAll(counts.slice(0, index))
    return seconds
  }
  return null
}

export async function releaseAll(counts: readonly Count[]) {
  for (const [limit, key] of counts) await limit.release(key)
}
