/** Jobs whose pieces of work one process of an installation claims, each for itself. */
export const CLAIMED_JOBS = ['messages', 'channel_tests', 'price_feeds', 'bills'] as const

export type ClaimedJob = (typeof CLAIMED_JOBS)[number]

export type ClaimDeps = {
  /** This process has claimed a piece of work. */
  claimed?: ((job: ClaimedJob) => void) | undefined
}
