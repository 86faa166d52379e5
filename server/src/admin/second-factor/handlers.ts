import type { secondFactorEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { readFactors } from '../../store/second-factors.ts'
import { createAttemptLimit, takeOrRefuse } from '../attempt-limit.ts'
import type { AdminDeps } from '../deps.ts'
import { confirmationHandlers } from './confirmation-handlers.ts'
import {
  beginPasskey,
  createPasskey,
  deletePasskey,
  renamePasskey,
  presentPasskey,
} from './own-passkeys.ts'
import { createRecoveryCodes } from './own-recovery-codes.ts'
import { endOtherSessions, endSession, ownSessions } from './own-sessions.ts'
import { beginTotp, disableTotp, enableTotp } from './own-totp.ts'
import { isFactorRequired } from './require-second-factor.ts'

const WINDOW_SECONDS = 20 * 60
const CHANGES_PER_ACCOUNT_MAX = 60

export function secondFactorHandlers(deps: AdminDeps): Handlers<typeof secondFactorEndpoints> {
  const changes = createAttemptLimit(deps, {
    name: 'second factor change',
    most: CHANGES_PER_ACCOUNT_MAX,
    seconds: WINDOW_SECONDS,
  })
  const takeChange = ({ caller }: { caller: { id: number } }) =>
    takeOrRefuse(changes, String(caller.id))
  return {
    getSecondFactor: async ({ caller }) => ({ data: await ownFactors(deps, caller) }),
    beginTotp: async (context) => {
      await takeChange(context)
      return { data: await beginTotp(deps, context) }
    },
    enableTotp: async (context, { body }) => {
      await takeChange(context)
      return { data: { recovery_codes: await enableTotp(deps, context, body.code) } }
    },
    disableTotp: async (context) => {
      await disableTotp(deps, context)
      return {}
    },
    createRecoveryCodes: async (context) => {
      await takeChange(context)
      return { data: { recovery_codes: await createRecoveryCodes(deps, context) } }
    },
    beginPasskey: async (context) => {
      await takeChange(context)
      return { data: await beginPasskey(deps, context) }
    },
    createPasskey: async (context, { body }) => ({
      data: await createPasskey(deps, context, body),
    }),
    renamePasskey: async (context, { body }) => ({
      data: await renamePasskey(deps, context, body),
    }),
    deletePasskey: async (context, { params }) => {
      await deletePasskey(deps, context, params.id)
      return {}
    },
    listSessions: async (context) => ({ data: await ownSessions(deps, context) }),
    endOtherSessions: async (context) => {
      await endOtherSessions(deps, context)
      return {}
    },
    endSession: (context, { params }) => endSession(deps, context, params.id),
    ...confirmationHandlers(deps),
  }
}

async function ownFactors(deps: AdminDeps, { id, role }: { id: number; role: number }) {
  const { totp_sealed, passkeys, recovery_codes_left } = await readFactors(deps.database.kysely, id)
  return {
    totp: totp_sealed !== '',
    recovery_codes_left,
    passkeys: passkeys.map(presentPasskey),
    required: isFactorRequired(deps, role),
  }
}
