import {
  type BillImport,
  type BillSource,
  IMPORT_STATES,
  type Language,
  type LineProblem,
} from '@tollgate/contract'
import { readMapping, readSource } from '../../settings/bills/bill-deps.ts'
import type { StoredImport } from '../../store/bill-imports.ts'
import type { StoredSource } from '../../store/bill-sources.ts'

export function presentSource(
  stored: StoredSource,
  imports: readonly StoredImport[],
  language: Language,
): BillSource {
  const { key_sealed, mapping, ...source } = readSource(stored)
  return {
    ...source,
    channels: [...source.channels],
    key_set: key_sealed !== '',
    mapping: readMapping(mapping),
    imports: imports.map((row) => presentImport(row, language)),
  }
}

export function presentImport(stored: StoredImport, language: Language): BillImport {
  const { state, problems, error, error_zh, ...row } = stored
  return {
    ...row,
    state: IMPORT_STATES.find((known) => known === state) ?? 'failed',
    error: language === 'zh' ? error_zh : error,
    problems: JSON.parse(problems) as LineProblem[], // safe because the import wrote it
  }
}
