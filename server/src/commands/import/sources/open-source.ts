import type { Tell } from '../../../other-gateways/source-channel.ts'
import { ConfigurationError } from '../../../process/env.ts'
import { gatewaySource } from './gateway.ts'
import { newApi } from './new-api.ts'
import { oneApi } from './one-api.ts'
import { oneHub } from './one-hub.ts'
import { openSql } from './open-sql.ts'
import type { Source } from './source.ts'
import type { Sql } from './sql.ts'

/** Tollgate's other tables have the names of One API's. */
const OWN_TABLE = 'ledger_nodes'

type Addresses = {
  readonly from: readonly string[]
  /** The database that holds the log, if it is another one. */
  readonly logs: string | undefined
}

/** Opens what `--from` names. Tables tell the product, since none stores its version. */
export async function openSource({ from, logs }: Addresses, tell: Tell): Promise<Source> {
  const isConfig = (name: string) => /\.ya?ml$/.test(name)
  const [config, ...moreConfigs] = from.filter(isConfig)
  const [address, ...moreAddresses] = from.filter((name) => !isConfig(name))
  if (moreConfigs.length + moreAddresses.length > 0) {
    throw new ConfigurationError('--from must name one database, one configuration file, or both.')
  }
  const sql = address === undefined ? null : await openSql('--from', address)
  if (config !== undefined || sql?.tables.has('LiteLLM_VerificationToken') === true) {
    const { openLitellm } = await import('./litellm.ts')
    return openLitellm({ sql, config }, tell)
  }
  if (sql === null) throw new ConfigurationError('--from is missing: name a database or a file.')
  if (sql.tables.has(OWN_TABLE)) {
    await sql.close()
    throw new ConfigurationError('--from is a database of Tollgate: move it by backup and restore.')
  }
  const gateway = gatewayOf(sql)
  if (gateway === null) {
    await sql.close()
    throw new ConfigurationError(
      '--from has no tables of One API, New API, one-hub, done-hub or LiteLLM.',
    )
  }
  return gatewaySource(gateway, {
    sql,
    logs: logs === undefined ? sql : await openSql('--logs', logs),
    tell,
  })
}

function gatewayOf({ tables }: Sql) {
  const has = (table: string, column?: string) =>
    column === undefined ? tables.has(table) : tables.get(table)?.has(column) === true
  if (!has('users') || !has('tokens') || !has('channels')) return null
  if (has('user_groups') && has('prices')) {
    const isDone = has('invite_codes') || has('users', 'linuxdo_id')
    return oneHub(isDone ? 'done-hub' : 'one-hub')
  }
  const isNew =
    has('setups') ||
    has('tokens', 'model_limits') ||
    has('abilities', 'weight') ||
    has('channels', 'tag')
  return isNew ? newApi : oneApi
}
