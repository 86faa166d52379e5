import { CHANNEL_STATUS, CHANNEL_TAG_MAX } from '@tollgate/contract'
import type { SourceChannel } from '../../other-gateways/source-channel.ts'
import { replaceAbilities } from '../../store/abilities.ts'
import { insertChannelWithId, updateChannel } from '../../store/channels.ts'
import { storableText } from '../../store/storable-text.ts'
import { joinKeys } from '../../upstream/channel-keys.ts'
import { type ImportContext, nowSeconds } from './context.ts'
import { chooseIds, continueIds, digestOf, KnownRows } from './known-rows.ts'
import type { Source } from './sources/source.ts'
import { writeInTurn } from './write-in-turn.ts'

const NAME_LENGTH_MAX = 100
const REASON_LENGTH_MAX = 500
/** Length of a group or a model. PostgreSQL cannot index texts of 2.7 kB and more. */
const NAMES_LENGTH_MAX = 200
const MODELS_MAX = 1000
const GROUPS_MAX = 50

export async function importChannels(context: ImportContext, source: Source): Promise<KnownRows> {
  const known = await KnownRows.read(context, 'channel')
  for await (const channels of source.channels()) {
    const fresh = channels.filter(({ id }) => known.get(id) === undefined)
    const ids = await chooseIds(
      context.database,
      'channels',
      fresh.map(({ id }) => id),
    )
    const idOf = new Map(fresh.map(({ id }, index) => [id, ids[index] ?? 0]))
    for (const channel of channels) {
      const id = known.idOf(channel.id) ?? idOf.get(channel.id) ?? 0
      await importChannel(context, { channel, id }, known)
    }
  }
  return known
}

async function importChannel(
  context: ImportContext,
  { channel, id }: { channel: SourceChannel; id: number },
  known: KnownRows,
) {
  const { database, report, isDryRun } = context
  const digest = digestOf(channel)
  const before = known.get(channel.id)
  if (before?.digest === digest) return report.count('channels', 'same')
  const where = `channel ${channel.id} (${channel.name})`
  const isStorable = (text: string) => text.length <= NAMES_LENGTH_MAX
  const served = {
    groups: channel.groups.filter(isStorable).slice(0, GROUPS_MAX),
    models: channel.models.filter(isStorable).slice(0, MODELS_MAX),
  }
  const problem =
    channel.keys.length === 0 ? 'no key' : served.models.length === 0 ? 'no model' : null
  if (problem !== null) {
    report.tell('Channels left out', `${where}: it has ${problem}`)
    return report.count('channels', 'left out')
  }
  report.count('channels', before === undefined ? 'new' : 'changed')
  const lost = channel.models.length - served.models.length
  if (lost > 0) {
    report.tell(
      'Models left out: their names are too long, or a channel has too many',
      `${where}: ${lost}`,
    )
  }
  tellOfGroups(context, where, served.groups)
  if (isDryRun) return
  const row = { new_id: id, digest, quota: 0, used: 0, requests: 0 }
  const rows = new Map([[channel.id, row]])
  await writeInTurn(context, 'change', async (tx) => {
    const columns = columnsOf(context, channel, served)
    if (before === undefined) {
      await insertChannelWithId(tx, { id, created_time: channel.createdTime, ...columns })
      await continueIds(tx, database.kind, 'channels')
    } else await updateChannel(tx, id, columns)
    await replaceAbilities(tx, id, served)
    await known.write(tx, database.kind, rows)
  })
  known.note(rows)
}

function tellOfGroups({ settings, report }: ImportContext, where: string, groups: string[]) {
  const { GroupRatio } = settings.current()
  for (const group of groups.filter((name) => !Object.hasOwn(GroupRatio, name))) {
    report.tell(
      'Groups without a ratio, which cost their users the plain price',
      `${where}: ${group}`,
    )
  }
}

type Served = { groups: string[]; models: string[] }

const objectText = (value: object) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value))

function columnsOf(context: ImportContext, channel: SourceChannel, { groups, models }: Served) {
  return {
    type: channel.type,
    name: storableText(channel.name, NAME_LENGTH_MAX),
    key_sealed: context.secrets.sealChannelKey(joinKeys(channel.keys)),
    status: statusOf(channel),
    status_reason: storableText(channel.disabledReason, REASON_LENGTH_MAX),
    status_time: nowSeconds(context),
    base_url: channel.baseUrl,
    other: channel.other,
    models: models.join(','),
    group: groups.join(','),
    tag: storableText(channel.tag, CHANNEL_TAG_MAX),
    model_mapping: objectText(channel.modelMapping),
    priority: channel.priority,
    weight: channel.weight,
    config: objectText(channel.config),
  }
}

/** A channel that the other gateway had disabled is tested and enabled by this one. */
function statusOf({ isEnabled, disabledReason, config }: SourceChannel): number {
  if (isEnabled) return CHANNEL_STATUS.enabled
  const isServed = config['imported_type'] === undefined
  return disabledReason !== '' && isServed ? CHANNEL_STATUS.autoDisabled : CHANNEL_STATUS.disabled
}
