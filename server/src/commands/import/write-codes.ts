import { QUOTA_MAX, REDEMPTION_STATUS } from '@tollgate/contract'
import { bulkInsert } from '../../store/bulk.ts'
import { executeAll } from '../../store/execute-all.ts'
import { updateRedemption } from '../../store/redemptions.ts'
import { storableText } from '../../store/storable-text.ts'
import { type ImportContext, nowSeconds } from './context.ts'
import type { Source, SourceCode } from './sources/source.ts'
import { writeInTurn } from './write-in-turn.ts'

const NAME_LENGTH_MAX = 20
const KEY_LENGTH_MAX = 200

const insertCodes = bulkInsert('redemptions', {
  user_id: 'bigint',
  key: 'text',
  status: 'bigint',
  name: 'text',
  quota: 'bigint',
  created_time: 'bigint',
})

/**
 * Codes that can still be redeemed. A used code is part of its user's balance. A code that the
 * other gateway has accepted since the last import is disabled here.
 */
export async function importCodes(context: ImportContext, source: Source) {
  const { database, report, isDryRun } = context
  const rows = await database.kysely
    .selectFrom('redemptions')
    .select(['id', 'key', 'status'])
    .execute()
  const here = new Map(rows.map((row) => [row.key, row]))
  const seen = new Set<string>()
  for await (const codes of source.codes()) {
    const added = codes.filter((code) => !here.has(code.key) && isUsable(context, code, seen))
    const spent = codes.flatMap((code) => {
      const row = here.get(code.key)
      if (row === undefined) return []
      const isSpent = code.status !== REDEMPTION_STATUS.enabled
      const isChanged = isSpent && row.status === REDEMPTION_STATUS.enabled
      report.count('codes', isChanged ? 'changed' : 'same')
      return isChanged ? [row.id] : []
    })
    if (!isDryRun) await writePage(context, { added, spent })
  }
}

async function writePage(
  context: ImportContext,
  { added, spent }: { added: readonly SourceCode[]; spent: readonly number[] },
) {
  if (added.length + spent.length === 0) return
  const { database } = context
  const rows = added.map((code) => newRow(context, code))
  await writeInTurn(context, 'transaction', async (tx) => {
    await executeAll(tx, insertCodes(database.kind, rows))
    const { disabled } = REDEMPTION_STATUS
    for (const id of spent) await updateRedemption(tx, id, { status: disabled })
  })
}

function isUsable(context: ImportContext, code: SourceCode, seen: Set<string>): boolean {
  const { report } = context
  const reason = seen.has(code.key) ? 'another row has the same' : reasonToSkip(context, code)
  if (reason === null) seen.add(code.key)
  const where = `code ${code.id} (${code.name})`
  report.count('codes', reason === null ? 'new' : 'left out')
  if (reason !== null && reason !== USED) report.tell(`Codes left out: ${reason}`, where)
  if (reason === null && code.expiredTime > 0) {
    report.tell('Codes that would expire, and are valid without end here', where)
  }
  return reason === null
}

const USED = 'they are used'

function reasonToSkip(context: ImportContext, code: SourceCode): string | null {
  if (code.status === REDEMPTION_STATUS.used) return USED
  if (code.key === '') return 'they are empty'
  if (code.key.length > KEY_LENGTH_MAX) return 'they are too long'
  if (code.quota < 1 || code.quota > QUOTA_MAX) return 'they are worth nothing'
  const isExpired = code.expiredTime > 0 && code.expiredTime < nowSeconds(context)
  return isExpired ? 'they have expired' : null
}

const newRow = ({ root }: ImportContext, code: SourceCode) => ({
  user_id: root.actor.id,
  key: code.key,
  status:
    code.status === REDEMPTION_STATUS.enabled
      ? REDEMPTION_STATUS.enabled
      : REDEMPTION_STATUS.disabled,
  name: storableText(code.name, NAME_LENGTH_MAX),
  quota: code.quota,
  created_time: code.createdTime,
})
