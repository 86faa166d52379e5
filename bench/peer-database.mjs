// Creates the database of another gateway with its own schema, for `import.mjs`.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createTable, NEW_API, ONE_API } from '../server/testing/import/peer-tables.ts'
import { findPostgres } from './databases.mjs'

const PASSWORD = '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'
const KEY_LENGTH = 48
const MODELS = 20
const CODES = 10_000
const DAYS = 90
const SECONDS_PER_DAY = 86_400
const BEGAN = 1_764_547_200
const CHUNK_ROWS = 2000

const TABLES = { 'One API': ONE_API, 'New API': NEW_API }

/** The key of a user's token, without `sk-`. */
export const keyOf = (number) =>
  createHash('sha256').update(`key ${number}`).digest('hex').slice(0, KEY_LENGTH)

/** A tenth of the users make nine tenths of the requests. */
const ownerOf = (row, users) =>
  row % 10 === 0 ? (((row / 10) * 7919) % users) + 1 : ((row * 7919) % (users / 10)) + 1

/** The balance of a user. */
export const balanceOf = (number) => (number * 7919) % 1_000_000

/** Keys without a limit of their own. */
export const isUnlimited = (number) => number % 2 === 1

const quotaOf = (row) => ((row * 7919) % 5000) + 1

/** Fills an SQLite file, or a PostgreSQL database if the address is one. */
export async function createPeer(address, { product, users, logs }) {
  const tables = TABLES[product]
  const isPostgres = address.startsWith('postgres://')
  const target = isPostgres ? openPostgres(address) : openSqlite(address)
  for (const [name, columns] of Object.entries(tables)) {
    await target.run(createTable(isPostgres ? 'postgres' : 'sqlite', name, columns))
  }
  for (const [table, rows] of Object.entries(rowsOf({ product, users, logs }))) {
    await target.insert(table, rows)
  }
  target.close()
}

function rowsOf({ product, users, logs }) {
  const used = new Float64Array(users + 1)
  const requests = new Uint32Array(users + 1)
  for (let row = 1; row <= logs; row += 1) {
    used[ownerOf(row, users)] += quotaOf(row)
    requests[ownerOf(row, users)] += 1
  }
  const each = (count, make) => ({
    *[Symbol.iterator]() {
      for (let number = 1; number <= count; number += 1) yield make(number)
    },
  })
  return {
    users: each(users, (number) =>
      userRow(number, { used: used[number], requests: requests[number] }),
    ),
    tokens: each(users, (number) => tokenRow(number, used[number])),
    channels: each(MODELS, channelRow),
    redemptions: each(CODES, codeRow),
    options: [{ key: 'GroupRatio', value: '{"default":1,"vip":0.8}' }],
    logs: each(logs, (row) => ({
      ...logRow(row, { owner: ownerOf(row, users), logs }),
      ...(product === 'New API' && {
        token_id: ownerOf(row, users),
        use_time: row % 20,
        group: 'default',
        other: `{"cache_tokens":${row % 500},"frt":${row % 900},"model_ratio":1.25}`,
      }),
    })),
  }
}

/** A part of the use precedes the log. */
const userRow = (number, { used, requests }) => ({
  id: number + 1,
  username: `user${number}`,
  password: PASSWORD,
  display_name: `User ${number}`,
  role: 1,
  status: 1,
  email: `user${number}@example.com`,
  github_id: number % 5 === 0 ? `github${number}` : '',
  wechat_id: '',
  access_token: '',
  quota: balanceOf(number),
  used_quota: used + (number % 3) * 1000,
  request_count: requests + (number % 3),
  group: number % 10 === 0 ? 'vip' : 'default',
  aff_code: number.toString(36).padStart(4, '0'),
  inviter_id: number % 100 === 0 ? 2 : 0,
})

const tokenRow = (number, used) => ({
  id: number,
  user_id: number + 1,
  key: keyOf(number),
  status: 1,
  name: `key${number}`,
  created_time: BEGAN,
  accessed_time: BEGAN,
  expired_time: -1,
  remain_quota: ((number * 31) % 90_000) + 1,
  unlimited_quota: isUnlimited(number) ? 1 : 0,
  used_quota: used,
})

const channelRow = (number) => ({
  id: number,
  type: 1,
  key: `sk-upstream-${number}`,
  status: 1,
  name: `channel ${number}`,
  weight: 0,
  created_time: BEGAN,
  base_url: '',
  other: '',
  models: `model-${number}`,
  group: 'default,vip',
  model_mapping: '',
  priority: 0,
})

const codeRow = (number) => ({
  id: number,
  user_id: 1,
  key: String(number).padStart(32, '0'),
  status: 1,
  name: 'shop',
  quota: 500_000,
  created_time: BEGAN,
  redeemed_time: 0,
})

function logRow(row, { owner, logs }) {
  const model = (row % MODELS) + 1
  return {
    id: row,
    user_id: owner + 1,
    created_at: BEGAN + Math.floor((row * DAYS * SECONDS_PER_DAY) / logs),
    type: 2,
    content: '模型倍率 1.25,分组倍率 1.00,补全倍率 4.00',
    username: `user${owner}`,
    token_name: `key${owner}`,
    model_name: `model-${model}`,
    quota: quotaOf(row),
    prompt_tokens: (row * 31) % 3000,
    completion_tokens: (row * 17) % 900,
    channel_id: model,
    is_stream: row % 2,
  }
}

const quoted = (names) => names.map((name) => `"${name}"`).join(', ')

function openSqlite(file) {
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = off; pragma synchronous = off')
  const insert = (table, rows) => {
    let statement = null
    database.exec('begin')
    for (const row of rows) {
      const names = Object.keys(row)
      const marks = names.map(() => '?').join(', ')
      statement ??= database.prepare(`insert into "${table}" (${quoted(names)}) values (${marks})`)
      statement.run(...Object.values(row))
    }
    database.exec('commit')
  }
  return { run: (text) => database.exec(text), insert, close: () => database.close() }
}

/** Copies by `psql`, since the product's driver cannot. */
function openPostgres(address) {
  const psql = async (text, lines = []) => {
    const child = spawn(
      join(findPostgres(), 'psql'),
      ['-qX', '-v', 'ON_ERROR_STOP=1', address, '-c', text],
      {
        stdio: ['pipe', 'ignore', 'inherit'],
      },
    )
    const done = once(child, 'exit')
    for (const line of lines) if (!child.stdin.write(line)) await once(child.stdin, 'drain')
    child.stdin.end()
    const [code] = await done
    if (code !== 0) throw new Error(`psql failed: ${text}`)
  }
  const insert = (table, rows) => {
    const [first] = rows
    const names = quoted(Object.keys(first))
    return psql(`copy "${table}" (${names}) from stdin`, chunks(rows))
  }
  return { run: psql, insert, close: () => {} }
}

function* chunks(rows) {
  let lines = []
  for (const row of rows) {
    lines.push(`${Object.values(row).join('\t')}\n`)
    if (lines.length < CHUNK_ROWS) continue
    yield lines.join('')
    lines = []
  }
  yield lines.join('')
}
