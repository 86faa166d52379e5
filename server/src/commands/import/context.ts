import type { Secrets } from '../../secrets.ts'
import type { Editor } from '../../settings/editor.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Database } from '../../store/database.ts'
import type { Report } from './report.ts'

/** What all steps of an import share. */
export type ImportContext = {
  readonly database: Database
  readonly secrets: Secrets
  readonly settings: Settings
  /** Names the source; a later import of the same source has the same name. */
  readonly name: string
  /** Reads and compares everything, and writes nothing. */
  readonly isDryRun: boolean
  /** The super administrator of this installation. */
  readonly root: Editor
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly report: Report
  /** `last` is the number of the last transaction of this import: see `writeInTurn`. */
  readonly turn: { last: number }
  /** Rows of the log in a transaction. More rows write each account less often. */
  readonly logBatchRows: number
}

export const nowSeconds = ({ now }: Pick<ImportContext, 'now'>) => Math.floor(now() / 1000)
