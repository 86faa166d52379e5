import type { AdminDeps } from '../deps.ts'
import { type BulkRun, createBulkRun } from './bulk-run.ts'

export type ChannelRuns = { tests: BulkRun; balances: BulkRun; close: () => Promise<void> }

export function createChannelRuns(deps: AdminDeps): ChannelRuns {
  const [tests, balances] = [createBulkRun(deps, 'tests'), createBulkRun(deps, 'balances')]
  return {
    tests,
    balances,
    close: async () => {
      await Promise.all([tests.close(), balances.close()])
    },
  }
}
