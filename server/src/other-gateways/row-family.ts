import type { TypeFamily } from './channel-types.ts'
import type { Row } from './row.ts'

/** Columns that only one family has. */
const ONE_HUB = ['model_headers', 'custom_parameter', 'only_chat', 'pre_cost']
const NEW_API = ['channel_info', 'param_override', 'header_override', 'auto_ban', 'setting']

/** The family of the gateway that the rows of a table, or of an answer, come from. */
export function familyOf(rows: readonly Row[]): TypeFamily {
  const has = (columns: readonly string[]) =>
    rows.some((row) => columns.some((column) => Object.hasOwn(row, column)))
  if (has(ONE_HUB)) return 'oneHub'
  return has(NEW_API) ? 'newApi' : 'oneApi'
}
