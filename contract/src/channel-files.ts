import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { id, seconds } from './units.ts'

export const CHANNEL_FILE_FORMAT = 'tollgate-channels'

const fileKey = z.object({ key: z.string(), enabled: z.boolean() })

/** A channel in a file. Without `keys`, an existing channel keeps its keys. */
export const fileChannelSchema = z.object({
  id,
  type: z.int(),
  name: z.string(),
  status: z.int(),
  models: z.string(),
  group: z.string(),
  tag: z.string(),
  base_url: z.string(),
  other: z.string(),
  model_mapping: z.string(),
  priority: z.int(),
  weight: z.int(),
  config: z.string(),
  keys: z.array(fileKey).optional(),
})

export type FileChannel = z.output<typeof fileChannelSchema>

const channelFileSchema = z.object({
  format: z.literal(CHANNEL_FILE_FORMAT),
  version: z.literal(1),
  exported_time: seconds,
  channels: z.array(fileChannelSchema),
})

/** The products that can have written a file. */
export const CHANNEL_FILE_SOURCES = ['tollgate', 'newApi', 'oneApi', 'oneHub'] as const

export const CHANNEL_IMPORT_STATES = ['new', 'changed', 'unchanged', 'wrong'] as const

export const importedChannelSchema = z.object({
  /** Position in the file, from 1. */
  line: z.int(),
  /** 0 unless the channel exists. */
  id: z.int(),
  name: z.string(),
  state: z.enum(CHANNEL_IMPORT_STATES),
  /** Why the channel is left out; empty unless it is wrong. */
  reason: z.string(),
  /** Keys and secrets are masked. */
  changes: z.array(z.object({ field: z.string(), before: z.string(), after: z.string() })),
  /** Fields of the file that have no counterpart. */
  left_out: z.array(z.string()),
})

export type ImportedChannel = z.output<typeof importedChannelSchema>

const importSchema = z.object({
  source: z.enum(CHANNEL_FILE_SOURCES),
  channels: z.array(importedChannelSchema),
  /** Identifies what the import would change. */
  digest: z.string(),
})

export type ChannelImport = z.output<typeof importSchema>

const FILE_MAX = 900_000

const EXAMPLE = {
  name: 'main',
  type: 1,
  models: 'gpt-4o',
  keys: [{ key: 'sk-example', enabled: true }],
}

/** JSON. Channels are checked one by one, so that an invalid channel does not hide the others. */
const file = z
  .string()
  .min(1)
  .max(FILE_MAX)
  .meta({
    en: 'the text of a JSON file: an export, or channels of New API, One API or one-hub',
    zh: 'JSON 文件的文本：本产品的导出文件，或 New API、One API、one-hub 的渠道列表',
    examples: [JSON.stringify({ format: CHANNEL_FILE_FORMAT, channels: [EXAMPLE] })],
  })

export const channelFileEndpoints = {
  /** Without keys; passwords in addresses and header values are masked. */
  exportChannels: endpoint('GET', '/api/channel/export', 'admin', { data: channelFileSchema }),
  /** With keys, passwords and header values. */
  exportChannelKeys: endpoint('POST', '/api/channel/export', 'root', {
    data: channelFileSchema,
    confirmed: true,
  }),
  /** Changes nothing. */
  previewChannelImport: endpoint('POST', '/api/channel/import/preview', 'admin', {
    body: z.object({ file }),
    data: importSchema,
  }),
  /**
   * Adds and changes channels in one transaction, without those that are wrong. Refused if the
   * changes are no longer those of `digest`, which the preview has returned.
   */
  importChannels: endpoint('POST', '/api/channel/import', 'admin', {
    body: z.object({ file, digest: z.string().max(100) }),
    data: importSchema,
  }),
} as const
