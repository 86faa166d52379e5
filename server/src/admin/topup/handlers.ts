import type { topUpEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { listFriends } from '../../store/partner-plan.ts'
import type { AdminDeps } from '../deps.ts'
import { grantQuota } from './grant-quota.ts'
import { getPartnerPlan } from './partner-plan.ts'
import { recordPayout } from './record-payout.ts'
import { createRedeemLimit } from './redeem-limit.ts'
import { redeem } from './redeem.ts'

export function topUpHandlers(deps: AdminDeps): Handlers<typeof topUpEndpoints> {
  const limited = createRedeemLimit(deps)
  return {
    redeem: async (context, { body }) => ({
      data: await limited(context.caller.id, () => redeem(deps, context, body)),
    }),
    grantQuota: async (context, { body }) => ({ data: await grantQuota(deps, context, body) }),
    getPartnerPlan: async ({ caller }) => ({ data: await getPartnerPlan(deps, caller.id) }),
    listFriends: async ({ caller }, { query }) => {
      const { rows, total } = await listFriends(deps.database.kysely, caller.id, query)
      return { data: rows, total, extra: { total, ...query } }
    },
    recordPayout: async (context, { body }) => ({ data: await recordPayout(deps, context, body) }),
  }
}
