import { BUDGET_PERIODS, type BudgetPeriod } from '@tollgate/contract'
import type { Clock } from '../../clock.ts'
import { createLru } from '../../lru.ts'
import type { Secrets } from '../../secrets.ts'
import type { Database } from '../../store/database.ts'
import { adoptKey, importedKeyHash } from '../../store/imported-keys.ts'
import { databaseUnavailable, invalidKey } from '../errors.ts'
import type { ClientRequestHead } from '../http-types.ts'
import { protocolsOf, searchOf } from './paths.ts'

/** A token and its user as last read from the database. */
export type Caller = {
  readonly keyHash: string
  /** Channel suffix of the key, as in `sk-…-7`; null without a suffix. */
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
    /** An empty set allows all models. */
    readonly models: ReadonlySet<string>
  }
  readonly user: {
    readonly id: number
    readonly username: string
    readonly role: number
    readonly status: number
    readonly quota: number
    /** In the order in which routing looks for a live channel. */
    readonly groups: readonly string[]
  }
}

export type Authenticate = {
  /**
   * Synchronous for known callers. Throws or rejects with a refusal if the token does not exist.
   */
  caller: (request: ClientRequestHead) => Caller | Promise<Caller>
  /** Reads a caller again with a query that starts after this call. Rejects like `caller`. */
  reread: (known: Caller) => Promise<Caller>
  /** Drops a token that changed without a database change notice. */
  forget: (keyHash: string) => void
}

const CALLERS_MAX = 20_000
const CALLER_TTL_MS = 60_000
/**
 * From this age a caller is refreshed in the background while requests keep using the cached value.
 */
const REFRESH_AFTER_MS = 30_000
/** A separate cache, so that guessed keys cannot evict known callers. */
const UNKNOWN_MAX = 5000
const UNKNOWN_MS = 5000
const KEY_LENGTH_MAX = 256

export function createAuthenticate(
  database: Database,
  secrets: Secrets,
  { monotonic: now }: Pick<Clock, 'monotonic'>,
): Authenticate {
  const callers = createCallers((keyHash) => readCaller(database, keyHash), now)
  database.onChange(callers.clear)
  // The keyed hash is the most expensive step here, so hashes of known keys are cached.
  const hashes = createLru<string, string>(CALLERS_MAX, { ttl: CALLER_TTL_MS, clock: { now } })
  const hashOf = (key: string): string => {
    const known = hashes.get(key)
    if (known !== undefined) return known
    const hash = secrets.hashRelayKey(key)
    if (callers.has(hash)) hashes.set(key, hash)
    return hash
  }
  const find = (part: string) => callers.find(hashOf(part))
  const resolveCaller = async (key: string, lookup: ReturnType<typeof find>): Promise<Caller> => {
    const caller = await orUnavailable(lookup)
    if (caller !== null) return caller
    const [own = '', pinned] = key.split('-')
    const owner = pinned === undefined || own === '' ? null : await orUnavailable(find(own))
    if (owner !== null) return { ...owner, pinned: pinned ?? null }
    const imported = await orUnavailable(adoptImported(key))
    if (imported === null) throw invalidKey('The API key is not valid.')
    return imported
  }
  /** An imported token whose key was not known gets the key that it is first used with. */
  const adoptImported = async (key: string): Promise<Caller | null> => {
    const known = await callers.find(importedKeyHash(key))
    if (known === null) return null
    await adoptKey(database, known, {
      key_hash: secrets.hashRelayKey(key),
      key_sealed: secrets.sealRelayKey(key),
    })
    callers.forget(known.keyHash)
    return callers.reread(secrets.hashRelayKey(key))
  }
  return {
    caller: (request) => {
      const key = readKey(request)
      const lookup = find(key)
      return lookup === null || lookup instanceof Promise ? resolveCaller(key, lookup) : lookup
    },
    reread: async ({ keyHash, pinned }) => {
      const caller = await orUnavailable(callers.reread(keyHash))
      if (caller === null) throw invalidKey('The API key is no longer valid.')
      return pinned === null ? caller : { ...caller, pinned }
    },
    forget: callers.forget,
  }
}

