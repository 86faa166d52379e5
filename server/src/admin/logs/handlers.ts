import type { logEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { sumCharged } from '../../store/charged.ts'
import { listLogs } from '../../store/logs.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { shownLog, shownOwnLog } from './shown-log.ts'

export function logHandlers(deps: AdminDeps): Handlers<typeof logEndpoints> {
  const { kysely } = deps.database
  return {
    listLogs: async (_, { query }) => {
      const { rows, total } = await listLogs(kysely, query, query)
      return { data: rows.map(shownLog), total }
    },
    listOwnLogs: async ({ caller }, { query }) => {
      const { rows, total } = await listLogs(kysely, { ...query, userId: caller.id }, query)
      return { data: rows.map(shownOwnLog), total }
    },
    sumLogs: async (_, { query }) => ({
      data: { quota: await sumCharged(kysely, query, nowSeconds(deps)) },
    }),
    sumOwnLogs: async ({ caller }, { query }) => ({
      data: {
        quota: await sumCharged(kysely, { ...query, userId: caller.id }, nowSeconds(deps)),
      },
    }),
  }
}
