import { secondFactorSignInEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { askForPasskey } from '../../ui/identity/passkey.ts'

/** Login with a passkey alone: the browser offers the passkeys saved for this site. */
export async function signInByPasskey() {
  const { data } = await call(secondFactorSignInEndpoints.beginPasskeySignIn, { body: {} })
  const body = await askForPasskey(data)
  return (await call(secondFactorSignInEndpoints.signInByPasskey, { body })).data
}
