import { randomUUID } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import path from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import { z } from 'zod'
import { NEVER, type OptionKey, type OptionValues, ROLE, USER_STATUS } from '@tollgate/contract'
import { createControlPlane } from '../../src/admin/control-plane.ts'
import type { AdminDeps } from '../../src/admin/deps.ts'
import { systemClock } from '../../src/clock.ts'
import { ChannelHealth } from '../../src/domain/channel-health.ts'
import { createCallLimit } from '../../src/http/call-limit.ts'
import { createClientAddress } from '../../src/http/client-address.ts'
import { createPasswords, type Passwords } from '../../src/http/password.ts'
import { createJsonClient } from '../../src/integrations/json-client.ts'
import { openLedger } from '../../src/ledger/create-ledger.ts'
import { createLog } from '../../src/process/log.ts'
import { deriveSecrets, newInviteCode, newSessionId } from '../../src/secrets.ts'
import { openSettings } from '../../src/settings/settings.ts'
import { createDatabaseCheck, type DatabaseCheck } from '../../src/store/database-check.ts'
import { writeOption } from '../../src/store/options.ts'
import { insertSession } from '../../src/store/sessions.ts'
import { insertUser } from '../../src/store/users.ts'
import { UPSTREAM_LIMITS } from '../../src/upstream/limits.ts'
import { createUpstream } from '../../src/upstream/send.ts'
import { openClockedDatabase } from '../fakes/clocked-database.ts'
import { type DatabaseKind, openKeptDatabase } from '../harness/databases.ts'

const answerSchema = z.looseObject({
  success: z.boolean().optional(),
  message: z.string().optional(),
  data: z.unknown().optional(),
})

export type Answer = z.output<typeof answerSchema> & {
  status: number
  text: string
  headers: LightMyRequestResponse['headers']
}

type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Call = {
  body?: unknown
  /** Raw request body; replaces `body`. */
  bytes?: string | Buffer
  /** A logged-in person, or the value of a session cookie. */
  as?: Person | string
  headers?: Record<string, string>
  address?: string
}

export type Person = { id: number; username: string; role: number; session: string }

/** `env` overrides the addresses of identity providers. */
type ControlPlaneOptions = {
  consoleDir?: string
  env?: Partial<AdminDeps['env']>
  /** The gateway's health of the channels; unknown by default. */
  health?: AdminDeps['health']
  /** The gateway's bound sessions; none by default. */
  sessions?: AdminDeps['sessions']
  /** Value of UPSTREAM_PRIVATE_NETWORKS. */
  privateNetworks?: readonly string[]
  /** Options that the environment sets. */
  pinned?: Partial<OptionValues>
  /** Resolves the host names of outgoing connections. */
  lookup?: LookupFunction
  /** Hashes that cost next to nothing by default. */
  passwords?: Passwords
  checkDatabase?: DatabaseCheck
  /** Time limit for a request body. */
  bodyMs?: number
  /** Opens a second process on this database; close the second one first. */
  sharing?: { files: Awaited<ReturnType<typeof openKeptDatabase>>; clock: { now: number } }
}

const NO_SESSIONS: AdminDeps['sessions'] = () => new Map()
const UNKNOWN_HEALTH: AdminDeps['health'] = {
  view: () => new ChannelHealth().view(0),
  recordSuccess: () => {},
}

export const cheapPasswords = () => createPasswords({ memoryKib: 8, passes: 1, lanes: 1 })

type Parts = Awaited<ReturnType<typeof openParts>>

export type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>

/**
 * The real control plane on its own empty database, called without a socket. Each call first sets
 * the database clock to the test's clock.
 */
