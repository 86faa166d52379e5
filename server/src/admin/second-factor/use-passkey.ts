import { AppError } from '@tollgate/contract'
import type { Site } from '../../http/site.ts'
import type { Tx } from '../../store/database.ts'
import { findPasskey, usePasskey } from '../../store/second-factors.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { relyingParty } from './relying-party.ts'
import { checkAssertion, claimedPasskey } from './webauthn.ts'

export type PasskeyUse = {
  userId: number
  /** Notes the use; throws where another use of the passkey was quicker. */
  note: (tx: Tx) => Promise<void>
}

type Given = {
  response: unknown
  challenge: string
  site: Site
  /** Whose passkey it has to be; 0 for anybody's, who is named by the response then. */
  userId: number
}

/** Verifies that a passkey answered a challenge; throws `passkey_refused` where it did not. */
export async function verifyPasskey(
  deps: AdminDeps,
  { response, challenge, site, userId }: Given,
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
    note: async (tx) => {
      if (!(await usePasskey(tx, use))) throw new AppError('passkey_refused')
    },
  }
}
