import { isNull, objectIn, type Row, textIn } from '../../../other-gateways/row.ts'
import type { Tell } from '../../../other-gateways/source-channel.ts'
import { tableText } from './gateway-options.ts'
import { readChannels, readPrices } from './litellm-channels.ts'
import { type LitellmConfig, readConfig } from './litellm-config.ts'
import {
  ADMINISTRATOR,
  ownerOf,
  readLog,
  readTeam,
  readToken,
  readUser,
  teamId,
} from './litellm-rows.ts'
import { openSealed } from './litellm-secrets.ts'
import type { Source, SourceLog, SourceSettings } from './source.ts'
import type { Sql } from './sql.ts'

const PAGE_ROWS = 20_000
const BEGINNING = '1970-01-01 00:00:00.000'

const EMPTY: LitellmConfig = { models: [], settings: {} }

/** LiteLLM keeps models in its configuration, in its database, or in both. */
export async function openLitellm(
  { sql, config }: { sql: Sql | null; config: string | undefined },
  tell: Tell,
): Promise<Source> {
  const file = config === undefined ? EMPTY : readConfig(config)
  const stored = sql === null ? [] : await readStoredModels(sql, tell)
  const models = [...file.models, ...stored]
  const owners = new Map<string, string>()
  return {
    product: 'LiteLLM',
    settings: async () => settingsOf(models, file.settings),
    async *users() {
      if (sql === null) return
      const rows = await sql.query('select * from "LiteLLM_UserTable" order by user_id')
      const hasAdministrator = rows.some((row) => textIn(row, 'user_id') === ADMINISTRATOR)
      const all = hasAdministrator ? rows : [{ user_id: ADMINISTRATOR }, ...rows]
      yield all.map((row) => readUser(row, tell))
      yield (await teamsOf(sql)).map(readTeam)
    },
    async *tokens() {
      if (sql === null) return
      const rows = await sql.query(`select *, extract(epoch from expires)::bigint as expires,
          extract(epoch from created_at)::bigint as created_at
        from "LiteLLM_VerificationToken" order by token`)
      for (const row of rows) owners.set(textIn(row, 'token'), ownerOf(row))
      yield rows.map((row) => readToken(row, tell))
    },
    async *channels() {
      yield readChannels(models, tell)
    },
    async *codes() {},
    logs: (cursor) => (sql === null ? noLogs() : readLogs(sql, { cursor, owners })),
    close: async () => sql?.close(),
  }
}

const teamsOf = async (sql: Sql): Promise<Row[]> =>
  sql.tables.has('LiteLLM_TeamTable')
    ? sql.query('select * from "LiteLLM_TeamTable" order by team_id')
    : []

function settingsOf(models: readonly Row[], settings: Row): SourceSettings {
  const prices = Object.entries(readPrices(models)).filter(([, table]) => table.size > 0)
  const retries = textIn(settings, 'num_retries')
  return {
    options: new Map([
      ...prices.map(([name, table]) => [name, tableText(table)] as const),
      ...(retries === '' ? [] : [['RetryTimes', retries] as const]),
    ]),
    unknown: Object.keys(settings).filter((name) => name !== 'num_retries'),
    tiers: new Map(),
  }
}

/** Models that were added in LiteLLM's console. Their parameters are sealed one by one. */
async function readStoredModels(sql: Sql, tell: Tell): Promise<Row[]> {
  if (!sql.tables.has('LiteLLM_ProxyModelTable')) return []
  const rows = await sql.query('select * from "LiteLLM_ProxyModelTable" order by model_id')
  return rows.flatMap((row) => {
    const params = Object.entries(objectIn(row, 'litellm_params')).map(
      ([name, value]) => [name, typeof value === 'string' ? openSealed(value) : value] as const,
    )
    const isReadable = params.every(([, value]) => value !== null)
    if (!isReadable) {
      const hint = 'set LITELLM_SALT_KEY, or name them in the configuration'
      tell('Models whose parameters cannot be opened', `${textIn(row, 'model_name')}: ${hint}`)
      return []
    }
    return [{ ...row, litellm_params: Object.fromEntries(params) }]
  })
}

async function* noLogs(): AsyncGenerator<{ rows: SourceLog[]; cursor: string }> {}

type Begin = { cursor: string; owners: ReadonlyMap<string, string> }

/** The cursor is the time and the id of a row. */
async function* readLogs(sql: Sql, { cursor, owners }: Begin) {
  if (!sql.tables.has('LiteLLM_SpendLogs')) return
  const separator = cursor.indexOf('|')
  let time = separator === -1 ? BEGINNING : cursor.slice(0, separator)
  let id = separator === -1 ? '' : cursor.slice(separator + 1)
  for (;;) {
    const rows = await sql.query(
      `select request_id, api_key, spend, prompt_tokens, completion_tokens, model, model_group,
        "user" as user_id, team_id, "startTime"::text as time,
        extract(epoch from "startTime")::float8 as started,
        extract(epoch from "endTime")::float8 as ended,
        extract(epoch from "completionStartTime")::float8 as first
      from "LiteLLM_SpendLogs" where ("startTime", request_id) > (?::timestamp, ?)
      order by "startTime", request_id limit ${PAGE_ROWS}`,
      [time, id],
    )
    const last = rows.at(-1)
    if (last === undefined) return
    time = textIn(last, 'time')
    id = textIn(last, 'request_id')
    yield {
      rows: rows.map((row) => readLog(row, owners.get(textIn(row, 'api_key')) ?? payerOf(row))),
      cursor: `${time}|${id}`,
    }
  }
}

/** Requests of keys that are gone belong to their team, else to their user. */
function payerOf(row: Row): string {
  const team = textIn(row, 'team_id')
  return !isNull(row, 'team_id') && team !== '' ? teamId(team) : textIn(row, 'user_id')
}
