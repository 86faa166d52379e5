import type { logEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { listLogs, sumLogs } from '../../store/logs.ts'
import type { AdminDeps } from '../deps.ts'
import { shownLog, shownOwnLog } from './shown-log.ts'

export function logHandlers({ database }: AdminDeps): Handlers<typeof logEndpoints> {
  const { kysely } = database
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
      data: { quota: await sumLogs(kysely, { ...query, type: 0 }) },
    }),
    sumOwnLogs: async ({ caller }, { query }) => ({
      data: { quota: await sumLogs(kysely, { ...query, userId: caller.id }) },
    }),
  }
}
