import {
  AppError,
  type channelKeyEndpoints,
  type ChannelKey,
  type Language,
} from '@tollgate/contract'
import { detailInBoth } from '@tollgate/relay'
import type { Handlers } from '../../http/mount.ts'
import { requireUnlockedChannels } from '../../settings/require-unmanaged.ts'
import { listFaults } from '../../store/channel-traffic.ts'
import { lockChannel, listVersions, updateChannel } from '../../store/channels.ts'
import { listKeyTests } from '../../store/key-tests.ts'
import { countByKey } from '../../store/key-traffic.ts'
import {
  keyFingerprint,
  maskKey,
  readKeys,
  type StoredKey,
  writeKeys,
} from '../../upstream/channel-keys.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { parseKeys } from './parse-keys.ts'
import { UNTESTED } from './update-channel.ts'

const SECONDS_PER_HOUR = 3600
const HOURS_PER_DAY = 24
/** The gateway leaves a refused key alone for as long. */
const REFUSED_SECONDS = 600
const KEYS_MAX = 500

const REFUSALS: ReadonlySet<string> = new Set(['auth', 'quota', 'permission'])

type Change = (keys: readonly StoredKey[], type: number) => readonly StoredKey[]

export function channelKeyHandlers(deps: AdminDeps): Handlers<typeof channelKeyEndpoints> {
  const answer = async (context: CallerContext & { language: Language }, id: number) => ({
    data: await listKeys(deps, id, context.language),
  })
  return {
    listChannelKeys: async (context, { params }) => answer(context, params.id),
    addChannelKeys: async (context, { body: { id, key } }) => {
      await changeKeys(deps, context, id, (keys, type) => {
        const known = new Set(keys.map((stored) => stored.key))
        const added = parseKeys(key, type).filter((line) => !known.has(line))
        const all = [...keys, ...added.map((line) => ({ key: line, isEnabled: true }))]
        if (all.length > KEYS_MAX) {
          throw new AppError('too_many_items', { field: 'key', limit: KEYS_MAX })
        }
        return all
      })
      return answer(context, id)
    },
    changeChannelKey: async (context, { body: { id, key_id, action } }) => {
      await changeKeys(deps, context, id, (keys) => {
        requireKey(keys, key_id)
        const isMeant = ({ key }: StoredKey) => keyFingerprint(key) === key_id
        if (action === 'remove') return keys.filter((stored) => !isMeant(stored))
        const isEnabled = action === 'enable'
        return keys.map((stored) => (isMeant(stored) ? { ...stored, isEnabled } : stored))
      })
      return answer(context, id)
    },
  }
}

function requireKey(keys: readonly StoredKey[], id: string) {
  if (!keys.some(({ key }) => keyFingerprint(key) === id)) throw new AppError('key_not_found')
}

async function changeKeys(
  deps: AdminDeps,
  context: CallerContext,
  id: number,
  change: Change,
): Promise<void> {
  const { database, secrets } = deps
  await database.change(async (tx) => {
    const channel = await lockChannel(tx, database.kind, id)
    await reauthorize(tx, deps, context)
    const [stored] = await listVersions(tx, [id])
    if (!channel || !stored) throw new AppError('channel_not_found')
    await requireUnlockedChannels(tx, [id])
    const keys = change(readKeys(secrets.openChannelKey(stored.key_sealed)), channel.type)
    if (!keys.some(({ isEnabled }) => isEnabled)) throw new AppError('last_key')
    // The test result belongs to the previous keys.
    const key_sealed = secrets.sealChannelKey(writeKeys(keys))
    await updateChannel(tx, id, { key_sealed, ...UNTESTED })
  })
}

async function listKeys(deps: AdminDeps, id: number, language: Language): Promise<ChannelKey[]> {
  const { database, secrets } = deps
  const now = nowSeconds(deps)
  const [stored] = await listVersions(database.kysely, [id])
  if (!stored) throw new AppError('channel_not_found')
  const firstHour = Math.floor(now / SECONDS_PER_HOUR) - HOURS_PER_DAY + 1
  const faults = await listFaults(database.kysely, { firstHour, ids: [id] })
  const answers = await countByKey(database.kysely, { firstHour, id })
  const tests = await listKeyTests(database.kysely, id)
  return readKeys(secrets.openChannelKey(stored.key_sealed)).map(({ key, isEnabled }) => {
    const keyId = keyFingerprint(key)
    const own = faults.filter((fault) => fault.key === keyId)
    const last = own.at(-1)
    const test = tests.get(keyId)
    const isRefused =
      last !== undefined && REFUSALS.has(last.kind) && last.last_at > now - REFUSED_SECONDS
    return {
      id: keyId,
      masked: maskKey(key),
      state: !isEnabled ? 'disabled' : isRefused ? 'refused' : 'enabled',
      answers: answers.get(keyId) ?? 0,
      faults: own.reduce((sum, fault) => sum + fault.faults, 0),
      last_error: last === undefined ? '' : detailInBoth(last.reason || last.kind)[language],
      last_error_time: last?.last_at ?? 0,
      test_time: test?.tested_at ?? 0,
      response_time: test?.milliseconds ?? 0,
      test_error: test === undefined ? '' : detailInBoth(test.error)[language],
    }
  })
}
