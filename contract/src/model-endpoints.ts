import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const modelEndpoints = {
  /** Maps a channel type id to the model names its provider is known to offer. */
  listModels: endpoint('GET', '/api/models', 'user', {
    data: z.record(z.string(), z.array(z.string())),
  }),
  /** Maps a model to the first day on which its vendor no longer serves it, as `2026-10-23`. */
  listShutdowns: endpoint('GET', '/api/models/shutdowns', 'admin', {
    data: z.record(z.string(), z.string()),
  }),
  listGroups: endpoint('GET', '/api/group/', 'admin', { data: z.array(z.string()) }),
} as const
