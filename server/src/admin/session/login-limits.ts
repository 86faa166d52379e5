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
/** As long as a session may last. */
const KNOWN_SECONDS = 30 * 24 * 3600

type Attempt = {
  address: string
  /** As it was typed. */
  name: string
  /** Whose name it is, if anybody's. An address is known for an account until the password changes. */
  user: { id: number; password_hash?: string } | undefined
  /** Of this account, or null. */
  device: string | null
}

export type LoginLimits = {
  /** Throws `too_many_requests`. */
  take: (attempt: Attempt) => Promise<{
    /** The account has had too many failures under another of its names, which nobody is to learn. */
    isLocked: boolean
    /** Takes the attempt back when it turned out well. */
    forgive: () => Promise<void>
  }>
}

/**
 * Where somebody has signed in before, or with what browser, their failures are counted by themselves, so that nobody is
 * locked out by what others try elsewhere. With such a browser nobody is locked out by what others try at the same
 * address either. An account has a name and an e-mail address: what is told is counted by what was typed, or a lock
 * would tell whose address it is. A name that nobody has costs as much work.
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
        await giveAllBack(isKnown ? counts : [...counts, [accounts, account]])
      }
      return { isLocked, forgive }
    },
  }
}

export type Count = readonly [limit: AttemptLimit, key: string]

/** All or none: of an attempt that is refused for one of them nothing counts, or it would cost the others. */
export async function takeAll(counts: readonly Count[]): Promise<number | null> {
  for (const [index, [limit, key]] of counts.entries()) {
    const seconds = await limit.take(key)
    if (seconds === null) continue
    await giveAllBack(counts.slice(0, index))
    return seconds
  }
  return null
}

export async function giveAllBack(counts: readonly Count[]) {
  for (const [limit, key] of counts) await limit.giveBack(key)
}
