import type { Availability, availabilityEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { createTtlMemo } from '../../store/ttl-memo.ts'
import type { AdminDeps } from '../deps.ts'
import { createAvailability } from './read-availability.ts'

/** The figures are the same for all visitors, so they are read for all at once. */
export function availabilityHandlers(deps: AdminDeps): Handlers<typeof availabilityEndpoints> {
  const read = createAvailability(deps)
  const recent = createTtlMemo<Readonly<Availability>>()
  return {
    getAvailability: async () => {
      if (!deps.settings.current().PublicStatusEnabled) return { data: null }
      return { data: await recent('', async () => Object.freeze(await read())) }
    },
  }
}