export async function openControlPlane(kind: DatabaseKind, given: ControlPlaneOptions = {}) {
  const parts = await openParts(kind, given)
  const { app, upstream, closeAsk, ...shown } = parts
  const call = createCall(parts)
  return {
    ...shown,
    call,
    /** Throws the error that an administrator would get. */
    setOption: (key: OptionKey, value: string) =>
      shown.settings.update(
        { key, value },
        { actor: { id: 0, username: 'test', role: ROLE.root }, language: 'en', nowSeconds: 0 },
      ),
    /** Listens on a free local port and returns its address. */
    listen: () => app.listen({ port: 0, host: '127.0.0.1' }),
    /** Every route, in the form `GET /api/status`. */
    routes: () => listRoutes(app.printRoutes({ commonPrefix: false })),
    signIn: (userId: number) => signIn(parts, userId),
    addPerson: (role: number = ROLE.user, quota = 0) => addPerson(parts, role, quota),
    /** Creates a token for a person, unlimited by default, and returns its id. */
    addToken: async (as: Person, form: object = { unlimited_quota: true }) =>
      idOf(done(await call('POST', '/api/token/', { as, body: { ...tokenForm, ...form } }))),
    /** Creates a channel as an administrator, and returns its id. */
    addChannel: async (as: Person, form: object = {}) => {
      const body = { ...channelForm, ...form }
      return idsOf(done(await call('POST', '/api/channel/', { as, body })))[0] ?? 0
    },
    /** Calls as `call` does, and throws the message of a refusal. */
    done: async (...sent: Parameters<typeof call>) => done(await call(...sent)),
    close: async () => {
      await app.close()
      upstream.close()
      await closeAsk()
      await parts.ledger.close()
      await parts.database.close()
      await parts.files.close()
    },
  }
}

const ENV = {
  DEFAULT_PASSWORD_NETWORKS: [],
  GITHUB_ADDRESS: 'https://github.invalid',
  GITHUB_API_ADDRESS: 'https://api.github.invalid',
  LARK_ADDRESS: 'https://lark.invalid',
  TELEGRAM_ADDRESS: 'https://telegram.invalid',
  TURNSTILE_ADDRESS: 'https://turnstile.invalid',
  BASE_PATH: '',
}

async function openParts(kind: DatabaseKind, given: ControlPlaneOptions) {
  const {
    consoleDir = '/nowhere',
    env = {},
    health = UNKNOWN_HEALTH,
    sessions = NO_SESSIONS,
    sharing,
    bodyMs,
  } = given
  const { privateNetworks = [], pinned = {}, lookup, passwords = cheapPasswords() } = given
  const files = sharing ? { ...sharing.files, close: async () => {} } : await openKeptDatabase(kind)
  const clock = sharing?.clock ?? { now: Date.now() }
  const now = () => clock.now
  const { database, setClock } = await openClockedDatabase(files, now() / 1000)
  const secrets = deriveSecrets('a master key of the tests')
  const logLines: string[] = []
  const log = createLog('trace', { write: (line) => void logLines.push(line) })
  await writeOption(database.kysely, { key: 'GlobalApiRateLimit', value: '0' })
  const settings = await openSettings({ database, secrets, log, pinned, privateNetworks, now })
  const ledger = await openLedger({
    ...files,
    dataDir: sharing ? path.join(files.dataDir, 'second') : files.dataDir,
    database,
    label: 'test',
    syncAlways: false,
    log,
    keepsLog: () => ({ settled: true, void: true }),
    remindBelow: () => 0,
    clock: { ...systemClock, now },
  })
  const upstream = createUpstream(UPSTREAM_LIMITS, {
    privateNetworks,
    allowsPrivate: () => settings.current().ChannelPrivateNetworksEnabled,
    ...(lookup && { lookup }),
  })
  const { ask, close: closeAsk } = createJsonClient({ outgoing: upstream.outgoing })
  const trustedProxies = ['10.9.0.0/16']
  const client = createClientAddress(trustedProxies)
  const most = () => settings.current().GlobalApiRateLimit
  const { checkDatabase = createDatabaseCheck(database) } = given
  const adminDeps: AdminDeps = {
    database,
    settings,
    ledger,
    secrets,
    passwords,
    env: { ...ENV, TRUSTED_PROXIES: trustedProxies, ...env },
    ask,
    fetchJson: ask,
    log,
    upstream,
    health,
    sessions,
    callLimit: createCallLimit({ client, max: most, now }),
    checkDatabase,
    version: 'v0.0.0',
    startedAt: Math.floor(now() / 1000),
    consoleDir,
    now,
  }
  const app = await createControlPlane(adminDeps, bodyMs === undefined ? {} : { bodyMs })
  const shown = { files, database, secrets, passwords, logLines, clock, settings, ledger }
  return { ...shown, app, upstream, closeAsk, setClock }
}

/**
 * Parses the tree that Fastify prints: four characters of drawing per level, then a path segment.
 */
