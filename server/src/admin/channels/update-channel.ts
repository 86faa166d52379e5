import type { z } from 'zod'
import { AppError, CHANNEL_STATUS, type channelEdit } from '@tollgate/contract'
import { requireUnlockedChannels } from '../../settings/require-unmanaged.ts'
import { replaceAbilities } from '../../store/abilities.ts'
import {
  type ChannelChange,
  findChannel,
  lockChannel,
  type ShownChannel,
  updateChannel as saveChannel,
} from '../../store/channels.ts'
import type { Tx } from '../../store/database.ts'
import { deleteKeyTests } from '../../store/key-tests.ts'
import { type StoredKey, writeKeys } from '../../upstream/channel-keys.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { abilitiesOf } from './abilities-of.ts'
import type { ChannelDeps } from './create-channels.ts'
import { hidePasswords, restorePasswords } from './hidden-passwords.ts'
import { parseKeys } from './parse-keys.ts'
import {
  isSameAddress,
  requireSameAddress,
  requireSameAddressForHeaders,
} from './require-same-address.ts'
import { requireServedType } from './require-served-type.ts'
import { requireUsableAddresses } from './require-usable-addresses.ts'
import { requireUsableSettings } from './require-usable-settings.ts'

type Edit = z.output<typeof channelEdit>

export const UNTESTED = {
  test_outcome: '',
  test_error: '',
  test_model: '',
  test_endpoint: '',
} as const

/** Changes only the fields given; an empty key keeps the stored one. */
export async function updateChannel(
  deps: AdminDeps,
  context: CallerContext,
  edit: Edit,
): Promise<ShownChannel> {
  const check = async (tx: Tx) => {
    await reauthorize(tx, deps, context)
  }
  return deps.database.change((tx) => editChannel(tx, deps, edit, { check }))
}

/** For the configuration file, which may change what it manages, without `isFile` for a person. */
type EditBy = {
  readonly isFile?: true
  readonly check?: (tx: Tx) => Promise<void>
  /** Instead of those in the edit, which are all enabled. */
  readonly keys?: readonly StoredKey[] | undefined
}

/** Every check precedes the first write, so a caller may continue after an `AppError`. */
export async function editChannel(
  tx: Tx,
  deps: ChannelDeps,
  edit: Edit,
  { isFile, check, keys: given }: EditBy,
): Promise<ShownChannel> {
  const old = await lockChannel(tx, deps.database.kind, edit.id)
  await check?.(tx)
  if (!old) throw new AppError('channel_not_found')
  const type = edit.type ?? old.type
  const keys = keyChange(deps, given ?? enabledKeys(edit, type))
  // An omitted field counts as displayed, so a new proxy is checked against a masked address.
  const shown = hidePasswords({ base_url: old.base_url, config: old.config })
  const { base_url = shown.base_url, config = shown.config } = edit
  const addresses = restorePasswords({ base_url, config }, old)
  const place = { type, ...addresses }
  requireSameAddressForHeaders(config, old, place)
  if (edit.type !== undefined || edit.config !== undefined) requireUsableSettings(place)
  if (edit.type !== undefined || edit.base_url !== undefined) requireServedType(place)
  // Edits without an address, such as a status change, work even if the address is now forbidden.
  const namesAddress = [edit.type, edit.base_url, edit.config].some((part) => part !== undefined)
  if (namesAddress) requireUsableAddresses(deps.upstream.outgoing, place)
  if (keys.key_sealed === undefined) requireSameAddress(old, place)
  const change = {
    ...changedColumns(edit),
    ...addresses,
    ...keys,
    ...statusChange(deps, edit, old),
  }
  // The test result belongs to the previous configuration.
  if (keys.key_sealed !== undefined || !isSameAddress(old, place)) Object.assign(change, UNTESTED)
  if (!isSameAddress(old, place)) await deleteKeyTests(tx, [old.id])
  // An administrator has seen the channel, so the next implausible usage report is notified
  // again.
  change.misreported = 0
  const served =
    edit.models === undefined && edit.group === undefined
      ? null
      : abilitiesOf({ models: edit.models ?? old.models, group: edit.group ?? old.group })
  if (served !== null) {
    change.models = served.models.join(',')
    change.group = served.groups.join(',')
  }
  if (isFile !== true && isMoreThanStatus(change, old)) await requireUnlockedChannels(tx, [old.id])
  if (served !== null) await replaceAbilities(tx, old.id, served)
  await saveChannel(tx, old.id, change)
  const channel = await findChannel(tx, old.id)
  if (!channel) throw new Error('an edited channel is not there')
  return channel
}

/** Operators may take a channel out of service whoever manages it. */
const isMoreThanStatus = (change: ChannelChange, old: Partial<ChannelChange>) =>
  change.key_sealed !== undefined ||
  MANAGED.some((column) => change[column] !== undefined && change[column] !== old[column])

const MANAGED = [
  'type',
  'name',
  'base_url',
  'other',
  'models',
  'group',
  'tag',
  'model_mapping',
  'priority',
  'weight',
  'config',
] as const

function changedColumns({ id: _id, key: _key, status: _status, ...columns }: Edit) {
  const entries = Object.entries(columns).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as ChannelChange // safe because these are columns of the edit
}

const enabledKeys = ({ key = '' }: Edit, type: number): StoredKey[] =>
  parseKeys(key, type).map((line) => ({ key: line, isEnabled: true }))

function keyChange({ secrets }: ChannelDeps, keys: readonly StoredKey[]): ChannelChange {
  return keys.length === 0 ? {} : { key_sealed: secrets.sealChannelKey(writeKeys(keys)) }
}

function statusChange(deps: ChannelDeps, { status }: Edit, old: { status: number }): ChannelChange {
  if (status === undefined || status === CHANNEL_STATUS.autoDisabled) return {}
  const since = status === old.status ? {} : { status_time: nowSeconds(deps) }
  return { status, ...since, ...(status === CHANNEL_STATUS.enabled && { status_reason: '' }) }
}
