import { AppError, type InBoth } from '@tollgate/contract'
import { type Identity, noAccountError } from '../../integrations/identity.ts'
import { JsonClientError } from '../../integrations/json-client.ts'
import { storableText } from '../../store/storable-text.ts'
import type { AdminDeps } from '../deps.ts'

/** Throws `identity_server_failed` with the reason, which is also logged. */
export async function askIdentityServer<Result>(
  { log }: AdminDeps,
  { provider }: { provider: InBoth },
  ask: () => Promise<Result>,
): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof JsonClientError)) throw error
    const { reason } = error
    log.warn(
      { provider: provider.en, reason: reason.en },
      'an identity provider did not confirm a login',
    )
    throw new AppError('identity_server_failed', { provider, reason }, error)
  }
}

export const confirmIdentity = (
  deps: AdminDeps,
  way: { provider: InBoth },
  read: () => Promise<Identity>,
): Promise<Identity> =>
  askIdentityServer(deps, way, async () => {
    const identity = await read()
    const isStorable = storableText(identity.id, Infinity) === identity.id
    if (!isStorable) throw noAccountError()
    return identity
  })
