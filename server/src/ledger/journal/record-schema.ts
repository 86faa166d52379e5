import { z } from 'zod'
import {
  attemptRecordSchema,
  BUDGET_PERIODS,
  chargeBasisSchema,
  PROVIDER_COST_MAX,
  quota,
} from '@tollgate/contract'
import type { Account, AccountAmount } from '../account.ts'
import type { LedgerRequest } from '../ledger.ts'
import type { EndRecord, JournalRecord, MovedRecord, OpenRecord } from '../record.ts'

/** A schema drops members that it does not name, so it must name the optional ones as well. */
type Members<Of> = Record<keyof Of, z.ZodType>

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
} satisfies Members<LedgerRequest>)

const account = z.object({
  kind: z.enum(['user', 'token', 'budget']),
  ownerId: z.int(),
  period: z.number(),
} satisfies Members<Account>)

const part = z.object({ account, amount: quota } satisfies Members<AccountAmount>)

const open = z.object({
  kind: z.literal('open'),
  context,
  at: z.number(),
} satisfies Members<OpenRecord>)

const end = z.object({
  kind: z.literal('end'),
  context,
  at: z.number(),
  outcome: z.enum(['settled', 'void']),
  cost: quota,
  basis: chargeBasisSchema.nullable(),
  held: quota,
  parts: z.array(part),
  content: z.string(),
  upstreamModel: z.string(),
  channel: z.int(),
  elapsedMs: z.number(),
  firstTokenMs: z.number(),
  endReason: z.string(),
  disconnectPolicy: z.enum(['drain', 'abort']).exactOptional(),
  attempts: z.array(attemptRecordSchema),
  providerCost: z.int().min(0).max(PROVIDER_COST_MAX).nullable().exactOptional(),
  group: z.string().exactOptional(),
} satisfies Members<EndRecord>)

const moved = z.object({
  kind: z.literal('moved'),
  requestId: z.string(),
  run: z.string(),
} satisfies Members<MovedRecord>)

/** Validates the lines of a journal, which another version of Tollgate may have written. */
export const journalRecordSchema: z.ZodType<JournalRecord> = z.discriminatedUnion('kind', [
  open,
  end,
  moved,
])
