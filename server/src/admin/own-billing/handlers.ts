import type { ownBillingEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import type { AdminDeps } from '../deps.ts'
import { changeReminder, createStopReminder, readReminder } from './reminder.ts'
import { readStatement } from './statement.ts'

export function ownBillingHandlers(deps: AdminDeps): Handlers<typeof ownBillingEndpoints> {
  const stopReminder = createStopReminder(deps)
  return {
    getStatement: async ({ caller }, { query }) => ({
      data: await readStatement(deps, caller.id, query.month),
    }),
    getReminder: async ({ caller }) => ({ data: await readReminder(deps, caller.id) }),
    setReminder: async ({ caller }, { body }) => {
      await changeReminder(deps, caller.id, body.below)
      return {}
    },
    stopReminder: async ({ address }, { body }) => {
      await stopReminder(body, address)
      return {}
    },
  }
}
