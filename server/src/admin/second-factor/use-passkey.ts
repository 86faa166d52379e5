import { AppError } from '@tollgate/contract'
import type { Site } from '../../http/site.ts'
import type { Tx } from '../../store/database.ts'
import { findPasskey, usePasskey } from '../../store/second-factors.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { relyingParty } from './relying-party.ts'
import { checkAssertion, claimedPasskey } from './webauthn.ts'

export type PasskeyUse = {
  userId: number
  /** Records the use; throws if a concurrent use of the same passkey came first. */
  record: (tx: Tx) => Promise<void>
}

type PasskeyResponse = {
  response: unknown
  challenge: string
  site: Site
  /** The required owner; 0 accepts any passkey, whose owner the response must name. */
  userId: number
}

/** Verifies a passkey's answer to a challenge; throws `passkey_refused` otherwise. */
export async function verifyPasskey(
  deps: AdminDeps,
  { response, challenge, site, userId }: PasskeyResponse,
): Promise<PasskeyUse> {
  const rp = relyingParty(deps, site)
  const { id, userHandle } = claimedPasskey(response)
  const passkey = await findPasskey(deps.database.kysely, id)
  const isNamed = userHandle === undefined ? userId !== 0 : userHandle === passkey?.user_handle
  const isWanted = userId === 0 || userId === passkey?.user_id
  if (!passkey || !isNamed || !isWanted) throw new AppError('passkey_refused')
  const { log } = deps
  const counter = await checkAssertion({ response, challenge, rp, log, passkey })
  const use = { id: passkey.id, before: passkey.counter, counter, now: nowSeconds(deps) }
  return {
    userId: passkey.user_id,
    record: async (tx) => {
      if (!(await usePasskey(tx, use))) throw new AppError('passkey_refused')
    },
  }
}
