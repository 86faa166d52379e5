import { isOptionKey } from '@tollgate/contract'
import { isObject, parseObject, type Row, textIn } from '../../../other-gateways/row.ts'
import { quoted, type Sql } from './sql.ts'

/** Names of New API and one-hub for options of this product. */
const RENAMED: Readonly<Record<string, string>> = {
  CreateCacheRatio: 'CacheWriteRatio',
  'oidc.enabled': 'OidcEnabled',
  'oidc.client_id': 'OidcClientId',
  'oidc.client_secret': 'OidcClientSecret',
  'oidc.well_known': 'OidcWellKnown',
  'oidc.authorization_endpoint': 'OidcAuthorizationEndpoint',
  'oidc.token_endpoint': 'OidcTokenEndpoint',
  'oidc.user_info_endpoint': 'OidcUserinfoEndpoint',
}

/** What One API and one-hub charge for a model without a price. */
export const UNPRICED_RATIO = '30'

export type StoredOptions = {
  /** By the name that the option has here. */
  readonly known: Map<string, string>
  /** By the name that the option has there. */
  readonly others: Map<string, string>
}

export async function readOptions(sql: Sql): Promise<StoredOptions> {
  const known = new Map<string, string>()
  const others = new Map<string, string>()
  if (!sql.tables.has('options')) return { known, others }
  const [key, value] = [quoted(sql, 'key'), quoted(sql, 'value')]
  for (const row of await sql.query(`select ${key}, ${value} from options order by ${key}`)) {
    const name = RENAMED[textIn(row, 'key')] ?? textIn(row, 'key')
    const text = textIn(row, 'value')
    if (isOptionKey(name)) known.set(name, text)
    else others.set(name, text)
  }
  return { known, others }
}

/** A table of numbers by name. Numbers may be texts, such as `"1e-05"`. */
export function numbersIn(text: string | undefined): Map<string, number> {
  const entries = Object.entries(parseObject(text ?? '')).map(
    ([name, value]) => [name, Number(value)] as const,
  )
  return new Map(entries.filter(([name, value]) => name !== '' && isRatio(value)))
}

const RATIO_MAX = 1_000_000

const isRatio = (value: number) => Number.isFinite(value) && value >= 0 && value <= RATIO_MAX

export const tableText = (numbers: ReadonlyMap<string, number>) =>
  JSON.stringify(Object.fromEntries(numbers))

export const textsByName = (text: string | undefined): Map<string, string> =>
  new Map(
    Object.entries(parseObject(text ?? '')).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    ),
  )

export const nested = (row: Row, name: string): Row => {
  const value = row[name]
  return isObject(value) ? value : parseObject(textIn(row, name))
}
