import { AppError, type Redemption, type redemptionEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import {
  findRedemption,
  listBatches,
  listRedemptions,
  searchRedemptions,
  type ShownRedemption,
} from '../../store/redemptions.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { createRedemptions } from './create-redemptions.ts'
import { setBatchStatus } from './set-batch-status.ts'
import { deleteRedemption, setRedemptionStatus, updateRedemption } from './update-redemption.ts'

const shown = (row: ShownRedemption): Redemption => ({ ...row, count: 0 })

export function redemptionHandlers(deps: AdminDeps): Handlers<typeof redemptionEndpoints> {
  const { kysely } = deps.database
  return {
    listRedemptions: async (_, { query }) => {
      const { p, size, before, sort, order, ...filter } = query
      const page = { p, size, before, sort, order }
      const now = nowSeconds(deps)
      const { rows, total } = await listRedemptions(kysely, { ...page, filter, now })
      return { data: rows.map(shown), total }
    },
    searchRedemptions: async (_, { query }) => {
      const rows = await searchRedemptions(kysely, query)
      return { data: rows.map(shown) }
    },
    listRedemptionBatches: async () => ({ data: await listBatches(kysely, nowSeconds(deps)) }),
    setBatchStatus: async (context, { body }) => ({
      data: await setBatchStatus(deps, context, body),
    }),
    getRedemption: async (_, { params }) => {
      const code = await findRedemption(kysely, params.id)
      if (!code) throw new AppError('redemption_not_found')
      return { data: shown(code) }
    },
    createRedemptions: async (context, { body }) => ({
      data: await createRedemptions(deps, context, body),
    }),
    updateRedemption: async (context, { query, body }) => {
      if (query.status_only) return { data: shown(await setRedemptionStatus(deps, context, body)) }
      const { id, name, quota, expired_time } = body
      if (name === undefined) throw new AppError('field_missing', { field: 'name' })
      if (quota === undefined) throw new AppError('field_missing', { field: 'quota' })
      return {
        data: shown(await updateRedemption(deps, context, { id, name, quota, expired_time })),
      }
    },
    deleteRedemption: async (context, { params }) => {
      await deleteRedemption(deps, context, params.id)
      return {}
    },
  }
}
