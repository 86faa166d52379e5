import { AppError, type Passkey as ShownPasskey } from '@tollgate/contract'
import type { Site } from '../../http/site.ts'
import { newUserHandle } from '../../secrets.ts'
import { isUniqueViolation } from '../../store/failures.ts'
import {
  deletePasskey as removePasskey,
  readFactors,
  insertPasskey,
  ensureUserHandle,
  type Passkey,
  renamePasskey as nameAnew,
} from '../../store/second-factors.ts'
import { findCredentials } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import type { CallerContext } from '../reauthorize.ts'
import { changeFactors } from './change-factors.ts'
import { firstRecoveryCodes } from './recovery-codes.ts'
import { relyingParty } from './relying-party.ts'
import type { PasskeyChallenge } from './sign-in-by-passkey.ts'
import { issueTicket, spendChallenge } from './tickets.ts'
import { checkAttestation, creationOptions } from './webauthn.ts'

const PASSKEYS_MAX = 20

export const presentPasskey = ({
  id,
  name,
  created_time,
  last_used_time,
}: Passkey): ShownPasskey => ({ id, name, created_time, last_used_time })

type AskingAtSite = CallerContext & { site: Site }

export async function beginPasskey(
  deps: AdminDeps,
  context: AskingAtSite,
): Promise<PasskeyChallenge> {
  const { id: userId } = context.caller
  const rp = relyingParty(deps, context.site)
  const user = await findCredentials(deps.database.kysely, userId)
  if (!user) throw new AppError('not_signed_in')
  const prepared = await changeFactors(deps, context, { endsSessions: false }, async (tx) => {
    const { passkeys } = await readFactors(tx, userId)
    requirePasskeysBelowMax(passkeys)
    return {
      handle: await ensureUserHandle(tx, { userId, newHandle: newUserHandle() }),
      ticket: await issueTicket(tx, deps, { purpose: 'passkey_create', userId }),
      existing: passkeys.filter(({ rp_id }) => rp_id === rp.id),
    }
  })
  const { handle, ticket, existing } = prepared
  const options = await creationOptions({
    rp,
    rpName: deps.settings.current().SystemName,
    challenge: deps.secrets.challengeOf(ticket),
    user,
    handle,
    existing,
  })
  return { ticket, options }
}

function requirePasskeysBelowMax(passkeys: readonly Passkey[]) {
  if (passkeys.length >= PASSKEYS_MAX) {
    throw new AppError('too_many_passkeys', { limit: PASSKEYS_MAX })
  }
}

type Created = { passkey: ShownPasskey; recovery_codes: string[] }

export async function createPasskey(
  deps: AdminDeps,
  context: AskingAtSite,
  { ticket, name, response }: { ticket: string; name: string; response: unknown },
): Promise<Created> {
  const userId = context.caller.id
  const rp = relyingParty(deps, context.site)
  const challenged = await spendChallenge(deps, 'passkey_create', ticket)
  if (challenged.userId !== userId) throw new AppError('passkey_expired')
  const { challenge } = challenged
  const attested = await checkAttestation({ response, challenge, rp, log: deps.log })
  try {
    return await changeFactors(deps, context, { event: 'passkey_added' }, async (tx) => {
      requirePasskeysBelowMax((await readFactors(tx, userId)).passkeys)
      const created_time = nowSeconds(deps)
      const passkey = await insertPasskey(tx, { ...attested, user_id: userId, name, created_time })
      return {
        passkey: presentPasskey(passkey),
        recovery_codes: await firstRecoveryCodes(tx, deps, userId),
      }
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('passkey_taken', {}, error)
    throw error
  }
}

export async function renamePasskey(
  deps: AdminDeps,
  context: CallerContext,
  { id, name }: { id: number; name: string },
): Promise<ShownPasskey> {
  return changeFactors(deps, context, { endsSessions: false }, async (tx) => {
    const renamed = await nameAnew(tx, { userId: context.caller.id, id }, name)
    if (!renamed) throw new AppError('passkey_not_found')
    return presentPasskey(renamed)
  })
}

export async function deletePasskey(deps: AdminDeps, context: CallerContext, id: number) {
  await changeFactors(deps, context, { event: 'passkey_removed', removes: true }, async (tx) => {
    const deleted = await removePasskey(tx, { userId: context.caller.id, id })
    if (!deleted) throw new AppError('passkey_not_found')
  })
}