function listRoutes(tree: string): string[] {
  const pieces: string[] = []
  return tree.split('\n').flatMap((line) => {
    const row = /^([│ ]*)[├└]── (\S*)(?: \(([A-Z, ]+)\))?$/.exec(line)
    if (!row) return []
    const [, drawing = '', piece = '', methods] = row
    const level = drawing.length / 4
    pieces.splice(level, pieces.length, piece)
    return (methods ?? '')
      .split(', ')
      .flatMap((method) => (method === '' ? [] : [`${method} ${pieces.join('')}`]))
  })
}

function createCall({ app, clock, setClock }: Parts) {
  let told = clock.now
  return async (method: Method, url: string, options: Call = {}): Promise<Answer> => {
    if (clock.now !== told) await setClock((told = clock.now) / 1000)
    const { body, bytes, as, headers, address } = options
    const session = typeof as === 'object' ? as.session : as
    const response = await app.inject({
      method,
      url,
      headers: { ...(session === undefined ? {} : { cookie: `session=${session}` }), ...headers },
      ...(address === undefined ? {} : { remoteAddress: address }),
      ...(bytes === undefined && body === undefined
        ? {}
        : { payload: bytes ?? JSON.stringify(body) }),
    })
    const { statusCode: status, body: text } = response
    const type = String(response.headers['content-type'])
    const isJson = type.startsWith('application/json') && text !== ''
    // An answer of rows has no envelope.
    const success = type.startsWith('application/x-ndjson')
    const parsed = isJson ? answerSchema.parse(JSON.parse(text)) : success ? { success } : {}
    return { ...parsed, status, text, headers: response.headers }
  }
}

/** The answer, unless it is a refusal. */
export function done(answer: Answer): Answer {
  const { status, success, message, text } = answer
  if (status !== 200 || success !== true) throw new Error(`${status}: ${message ?? text}`)
  return answer
}

/** Inserts a session directly, to save the cost of hashing a password. */
async function signIn({ clock, database, secrets }: Parts, userId: number): Promise<string> {
  const session = newSessionId()
  const seconds = Math.floor(clock.now / 1000)
  await database.transaction((tx) =>
    insertSession(tx, {
      id_hash: secrets.hashSession(session),
      user_id: userId,
      created_time: seconds,
      expires_at: seconds + 1000,
      address: '',
      user_agent: '',
    }),
  )
  return session
}

async function addPerson(parts: Parts, role: number, quota: number): Promise<Person> {
  const username = `u${randomUUID().slice(0, 8)}`
  const id = await parts.database.transaction(async (tx) => {
    const userId = await insertUser(tx, {
      username,
      password_hash: '',
      display_name: username,
      role,
      status: USER_STATUS.enabled,
      email: '',
      github_id: '',
      wechat_id: '',
      access_token_hash: parts.secrets.hashAccessToken(accessTokenOf({ username })),
      group: 'default',
      aff_code: newInviteCode(),
      inviter_id: 0,
      created_time: Math.floor(parts.clock.now / 1000),
    })
    await parts.ledger.credit(tx, {
      kind: 'user',
      ownerId: userId,
      amount: quota,
      reason: 'test',
      source: `test:${userId}`,
      actorId: 0,
    })
    return userId
  })
  return { id, username, role, session: await signIn(parts, id) }
}

let addresses = 0

/** A new client address each time, so that calls do not share rate limits. */
export function newAddress() {
  addresses += 1
  return `198.18.${addresses >> 8}.${addresses & 255}`
}

export const accessTokenOf = ({ username }: { username: string }) => `access-token-of-${username}`

export const tokenForm = {
  name: 'mine',
  remain_quota: 1000,
  expired_time: NEVER,
  unlimited_quota: false,
  models: '',
  subnet: '',
}

export const channelForm = {
  type: 1,
  name: 'first',
  key: 'sk-upstream',
  models: 'gpt-4o,gpt-4o-mini',
  group: 'default',
}

const rowsSchema = z.array(
  z.looseObject({ id: z.union([z.int(), z.string()]), quota: z.number().optional() }),
)

/** The rows of a list, or of a response to a bulk creation. */
export const rowsOf = (answer: Answer) => rowsSchema.parse(answer.data)

export const idsOf = (answer: Answer) => rowsOf(answer).map(({ id }) => Number(id))

export const idOf = (answer: Answer) => z.object({ id: z.int() }).parse(answer.data).id

export const keyOf = (answer: Answer) => z.object({ key: z.string() }).parse(answer.data).key
