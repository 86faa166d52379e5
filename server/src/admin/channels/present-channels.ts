import { AppError, type Channel, type Language } from '@tollgate/contract'
import { detailInBoth } from '@tollgate/relay'
import { shutModels } from '../../domain/shut-models.ts'
import type { ShownChannel } from '../../store/channels.ts'
import type { AdminDeps } from '../deps.ts'
import { withProviderDaysLeft } from '../forecasts.ts'
import { type JudgedChannel, withHealth } from './health.ts'
import { hidePasswords } from './hidden-passwords.ts'

type Reader = { readonly language: Language }

/** Channels as administrators see them. */
export const presentChannels = (
  deps: AdminDeps,
  rows: readonly JudgedChannel[],
  { language }: Reader,
): Promise<Channel[]> =>
  withProviderDaysLeft(
    deps,
    rows.map((row) => present(row, language, deps.now())),
  )

export async function presentChannel(
  deps: AdminDeps,
  row: ShownChannel,
  reader: Reader,
): Promise<Channel> {
  const [channel] = await presentChannels(deps, await withHealth(deps, [row]), reader)
  if (!channel) throw new AppError('channel_not_found')
  return channel
}

/** The forecast is added to it. */
type Shown = Omit<Channel, 'days_left'>

/** Never returns the key or passwords in addresses; forms display an empty key. */
const present = (row: JudgedChannel, language: Language, now: number): Shown => ({
  ...hidePasswords(row),
  key: '',
  health: { ...row.health, reason: row.health.reason[language] },
  test_error: detailInBoth(row.test_error)[language],
  shut_models: shutModels(row, new Date(now).toISOString().slice(0, 10)),
})
