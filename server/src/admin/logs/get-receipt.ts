import { z } from 'zod'
import {
  AppError,
  type AttemptRecord,
  attemptRecordSchema,
  type ChargeBasis,
  chargeBasisSchema,
  DISCONNECT_POLICIES,
  isAdmin,
  type Language,
  type Receipt,
} from '@tollgate/contract'
import type { Caller } from '../../http/session.ts'
import { findChannelNames } from '../../store/channels.ts'
import { findReceipt, type StoredReceipt } from '../../store/logs.ts'
import type { AdminDeps } from '../deps.ts'
import { readJson, presentLog, presentOwnLog } from './present-log.ts'

const attemptsSchema = z.array(attemptRecordSchema).catch([])
const basisSchema = chargeBasisSchema.nullable().catch(null)

/** Rows the caller may not see give the same error as missing rows. */
export async function getReceipt(
  { database: { kysely } }: Pick<AdminDeps, 'database'>,
  { caller, language }: { caller: Caller; language: Language },
  id: number,
): Promise<Receipt> {
  if (!isAdmin(caller.role)) {
    const row = await findReceipt(kysely, { id, userId: caller.id })
    if (!row) throw new AppError('log_not_found')
    return ownReceipt(row, language)
  }
  const row = await findReceipt(kysely, { id })
  if (!row) throw new AppError('log_not_found')
  const attempts = attemptsOf(row)
  const channelNames = await findChannelNames(kysely, [
    row.channel,
    ...attempts.map(({ channel }) => channel),
  ])
  return {
    ...presentLog(row, { language, channelNames }),
    ...chargeOf(row, attempts),
    attempts: attempts.map((attempt) => ({
      ...attempt,
      channel_name: channelNames.get(attempt.channel) ?? '',
    })),
  }
}

function ownReceipt(row: StoredReceipt, language: Language): Receipt {
  const charge = chargeOf(row, attemptsOf(row))
  const log = presentOwnLog(row, language)
  return {
    ...log,
    ...charge,
    attempts: [],
    basis: charge.basis && ownBasis(charge.basis, log.model_name),
  }
}

/**
 * The price may be listed under the upstream model's name, and the name of a feed may name the
 * provider. Users must see neither.
 */
function ownBasis(basis: ChargeBasis, price_model: string): ChargeBasis {
  const { rescued } = basis
  const shown = <Part extends { price_version: string }>(part: Part) => ({
    ...part,
    price_model,
    price_version: part.price_version.replace(/^feed:.* /, 'feed '),
  })
  return { ...shown(basis), ...(rescued && { rescued: rescued.map(shown) }) }
}

const attemptsOf = (row: StoredReceipt) => attemptsSchema.parse(readJson(row.attempts))

function chargeOf(row: StoredReceipt, attempts: readonly AttemptRecord[]) {
  const basis = row.basis === '' ? null : basisSchema.parse(readJson(row.basis))
  const lost = attempts.filter(({ reason }) => reason !== '')
  return {
    attempt_count: attempts.length,
    lost: lost.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
    // Rows of earlier versions store the hold only in the basis.
    held: row.held || (basis?.held ?? 0),
    basis,
    disconnect_policy: policyOf(row),
  }
}

/** Versions without the option always drained. */
function policyOf({
  outcome,
  disconnect_policy: stored,
}: StoredReceipt): (typeof DISCONNECT_POLICIES)[number] {
  const policy = DISCONNECT_POLICIES.find((known) => known === stored) ?? ''
  return policy === '' && outcome !== '' ? 'drain' : policy
}
