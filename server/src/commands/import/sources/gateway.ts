import type { TypeFamily } from '../../../other-gateways/channel-types.ts'
import { CHANNEL_COLUMNS, readChannel } from '../../../other-gateways/gateway-channel.ts'
import { integerIn, type Row, textIn } from '../../../other-gateways/row.ts'
import type { Tell } from '../../../other-gateways/source-channel.ts'
import {
  CODE_COLUMNS,
  isDeleted,
  isDeletedUser,
  LOG_COLUMNS,
  type LogDetails,
  readCode,
  readLog,
  readToken,
  readUser,
  TOKEN_COLUMNS,
  type TokenLimits,
  USER_COLUMNS,
} from './gateway-rows.ts'
import type { Source, SourceLog, SourceSettings } from './source.ts'
import { readTable, type Sql } from './sql.ts'

/** What tells the forks of One API apart. */
export type Gateway = {
  readonly product: string
  readonly types: TypeFamily
  readonly tokenLimits: (row: Row) => TokenLimits
  readonly logDetails: (row: Row) => LogDetails
  readonly settings: (sql: Sql, tell: Tell) => Promise<SourceSettings>
}

const LOG_PAGE_ROWS = 50_000

/** One API and its forks, whose tables have the same core. `logs` may be another database. */
export function gatewaySource(
  gateway: Gateway,
  { sql, logs, tell }: { sql: Sql; logs: Sql; tell: Tell },
): Source {
  async function* pages<Item>(
    table: string,
    columns: readonly string[],
    read: (row: Row) => Item | null,
  ) {
    for await (const rows of readTable(sql, { table, columns })) {
      yield rows.map(read).filter((item) => item !== null)
    }
  }
  return {
    product: gateway.product,
    settings: () => gateway.settings(sql, tell),
    users: () =>
      pages('users', USER_COLUMNS, (row) => {
        if (isDeletedUser(row)) return skip(tell, 'Deleted users left out', row)
        const earned = integerIn(row, 'aff_quota')
        if (earned > 0) {
          tell(
            'Earnings of inviters that are not in a balance',
            `user ${textIn(row, 'id')} (${textIn(row, 'username')}): ${earned}`,
          )
        }
        return readUser(row)
      }),
    tokens: () =>
      pages('tokens', TOKEN_COLUMNS, (row) => {
        if (isDeleted(row)) return skip(tell, 'Deleted keys left out', row)
        const group = textIn(row, 'group')
        if (group !== '') {
          tell('Groups of keys, which follow their user here', `key ${textIn(row, 'id')}: ${group}`)
        }
        return readToken(row, gateway.tokenLimits(row))
      }),
    channels: () =>
      pages('channels', [...CHANNEL_COLUMNS, 'deleted_at'], (row) =>
        isDeleted(row)
          ? skip(tell, 'Deleted channels left out', row)
          : readChannel(row, gateway.types, tell),
      ),
    codes: () =>
      pages('redemptions', CODE_COLUMNS, (row) => (isDeleted(row) ? null : readCode(row))),
    async *logs(cursor) {
      const table = { table: 'logs', columns: LOG_COLUMNS, pageRows: LOG_PAGE_ROWS }
      for await (const rows of readTable(logs, { ...table, after: cursor || '0' })) {
        const found = rows.map((row) => readLog(row, gateway.logDetails))
        const kept: SourceLog[] = found.filter((row) => row !== null)
        if (kept.length < rows.length) {
          tell('Log rows that are no charges or notes', `${rows.length - kept.length} rows`)
        }
        yield { rows: kept, cursor: textIn(rows.at(-1) ?? {}, 'id') }
      }
    },
    close: async () => {
      await sql.close()
      if (logs !== sql) await logs.close()
    },
  }
}

function skip(tell: Tell, topic: string, row: Row): null {
  tell(topic, `${textIn(row, 'id')} (${textIn(row, 'username') || textIn(row, 'name')})`)
  return null
}
