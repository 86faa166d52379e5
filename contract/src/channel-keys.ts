import { z } from 'zod'
import { endpoint, idParams } from './endpoint.ts'
import { rule } from './problem.ts'
import { id, milliseconds, seconds } from './units.ts'

/** `refused`: the provider has recently refused the key. */
export const KEY_STATES = ['enabled', 'refused', 'disabled'] as const

export const channelKeySchema = z.object({
  /** A fingerprint, as log rows have it. */
  id: z.string(),
  /** The first and last characters; never the key. */
  masked: z.string(),
  state: z.enum(KEY_STATES),
  /** Answered attempts with tokens or a cost, of the last 24 hours. */
  answers: z.int(),
  /** Failed attempts of the last 24 hours. */
  faults: z.int(),
  last_error: z.string(),
  /** 0 without an error. */
  last_error_time: seconds,
  /** When the key was last tested alone; 0 if never. */
  test_time: seconds,
  /** How long a passed test took. */
  response_time: milliseconds,
  /** Why the test failed; empty if it passed. */
  test_error: z.string(),
})

export type ChannelKey = z.output<typeof channelKeySchema>

const keys = z.array(channelKeySchema)

/** Every call answers the keys of the channel as they are afterwards. */
export const channelKeyEndpoints = {
  listChannelKeys: endpoint('GET', '/api/channel/keys/:id', 'admin', {
    params: idParams,
    data: keys,
  }),
  /** One key per line. Keys that the channel has already stay as they are. */
  addChannelKeys: endpoint('POST', '/api/channel/keys', 'admin', {
    body: z.object({
      id,
      key: z
        .string()
        .max(100_000)
        .refine((text) => text.trim() !== '', rule('must not be empty', '不能为空')),
    }),
    data: keys,
  }),
  /** The last enabled key cannot be disabled or removed. */
  changeChannelKey: endpoint('PUT', '/api/channel/keys', 'admin', {
    body: z.object({
      id,
      /** The id of the key. */
      key_id: z.string().max(100),
      action: z.enum(['enable', 'disable', 'remove']),
    }),
    data: keys,
  }),
} as const
