import { CHANNEL_STATUS } from '@tollgate/contract'
import { listChannelIds } from '../../store/channels.ts'
import { enqueue } from '../../store/outbox.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorizeNow } from '../reauthorize.ts'
import type { BulkRun } from './bulk-run.ts'
import { testInRun } from './test-channel.ts'

const { enabled, disabled, autoDisabled } = CHANNEL_STATUS

const STATUSES = {
  all: [enabled, disabled, autoDisabled],
  disabled: [disabled, autoDisabled],
} as const

/** Starts tests in the background. A notification reports the result at the end. */
export async function testChannels(
  deps: AdminDeps,
  context: CallerContext,
  { run, scope }: { run: BulkRun; scope: keyof typeof STATUSES },
): Promise<void> {
  await reauthorizeNow(deps, context)
  const { database } = deps
  await run.start({
    list: () => listChannelIds(database.kysely, { statuses: STATUSES[scope] }),
    each: (id, signal) => testInRun(deps, id, signal),
    finish: (outcome) => {
      const message = { type: 'test-finished', ...outcome } as const
      return database.transaction((tx) => enqueue(tx, message, nowSeconds(deps)))
    },
  })
}
