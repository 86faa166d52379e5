import { CHANNEL_FILE_FORMAT, type FileChannel } from '@tollgate/contract'
import { listChannelsWithKeys } from '../../store/channels.ts'
import { readKeys } from '../../upstream/channel-keys.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { hidePasswords } from './hidden-passwords.ts'

/** Secrets are keys, passwords in addresses, and the values of headers. */
export async function exportChannels(deps: AdminDeps, { withSecrets }: { withSecrets: boolean }) {
  const rows = await listChannelsWithKeys(deps.database.kysely)
  const channels = rows.map(({ key_sealed, ...row }): FileChannel => {
    if (!withSecrets) return hidePasswords(row)
    const stored = readKeys(deps.secrets.openChannelKey(key_sealed))
    return { ...row, keys: stored.map(({ key, isEnabled }) => ({ key, enabled: isEnabled })) }
  })
  return {
    format: CHANNEL_FILE_FORMAT,
    version: 1 as const,
    exported_time: nowSeconds(deps),
    channels,
  } as const
}
