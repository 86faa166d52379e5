import type { modelEndpoints } from '@tollgate/contract'
import { shutdowns } from '@tollgate/contract/prices'
import { catalogue } from '@tollgate/relay/catalogue'
import type { Handlers } from '../../http/mount.ts'
import type { AdminDeps } from '../deps.ts'
import { knownGroups } from '../known-groups.ts'

export function modelHandlers({ settings }: AdminDeps): Handlers<typeof modelEndpoints> {
  const models = Object.fromEntries(catalogue.map(({ type, models: names }) => [type, [...names]]))
  return {
    listModels: async () => ({ data: models }),
    listShutdowns: async () => ({ data: Object.fromEntries(shutdowns) }),
    listGroups: async () => ({ data: knownGroups(settings) }),
  }
}
