import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { BUDGET_PERIODS, type BudgetPeriod } from '@tollgate/contract'
import type { Secrets } from '../secrets.ts'
import type { Database } from '../store/database.ts'
import { protocolsOf, searchOf } from './paths.ts'
import { databaseAway, invalidKey } from './refusal.ts'

/** The token a request came with and the user it belongs to, as they were when last read. */
export type Caller = {
  readonly keyHash: string
  /** What the key named behind its own end, as `sk-…-7`: the channel its owner wants; null when nothing. */
  readonly pinned: string | null
  readonly token: {
    readonly id: number
    readonly name: string
    readonly status: number
    readonly expired_time: number
    readonly unlimited_quota: number
    readonly remain_quota: number
    readonly budget: BudgetPeriod | null
    readonly subnet: string
    /** Empty allows all. */
    readonly models: ReadonlySet<string>
  }
  readonly user: {
    readonly id: number
    readonly username: string
    readonly role: number
    readonly status: number
    readonly quota: number
    /** In the order in which they are asked for a live channel. */
    readonly groups: readonly string[]
  }
}

export type Authenticate = {
  /** Throws a refusal when there is no such token. */
  caller: (request: IncomingMessage) => Promise<Caller>
  /** What is known of a token has changed without a change of the database being announced. */
  forget: (keyHash: string) => void
}

const CALLERS_MAX = 20_000
const KNOWN_MS = 60_000
/** Apart from the others, so that guesses cannot push them out. */
const UNKNOWN_MAX = 5000
const UNKNOWN_MS = 5000
const KEY_LENGTH_MAX = 256

/** Promises are kept, so that a crowd with one key reads the database once. */
export function createAuthenticate(database: Database, secrets: Secrets): Authenticate {
  const callers = new LRUCache<string, Promise<Caller | null>>({ max: CALLERS_MAX, ttl: KNOWN_MS })
  const unknown = new LRUCache<string, true>({ max: UNKNOWN_MAX, ttl: UNKNOWN_MS })
  // A keyed hash costs more than the rest of this; of keys that are known it is remembered.
  const hashes = new LRUCache<string, string>({ max: CALLERS_MAX, ttl: KNOWN_MS })
  const hashOf = (key: string): string => {
    const known = hashes.get(key)
    if (known !== undefined) return known
    const hash = secrets.hashRelayKey(key)
    if (callers.has(hash)) hashes.set(key, hash)
    return hash
  }
  database.onChange(() => {
    callers.clear()
    unknown.clear()
  })

  const read = (keyHash: string): Promise<Caller | null> => {
    if (unknown.has(keyHash)) return Promise.resolve(null)
    const known = callers.get(keyHash)
    if (known) return known
    const reading = readCaller(database, keyHash)
    callers.set(keyHash, reading)
    /** What a change has cleared in the meantime is not put back. */
    const takeOut = () => callers.peek(keyHash) === reading && callers.delete(keyHash)
    reading.then(
      (caller) => {
        if (caller === null && takeOut()) unknown.set(keyHash, true)
      },
      () => takeOut(),
    )
    return reading
  }

  return {
    caller: async (request) => {
      const key = readKey(request)
      const find = (part: string) =>
        read(hashOf(part)).catch((error: unknown) => {
          throw databaseAway(error)
        })
      const caller = await find(key)
      if (caller !== null) return caller
      const [own = '', pinned] = key.split('-')
      const owner = pinned === undefined || own === '' ? null : await find(own)
      if (owner === null) throw invalidKey('The API key is not valid.')
      return { ...owner, pinned: pinned ?? null }
    },
    forget: (keyHash) => callers.delete(keyHash),
  }
}

/** Headers that clients put their key into, in the order in which they count. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'] as const

/** Where clients put their key, Google's into the URL too; both `Bearer ` and `sk-` may be left out. */
function readKey(request: IncomingMessage): string {
  const header = KEY_HEADERS.find((name) => request.headers[name] !== undefined)
  const given = header === undefined ? keyInAddress(request) : (request.headers[header] ?? '')
  const key = String(given)
    .trim()
    .replace(/^Bearer(?:\s+|$)/i, '')
    .replace(/^sk-/, '')
  if (key === '') {
    throw invalidKey('No API key was given. Send it as "Authorization: Bearer sk-…".')
  }
  if (key.length > KEY_LENGTH_MAX) throw invalidKey('The API key is not valid.')
  return key
}

const KEY_PROTOCOL = 'openai-insecure-api-key.'

/** Of clients that can set no header: Google's, and browsers that ask for a WebSocket. */
function keyInAddress(request: IncomingMessage): string {
  const parameters = new URLSearchParams(searchOf(request))
  const protocol = protocolsOf(request).find((name) => name.startsWith(KEY_PROTOCOL))
  const inProtocol = protocol?.slice(KEY_PROTOCOL.length)
  return inProtocol ?? parameters.get('key') ?? parameters.get('api-key') ?? ''
}

async function readCaller(database: Database, keyHash: string): Promise<Caller | null> {
  const row = await database.kysely
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select([
      'tokens.id as token_id',
      'tokens.name',
      'tokens.status as token_status',
      'tokens.expired_time',
      'tokens.unlimited_quota',
      'tokens.remain_quota',
      'tokens.budget_period',
      'tokens.subnet',
      'tokens.models',
      'users.id as user_id',
      'users.username',
      'users.role',
      'users.status as user_status',
      'users.quota',
      'users.group',
    ])
    .where('tokens.key_hash', '=', keyHash)
    .executeTakeFirst()
  if (row === undefined) return null
  const { name, expired_time, unlimited_quota, remain_quota, subnet, username, role, quota } = row
  return {
    keyHash,
    pinned: null,
    token: {
      id: row.token_id,
      name,
      status: row.token_status,
      expired_time,
      unlimited_quota,
      remain_quota,
      budget: BUDGET_PERIODS.find((period) => period === row.budget_period) ?? null,
      subnet,
      models: new Set(listed(row.models)),
    },
    user: {
      id: row.user_id,
      username,
      role,
      status: row.user_status,
      quota,
      groups: [...new Set(listed(row.group))],
    },
  }
}

const listed = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
