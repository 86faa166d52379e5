import type { CatalogModel, catalogEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { listModelHealth, type ModelHealth } from '../../store/catalog.ts'
import { createTtlMemo } from '../../store/ttl-memo.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { GROUP_DEFAULT, groupsOf } from '../own-groups.ts'
import { listCatalog } from './list-catalog.ts'

const SECONDS_PER_HOUR = 3600
const HOURS_PER_DAY = 24

/** Figures of everyone are read for all callers at once, and the public list for all visitors. */
export function catalogHandlers(deps: AdminDeps): Handlers<typeof catalogEndpoints> {
  const { database, settings } = deps
  const recentHealth = createTtlMemo<ModelHealth>()
  const recentPublic = createTtlMemo<CatalogModel[]>()
  const firstHour = () => Math.floor(nowSeconds(deps) / SECONDS_PER_HOUR) - HOURS_PER_DAY
  const health = () => recentHealth('', () => listModelHealth(database.kysely, firstHour()))
  return {
    listCatalog: async ({ caller }) => ({
      data: await listCatalog(deps, await groupsOf(deps, caller.id), await health()),
    }),
    listPublicCatalog: async () => {
      if (!settings.current().PublicCatalogEnabled) return { data: [] }
      const read = async () => listCatalog(deps, [GROUP_DEFAULT], await health())
      return { data: await recentPublic('', read) }
    },
  }
}
