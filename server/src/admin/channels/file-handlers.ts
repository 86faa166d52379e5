import type { channelFileEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import type { AdminDeps } from '../deps.ts'
import { reauthorizeNow } from '../reauthorize.ts'
import { exportChannels } from './export-channels.ts'
import { importChannels, previewImport } from './import-channels.ts'

export function channelFileHandlers(deps: AdminDeps): Handlers<typeof channelFileEndpoints> {
  return {
    exportChannels: async () => ({ data: await exportChannels(deps, { withSecrets: false }) }),
    exportChannelKeys: async (context) => {
      await reauthorizeNow(deps, context)
      return { data: await exportChannels(deps, { withSecrets: true }) }
    },
    previewChannelImport: async (context, { body }) => ({
      data: await previewImport(deps, context, body.file),
    }),
    importChannels: async (context, { body }) => ({
      data: await importChannels(deps, context, body),
    }),
  }
}
