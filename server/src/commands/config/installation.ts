import type { OptionValues } from '@tollgate/contract'
import type { Secrets } from '../../secrets.ts'
import type { Settings } from '../../settings/settings.ts'
import { type ConfiguredChannel, listConfiguredChannels } from '../../store/channels.ts'
import type { Tx } from '../../store/database.ts'
import { type ManagedFile, readManaged } from '../../store/managed-objects.ts'
import { listPlannedPrices } from '../../store/planned-prices.ts'
import { readKeys } from '../../upstream/channel-keys.ts'

export type StoredChannel = ConfiguredChannel & {
  /** All keys, the disabled ones included. */
  readonly keys: readonly string[]
}

/** What a file is compared with. */
export type Installation = {
  /** Secrets included. */
  readonly values: OptionValues
  readonly channels: readonly StoredChannel[]
  readonly managed: ManagedFile
  /** By model: days on which prices of their own begin. */
  readonly planned: ReadonlyMap<string, readonly string[]>
}

export async function readInstallation(
  tx: Tx,
  { settings, secrets }: { settings: Settings; secrets: Secrets },
): Promise<Installation> {
  const planned = Map.groupBy(await listPlannedPrices(tx), ({ model }) => model)
  return {
    values: await settings.within(tx).read(),
    channels: (await listConfiguredChannels(tx)).map((row) => ({
      ...row,
      keys: readKeys(secrets.openChannelKey(row.key_sealed)).map(({ key }) => key),
    })),
    managed: await readManaged(tx),
    planned: new Map(
      [...planned].map(([model, rows]) => [model, rows.map(({ from_day }) => from_day)]),
    ),
  }
}
