/** Columns as GORM declares them; `char(48)` pads in PostgreSQL. */
type ColumnType = 'id' | 'int' | 'text' | 'bool' | 'real' | 'time' | 'json' | `char(${number})`

type Table = Readonly<Record<string, ColumnType>>

export type Dialect = 'sqlite' | 'mysql' | 'postgres'

const TYPES: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  sqlite: {
    id: 'integer primary key autoincrement',
    int: 'bigint',
    text: 'text',
    bool: 'numeric',
    real: 'real',
    time: 'datetime',
    json: 'text',
  },
  mysql: {
    id: 'bigint auto_increment primary key',
    int: 'bigint',
    text: 'longtext',
    bool: 'tinyint(1)',
    real: 'double',
    time: 'datetime(3) null',
    json: 'json',
  },
  postgres: {
    id: 'bigserial primary key',
    int: 'bigint',
    text: 'text',
    bool: 'boolean',
    real: 'numeric',
    time: 'timestamptz',
    json: 'json',
  },
}

export const quote = (dialect: Dialect, name: string) =>
  dialect === 'mysql' ? `\`${name}\`` : `"${name}"`

export function createTable(dialect: Dialect, name: string, columns: Table): string {
  const list = Object.entries(columns).map(
    ([column, type]) => `${quote(dialect, column)} ${TYPES[dialect][type] ?? type}`,
  )
  return `create table ${quote(dialect, name)} (${list.join(', ')})`
}

const USERS = {
  id: 'id',
  username: 'text',
  password: 'text',
  display_name: 'text',
  role: 'int',
  status: 'int',
  email: 'text',
  github_id: 'text',
  wechat_id: 'text',
  access_token: 'char(32)',
  quota: 'int',
  used_quota: 'int',
  request_count: 'int',
  group: 'text',
  aff_code: 'text',
  inviter_id: 'int',
} as const satisfies Table

const TOKENS = {
  id: 'id',
  user_id: 'int',
  key: 'char(48)',
  status: 'int',
  name: 'text',
  created_time: 'int',
  accessed_time: 'int',
  expired_time: 'int',
  remain_quota: 'int',
  unlimited_quota: 'bool',
  used_quota: 'int',
} as const satisfies Table

const CHANNELS = {
  id: 'id',
  type: 'int',
  key: 'text',
  status: 'int',
  name: 'text',
  weight: 'int',
  created_time: 'int',
  test_time: 'int',
  response_time: 'int',
  base_url: 'text',
  other: 'text',
  balance: 'real',
  balance_updated_time: 'int',
  models: 'text',
  group: 'text',
  used_quota: 'int',
  model_mapping: 'text',
  priority: 'int',
} as const satisfies Table

const REDEMPTIONS = {
  id: 'id',
  user_id: 'int',
  key: 'char(32)',
  status: 'int',
  name: 'text',
  quota: 'int',
  created_time: 'int',
  redeemed_time: 'int',
} as const satisfies Table

const LOGS = {
  id: 'id',
  user_id: 'int',
  created_at: 'int',
  type: 'int',
  content: 'text',
  username: 'text',
  token_name: 'text',
  model_name: 'text',
  quota: 'int',
  prompt_tokens: 'int',
  completion_tokens: 'int',
  channel_id: 'int',
} as const satisfies Table

const OPTIONS = { key: 'char(191)', value: 'text' } as const satisfies Table

/** songquanpeng/one-api v0.6.11. */
export const ONE_API = {
  users: { ...USERS, lark_id: 'text', oidc_id: 'text' },
  tokens: { ...TOKENS, models: 'text', subnet: 'text' },
  channels: { ...CHANNELS, config: 'text', system_prompt: 'text' },
  abilities: { group: 'text', model: 'text', channel_id: 'int', enabled: 'bool', priority: 'int' },
  redemptions: REDEMPTIONS,
  options: OPTIONS,
  logs: { ...LOGS, request_id: 'text', elapsed_time: 'int', is_stream: 'bool' },
} as const satisfies Record<string, Table>

/** QuantumNous/new-api of 2026. */
export const NEW_API = {
  users: {
    ...USERS,
    lark_id: 'text',
    oidc_id: 'text',
    aff_quota: 'int',
    deleted_at: 'time',
    setting: 'text',
  },
  tokens: {
    ...TOKENS,
    key: 'char(128)',
    model_limits_enabled: 'bool',
    model_limits: 'text',
    allow_ips: 'text',
    group: 'text',
    deleted_at: 'time',
  },
  channels: {
    ...CHANNELS,
    setting: 'text',
    param_override: 'text',
    header_override: 'text',
    other_info: 'text',
    tag: 'text',
    channel_info: 'json',
  },
  redemptions: { ...REDEMPTIONS, expired_time: 'int', deleted_at: 'time' },
  options: OPTIONS,
  setups: { id: 'id', version: 'text' },
  logs: {
    ...LOGS,
    token_id: 'int',
    use_time: 'int',
    is_stream: 'bool',
    group: 'text',
    other: 'text',
  },
} as const satisfies Record<string, Table>

/** MartialBE/one-hub v0.14. */
export const ONE_HUB = {
  users: { ...USERS, created_time: 'int', deleted_at: 'time' },
  tokens: { ...TOKENS, key: 'char(59)', setting: 'json', group: 'text', deleted_at: 'time' },
  channels: { ...CHANNELS, proxy: 'text', model_headers: 'json', deleted_at: 'time' },
  redemptions: REDEMPTIONS,
  options: OPTIONS,
  user_groups: { id: 'id', symbol: 'text', name: 'text', ratio: 'real', api_rate: 'int' },
  prices: {
    model: 'text',
    type: 'text',
    channel_type: 'int',
    input: 'real',
    output: 'real',
    extra_ratios: 'json',
    long_context: 'json',
  },
  logs: { ...LOGS, request_time: 'int', is_stream: 'bool', metadata: 'json' },
} as const satisfies Record<string, Table>

export type Tables = Readonly<Record<string, Table>>