async function orUnavailable<Found>(lookup: Promise<Found> | Found): Promise<Found> {
  try {
    return await lookup
  } catch (error) {
    throw databaseUnavailable(error)
  }
}

type CachedCaller = {
  /** A promise until the read ends, so that concurrent requests with one key share one read. */
  caller: Promise<Caller | null> | Caller
  readonly readAt: number
  isRefreshing: boolean
}

/** Callers by key hash; null means that no such token exists. */
function createCallers(read: (keyHash: string) => Promise<Caller | null>, now: () => number) {
  const callers = createLru<string, CachedCaller>(CALLERS_MAX, {
    ttl: CALLER_TTL_MS,
    clock: { now },
  })
  const unknown = createLru<string, true>(UNKNOWN_MAX, { ttl: UNKNOWN_MS, clock: { now } })

  /** `shown` is the entry that other requests use until the read ends. */
  const refresh = (keyHash: string): { shown: CachedCaller; answer: Promise<Caller | null> } => {
    const answer = read(keyHash)
    const reading: CachedCaller = { caller: answer, readAt: now(), isRefreshing: false }
    const current = callers.peek(keyHash) ?? reading
    if (current === reading) callers.set(keyHash, reading)
    /** False if a change cleared the entry during the read; the result is then not stored. */
    const isCurrent = () => callers.peek(keyHash) === current
    answer.then(
      (caller) => {
        if (caller !== null) reading.caller = caller
        if (!isCurrent()) return
        if (caller === null) {
          callers.delete(keyHash)
          unknown.set(keyHash, true)
        } else callers.set(keyHash, reading)
      },
      () => {
        // An earlier value stays valid until it expires.
        if (current === reading && isCurrent()) callers.delete(keyHash)
      },
    )
    return { shown: current, answer }
  }
  return {
    reread: createSharedReads((keyHash) => refresh(keyHash).answer),
    has: (keyHash: string) => callers.has(keyHash),
    find: (keyHash: string): Promise<Caller | null> | Caller | null => {
      const known = callers.get(keyHash)
      if (known === undefined) return unknown.has(keyHash) ? null : refresh(keyHash).shown.caller
      if (!known.isRefreshing && now() - known.readAt > REFRESH_AFTER_MS) {
        known.isRefreshing = true
        refresh(keyHash)
      }
      return known.caller
    },
    forget: (keyHash: string) => void callers.delete(keyHash),
    clear: () => {
      callers.clear()
      unknown.clear()
    },
  }
}

type Reads<Value> = { running: Promise<Value>; next: Promise<Value> | null }

/** Runs at most one read per key; calls during a read share the next one. */
function createSharedReads<Value>(
  read: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const reads = new Map<string, Reads<Value>>()
  const start = (key: string): Promise<Value> => {
    const running = read(key)
    const entry: Reads<Value> = { running, next: null }
    reads.set(key, entry)
    const end = () => {
      if (entry.next === null) reads.delete(key)
    }
    running.then(end, end)
    return running
  }
  return (key) => {
    const current = reads.get(key)
    if (current === undefined) return start(key)
    const startNext = () => start(key)
    return (current.next ??= current.running.then(startNext, startNext))
  }
}

/** In order of precedence. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'] as const

/**
 * Reads the key from a header, or from the URL as Google's clients send it. `Bearer ` and `sk-` are
 * optional.
 */
function readKey(request: ClientRequestHead): string {
  const header = KEY_HEADERS.find((name) => request.headers[name] !== undefined)
  const given = header === undefined ? keyInUrl(request) : (request.headers[header] ?? '')
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

/** For clients that cannot set headers: Google's, and browsers that open a WebSocket. */
function keyInUrl(request: ClientRequestHead): string {
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
      models: new Set(splitList(row.models)),
    },
    user: {
      id: row.user_id,
      username,
      role,
      status: row.user_status,
      quota,
      groups: [...new Set(splitList(row.group))],
    },
  }
}

const splitList = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
