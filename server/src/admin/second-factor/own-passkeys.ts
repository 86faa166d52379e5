import { AppError, type Passkey as ShownPasskey } from '@tollgate/contract'
import type { Site } from '../../http/site.ts'
import { newUserHandle } from '../../secrets.ts'
import { isUniqueViolation } from '../../store/failures.ts'
import {
  deletePasskey as removePasskey,
  factorsOf,
  insertPasskey,
  keepUserHandle,
  type Passkey,
  renamePasskey as nameAnew,
} from '../../store/second-factors.ts'
import { findSigningIn } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import type { Asking } from '../reauthorize.ts'
import { changeFactors } from './change-factors.ts'
import { firstRecoveryCodes } from './recovery-codes.ts'
import { relyingParty } from './relying-party.ts'
import type { PasskeyChallenge } from './sign-in-by-passkey.ts'
import { issueTicket, spendChallenge } from './tickets.ts'
import { checkAttestation, creationOptions } from './webauthn.ts'

const PASSKEYS_MAX = 20

export const shownPasskey = ({
  id,
  name,
  created_time,
  last_used_time,
}: Passkey): ShownPasskey => ({ id, name, created_time, last_used_time })

type Here = Asking & { site: Site }

export async function beginPasskey(deps: AdminDeps, asking: Here): Promise<PasskeyChallenge> {
  const { id: userId } = asking.caller
  const rp = relyingParty(deps, asking.site)
  const user = await findSigningIn(deps.database.kysely, userId)
  if (!user) throw new AppError('not_signed_in')
  const begun = await changeFactors(deps, asking, { endsSessions: false }, async (tx) => {
    const { passkeys } = await factorsOf(tx, userId)
    requireRoom(passkeys)
    return {
      handle: await keepUserHandle(tx, { userId, newHandle: newUserHandle() }),
      ticket: await issueTicket(tx, deps, { purpose: 'passkey_create', userId }),
      existing: passkeys.filter(({ rp_id }) => rp_id === rp.id),
    }
  })
  const { handle, ticket, existing } = begun
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

function requireRoom(passkeys: readonly Passkey[]) {
  if (passkeys.length >= PASSKEYS_MAX) {
    throw new AppError('too_many_passkeys', { limit: PASSKEYS_MAX })
  }
}

type Created = { passkey: ShownPasskey; recovery_codes: string[] }

export async function createPasskey(
  deps: AdminDeps,
  asking: Here,
  { ticket, name, response }: { ticket: string; name: string; response: unknown },
): Promise<Created> {
  const userId = asking.caller.id
  const rp = relyingParty(deps, asking.site)
  const challenged = await spendChallenge(deps, 'passkey_create', ticket)
  if (challenged.userId !== userId) throw new AppError('passkey_expired')
  const { challenge } = challenged
  const made = await checkAttestation({ response, challenge, rp, log: deps.log })
  try {
    return await changeFactors(deps, asking, { event: 'passkey_added' }, async (tx) => {
      requireRoom((await factorsOf(tx, userId)).passkeys)
      const created_time = nowSeconds(deps)
      const passkey = await insertPasskey(tx, { ...made, user_id: userId, name, created_time })
      return {
        passkey: shownPasskey(passkey),
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
  asking: Asking,
  { id, name }: { id: number; name: string },
): Promise<ShownPasskey> {
  return changeFactors(deps, asking, { endsSessions: false }, async (tx) => {
    const renamed = await nameAnew(tx, { userId: asking.caller.id, id }, name)
    if (!renamed) throw new AppError('passkey_not_found')
    return shownPasskey(renamed)
  })
}

export async function deletePasskey(deps: AdminDeps, asking: Asking, id: number) {
  await changeFactors(deps, asking, { event: 'passkey_removed', removes: true }, async (tx) => {
    const deleted = await removePasskey(tx, { userId: asking.caller.id, id })
    if (!deleted) throw new AppError('passkey_not_found')
  })
}
