import type { logEndpoints, LogFacets } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import type { LogFilter } from '../../store/log-filter.ts'
import { searchLogs } from '../../store/log-search.ts'
import { listLogs, type ShownLog } from '../../store/logs.ts'
import { sumCharged } from '../../store/sum-charged.ts'
import { createTtlMemo } from '../../store/ttl-memo.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { deleteLogs } from './delete-logs.ts'
import { createLogExports } from './export-logs.ts'
import { getReceipt } from './get-receipt.ts'
import { listFacets } from './list-facets.ts'
import { readChannelNames, presentLog, presentLogs, presentOwnLog } from './present-log.ts'

export function logHandlers(deps: AdminDeps): Handlers<typeof logEndpoints> {
  const { kysely } = deps.database
  /** Clients send an end in the future, which is ignored. */
  const bounded = <Filter extends LogFilter>(filter: Filter): Filter =>
    filter.end_timestamp < nowSeconds(deps) ? filter : { ...filter, end_timestamp: 0 }
  const exportRows = createLogExports(deps)
  let recentSum = createTtlMemo<number>()
  const sum = (filter: LogFilter) =>
    recentSum(JSON.stringify(filter), () => sumCharged(kysely, filter, nowSeconds(deps)))
  const recentFacets = createTtlMemo<LogFacets>()
  const facets = (filter: LogFilter, reader: { isAdmin: boolean }) =>
    recentFacets(JSON.stringify([filter, reader]), () => listFacets(kysely, filter, reader))
  /** Administrators name a user by id or by name. */
  const ofUser = <Query extends { user_id?: number | undefined }>({ user_id, ...rest }: Query) => ({
    ...rest,
    ...(user_id !== undefined && { userId: user_id }),
  })
  return {
    listLogs: async ({ language }, { query }) => {
      const { rows, total } = await listLogs(kysely, bounded(ofUser(query)), query)
      return { data: await presentLogs(kysely, rows, language), total }
    },
    listOwnLogs: async ({ caller, language }, { query }) => {
      const filter = { ...bounded(query), userId: caller.id }
      const { rows, total } = await listLogs(kysely, filter, query)
      return { data: rows.map((row) => presentOwnLog(row, language)), total }
    },
    exportLogs: async ({ caller, language }, { query }) => {
      const filter = bounded(ofUser(query))
      const channelNames = await readChannelNames(kysely)
      const present = (row: ShownLog) => presentLog(row, { language, channelNames })
      return { rows: exportRows({ readerId: caller.id, filter, order: query, present }) }
    },
    exportOwnLogs: async ({ caller, language }, { query }) => {
      const filter = { ...bounded(query), userId: caller.id }
      const present = (row: ShownLog) => presentOwnLog(row, language)
      return { rows: exportRows({ readerId: caller.id, filter, order: query, present }) }
    },
    getReceipt: async (reader, { params }) => ({
      data: await getReceipt(deps, reader, params.id),
    }),
    listLogFacets: async (_, { query }) => ({
      data: await facets(bounded(ofUser(query)), { isAdmin: true }),
    }),
    listOwnLogFacets: async ({ caller }, { query }) => ({
      data: await facets({ ...bounded(query), userId: caller.id }, { isAdmin: false }),
    }),
    sumLogs: async (_, { query }) => ({ data: { quota: await sum(ofUser(query)) } }),
    sumOwnLogs: async ({ caller }, { query }) => ({
      data: { quota: await sum({ ...query, userId: caller.id }) },
    }),
    searchLogs: async ({ language }, { query }) => {
      const rows = await searchLogs(kysely, query)
      return { data: await presentLogs(kysely, rows, language) }
    },
    searchOwnLogs: async ({ caller, language }, { query }) => {
      const rows = await searchLogs(kysely, query, caller.id)
      return { data: rows.map((row) => presentOwnLog(row, language)) }
    },
    deleteLogs: async (context, { query }) => {
      const data = await deleteLogs(deps, context, query.target_timestamp)
      recentSum = createTtlMemo()
      return { data }
    },
  }
}
