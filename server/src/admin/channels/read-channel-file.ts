import { AppError, CHANNEL_STATUS, type CHANNEL_FILE_SOURCES } from '@tollgate/contract'
import { isRecord, type JsonRecord, parseJson } from '@tollgate/relay'
import { mapChannelType } from '../../other-gateways/channel-types.ts'
import { readChannel } from '../../other-gateways/gateway-channel.ts'
import { familyOf } from '../../other-gateways/row-family.ts'

const CHANNELS_MAX = 1000

/** A channel of a file, whose fields are not checked yet. */
export type FileEntry = {
  fields: JsonRecord
  leftOut: string[]
  /** The type in the other gateway, if none here serves it. */
  unservedType: number | null
}

type ReadFile = { source: (typeof CHANNEL_FILE_SOURCES)[number]; entries: FileEntry[] }

/** Throws `import_not_understood` or `too_many_items`. */
export function readChannelFile(text: string): ReadFile {
  const file = parseJson(text)
  const rows = listIn(file)
  if (rows === null || rows.length === 0 || !rows.every(isRecord)) {
    throw new AppError('import_not_understood')
  }
  if (rows.length > CHANNELS_MAX) {
    throw new AppError('too_many_items', { field: 'file', limit: CHANNELS_MAX })
  }
  if (isRecord(file) && 'format' in file) {
    const entries = rows.map((fields) => ({ fields, leftOut: [], unservedType: null }))
    return { source: 'tollgate', entries }
  }
  const source = familyOf(rows)
  return { source, entries: rows.map((row) => readRow(row, source)) }
}

/** A list, or the list in a file of ours or in an answer of another gateway. */
function listIn(file: unknown): readonly unknown[] | null {
  // Safe because any list is a list of unknown values.
  if (Array.isArray(file)) return file as unknown[]
  if (!isRecord(file)) return null
  const { channels, data, items } = file
  return listIn(channels ?? data ?? items ?? null)
}

function readRow(row: JsonRecord, source: ReturnType<typeof familyOf>): FileEntry {
  const leftOut: string[] = []
  const channel = readChannel(row, source, (_topic, detail) => {
    const name = /: (?:parts of )?(\w+)(?:,|$)/.exec(detail)?.[1]
    if (name !== undefined) leftOut.push(name)
  })
  const type = Number(row['type'])
  const { imported_type, ...config } = channel.config
  const isUnserved = imported_type !== undefined && 'reason' in mapChannelType(source, type)
  const status = channel.isEnabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled
  return {
    leftOut,
    unservedType: isUnserved ? type : null,
    fields: {
      type: channel.type,
      name: channel.name,
      status: channel.disabledReason === '' ? status : CHANNEL_STATUS.autoDisabled,
      models: channel.models.join(','),
      group: channel.groups.join(','),
      tag: channel.tag,
      base_url: channel.baseUrl,
      other: channel.other,
      model_mapping: textOf(channel.modelMapping),
      priority: channel.priority,
      weight: channel.weight,
      config: textOf(config),
      ...(channel.keys.length > 0 && {
        keys: channel.keys.map((key) => ({ key, enabled: true })),
      }),
    },
  }
}

const textOf = (value: object) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value))
