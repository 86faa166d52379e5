import type { optionEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import type { AdminDeps } from '../deps.ts'
import { updateOption } from './update-option.ts'

export function optionHandlers(deps: AdminDeps): Handlers<typeof optionEndpoints> {
  return {
    listOptions: async () => ({ data: deps.settings.list() }),
    updateOption: async ({ caller: actor, language }, { body }) => {
      await updateOption(deps, { actor, language }, body)
      return {}
    },
  }
}
