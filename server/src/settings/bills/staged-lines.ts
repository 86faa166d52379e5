import { createHash } from 'node:crypto'
import { type BilledUse, SECONDS_PER_HOUR } from '../../domain/bills/bill.ts'
import type { StagedLine } from '../../store/bill-imports.ts'

/** Lines of one import. More would hold the database too long when they are published. */
export const LINES_MAX = 500_000

const TEXT_MAX = 200

export const stagedLine = (importId: number, row: number, use: BilledUse): StagedLine => {
  const hour = Math.floor(use.from / SECONDS_PER_HOUR)
  return {
    import_id: importId,
    row,
    line_id: identityOf(use),
    hour,
    hours: Math.max(1, Math.round((use.to - use.from) / SECONDS_PER_HOUR)),
    model: use.model.slice(0, TEXT_MAX),
    key: use.key.slice(0, TEXT_MAX),
    item: use.item.slice(0, TEXT_MAX),
    requests: use.requests,
    input: use.input,
    cached: use.cached,
    written: use.written,
    output: use.output,
    amount: use.amount,
  }
}

/**
 * Identifies a line across imports: by the provider's id, which is marked `i`, or by what the line
 * is about, which is marked `h`. Amounts and counts are left out, because providers restate them.
 */
function identityOf({ id, from, to, model, key, item }: BilledUse): string {
  const parts = id === '' ? ['h', from, to, model, key, item] : ['i', id, item]
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
  return `${parts[0]}${digest.slice(0, DIGEST_CHARACTERS)}`
}

/** 132 bits. */
const DIGEST_CHARACTERS = 22
