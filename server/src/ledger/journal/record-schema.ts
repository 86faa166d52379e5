import { z } from 'zod'
import { attemptRecordSchema, BUDGET_PERIODS, chargeBasisSchema, quota } from '@tollgate/contract'
import type { JournalRecord } from '../record.ts'

const context = z.object({
  requestId: z.string(),
  userId: z.int(),
  username: z.string(),
  tokenId: z.int(),
  tokenName: z.string(),
  model: z.string(),
  isStream: z.boolean(),
  endpoint: z.string().exactOptional(),
  openedAt: z.number(),
  tokenLimited: z.boolean(),
  budget: z.enum(BUDGET_PERIODS).nullable(),
  timeZone: z.string().exactOptional(),
})

const account = z.object({
  kind: z.enum(['user', 'token', 'budget']),
  ownerId: z.int(),
  period: z.number(),
})

const open = z.object({ kind: z.literal('open'), context, at: z.number() })

const end = z.object({
  kind: z.literal('end'),
  context,
  at: z.number(),
  outcome: z.enum(['settled', 'void']),
  cost: quota,
  basis: chargeBasisSchema.nullable(),
  held: quota,
  parts: z.array(z.object({ account, amount: quota })),
  content: z.string(),
  upstreamModel: z.string(),
  channel: z.int(),
  elapsedMs: z.number(),
  firstTokenMs: z.number(),
  endReason: z.string(),
  disconnectPolicy: z.enum(['drain', 'abort']).exactOptional(),
  attempts: z.array(attemptRecordSchema),
})

const moved = z.object({ kind: z.literal('moved'), requestId: z.string(), run: z.string() })

/** Validates the lines of a journal, which another version of Tollgate may have written. */
export const journalRecordSchema: z.ZodType<JournalRecord> = z.discriminatedUnion('kind', [
  open,
  end,
  moved,
])
