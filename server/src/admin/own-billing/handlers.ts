import type { ownBillingEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import type { AdminDeps } from '../deps.ts'
import { readStatement } from './statement.ts'

export function ownBillingHandlers(deps: AdminDeps): Handlers<typeof ownBillingEndpoints> {
  return {
    getStatement: async ({ caller }, { query }) => ({
      data: await readStatement(deps, caller.id, query.month),
    }),
  }
}
