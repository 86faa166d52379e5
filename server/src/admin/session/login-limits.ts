import { AppError } from '@tollgate/contract'
import { addressKey } from '../../http/rate-limit.ts'
import { createAttemptLimit, createMarks, type LimitDeps } from '../attempt-limit.ts'

const WINDOW_SECONDS = 20 * 60
const FAILURES_PER_ADDRESS_MAX = 20
const FAILURES_PER_ACCOUNT_MAX = 10
/** As long as a session may last. */
const KNOWN_SECONDS = 30 * 24 * 3600

type Attempt = {
  address: string
  /** As it was typed. */
  name: string
  /** Whose name it is, if anybody's. */
  userId: number | undefined
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
 * Where somebody has signed in before, or with what browser, their failures are counted by themselves, so that
 * nobody is locked out by what others try elsewhere. An account has a name and an address: what is told is
 * counted by what was typed, or a lock would tell whose address it is. A name that nobody has costs as much work.
 */
export function createLoginLimits(deps: LimitDeps, purpose: 'login' | 'bind'): LoginLimits {
  const limitOf = (what: string, most: number) =>
    createAttemptLimit(deps, { name: `${purpose} ${what}`, most, seconds: WINDOW_SECONDS })
  const addresses = limitOf('address', FAILURES_PER_ADDRESS_MAX)
  const names = limitOf('name', FAILURES_PER_ACCOUNT_MAX)
  const accounts = limitOf('account', FAILURES_PER_ACCOUNT_MAX)
  const knownPlaces = limitOf('known place', FAILURES_PER_ACCOUNT_MAX)
  const known = createMarks(deps, { name: `${purpose} known`, seconds: KNOWN_SECONDS })
  /** Of an attempt that is refused for its name nothing counts, or its owner's patience would cost the address. */
  const takeBoth = async (key: string, name: string) => {
    const seconds = await addresses.take(key)
    if (seconds !== null) return seconds
    const secondsOfName = await names.take(name)
    if (secondsOfName !== null) await addresses.giveBack(key)
    return secondsOfName
  }
  return {
    take: async ({ address, name, userId, device }) => {
      const key = addressKey(address)
      const account = userId === undefined ? `nobody ${name}` : String(userId)
      const here = `${key} ${account}`
      const place = device ?? here
      const isKnown = device !== null || (await known.has(here))
      const seconds = isKnown ? await knownPlaces.take(place) : await takeBoth(key, name)
      if (seconds !== null) throw new AppError('too_many_requests', { seconds })
      const isLocked = !isKnown && (await accounts.take(account)) !== null
      const forgive = async () => {
        await known.put(here)
        if (isKnown) return knownPlaces.giveBack(place)
        await addresses.giveBack(key)
        await names.giveBack(name)
        await accounts.giveBack(account)
      }
      return { isLocked, forgive }
    },
  }
}
