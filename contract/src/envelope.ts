import { z } from 'zod'

/** The shape of every answer under /api; business errors are HTTP 200 with `success: false`. */
export const envelope = <Data extends z.ZodType>(data: Data) =>
  z.discriminatedUnion('success', [
    z.object({ success: z.literal(true), message: z.string(), data }),
    z.object({ success: z.literal(false), message: z.string() }),
  ])

export type Failure = { success: false; message: string }
