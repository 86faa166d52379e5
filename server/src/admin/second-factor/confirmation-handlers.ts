import type { secondFactorEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import type { AdminDeps } from '../deps.ts'
import { beginPasskeyConfirmation, confirm, createConfirmLimits } from './confirm.ts'
import { confirmationWays, confirmedUntil } from './require-confirmed.ts'

type Names = 'getConfirmation' | 'beginPasskeyConfirmation' | 'confirm'

export function confirmationHandlers(
  deps: AdminDeps,
): Pick<Handlers<typeof secondFactorEndpoints>, Names> {
  const limits = createConfirmLimits(deps)
  return {
    getConfirmation: async (context) => {
      const { session } = context
      if (session === null) return { data: { confirmed_until: 0, ways: [] } }
      return {
        data: {
          confirmed_until: session.confirmedAt === 0 ? 0 : confirmedUntil(session),
          ways: await confirmationWays(deps, context),
        },
      }
    },
    beginPasskeyConfirmation: async (context) => ({
      data: await beginPasskeyConfirmation(deps, context),
    }),
    confirm: async (context, { body }) => {
      const confirmedAt = await confirm(deps, limits, { asking: context, given: body })
      return { data: { confirmed_until: confirmedUntil({ confirmedAt }) } }
    },
  }
}
