import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import {
  AppError,
  changesState,
  type Endpoint,
  type EndpointInput,
  type EndpointTable,
  isAdmin,
  isRoot,
  type Language,
  type OptionKey,
  type RoleAccess,
  TOTAL_COUNT_MAX,
  USER_STATUS,
} from '@tollgate/contract'
import type { CallLimit } from './call-limit.ts'
import type { ClientAddress } from './client-address.ts'
import { readLanguage } from './errors.ts'
import { isForeign, isOwn, ownHostsOf } from './origin.ts'
import { readInput } from './read-input.ts'
import {
  type Accounts,
  type Credentials,
  type Caller,
  credentialOf,
  identify,
  readBrowserId,
  readDevice,
  readSessionId,
  type SessionInfo,
  usesAccessToken,
  writeBrowserId,
  writeDevice,
  writeSessionId,
} from './session.ts'
import { readSite, type Site } from './site.ts'

/*
 * Turns the endpoint table into routes. A request is checked by its headers before its body is
 * read: first the site it came from, then the caller, then the caller's permissions. The last two
 * are checked again after the body, which may take minutes to arrive.
 *
 * The body is parsed once, here; handlers get and return typed values. The answer is built from the
 * endpoint's schema, so an undeclared column cannot leave the server. Handlers know
 * neither the envelope, the cookie nor the web framework. Errors end in `errors.ts`.
 */

/**
 * What a handler knows about a request, in addition to its input. For public endpoints the session
 * id is the unchecked cookie.
 */
export type Context<E extends Endpoint = Endpoint> = Credentials & {
  caller: E['access'] extends 'public' ? null : Caller
  /** Cookie of a browser that began an OAuth login. */
  browserId: string | null
  /** Cookie of a browser used to log in before; unchecked. */
  device: string | null
  language: Language
  address: string
  /** The caller is on this machine or in a private network. */
  isNear: boolean
  userAgent: string
  site: Site
}

type DataOf<E extends Endpoint> = E['parts']['data'] extends z.ZodType
  ? { data: z.input<E['parts']['data']> }
  : { data?: undefined }

type ExtraOf<E extends Endpoint> = E['parts']['extra'] extends z.ZodType
  ? { extra: z.input<E['parts']['extra']> }
  : { extra?: undefined }

type RowsOf<E extends Endpoint> = E['parts']['rows'] extends z.ZodType
  ? { rows: AsyncIterable<z.input<E['parts']['rows']>[]> }
  : { rows?: undefined }

export type Reply<E extends Endpoint> = DataOf<E> &
  ExtraOf<E> &
  RowsOf<E> & {
    /** Count of all rows; values above TOTAL_COUNT_MAX are reported as more than that. */
    total?: number
    message?: string
    /** A new session id for the browser, or null to clear the cookie. */
    session?: string | null
    /** The id that binds an OAuth login to this browser. */
    browser?: string
    /** The token that recognizes this browser at later logins. */
    device?: string
  }

export type Handler<E extends Endpoint> = (
  context: Context<E>,
  input: EndpointInput<E>,
) => Promise<Reply<E>>

/** One handler per endpoint of the table; a missing handler does not compile. */
export type Handlers<Table extends EndpointTable> = {
  readonly [Name in keyof Table]: Handler<Table[Name]>
}

export type MountDeps = {
  accounts: Accounts
  client: ClientAddress
  /** Learns which credentials are valid. */
  callLimit: Pick<CallLimit, 'setAccount' | 'forget'>
  /** The console's address and the option that sets it; null if any host serves the console. */
  consoleAddress: () => { url: URL; option: OptionKey } | null
  /**
   * Throws unless the caller has the required second factor or the endpoint allows callers without
   * it.
   */
  requireSecondFactor: (endpoint: Endpoint, authenticated: AuthenticatedCaller) => Promise<void>
  /** Throws unless the caller reauthenticated recently. */
  requireConfirmed: (authenticated: AuthenticatedCaller & { site: Site }) => Promise<void>
  recordSessionUse: (
    session: SessionInfo,
    from: { address: string; userAgent: string },
  ) => Promise<void>
  /** Resolves when ended requests are visible in the database, for one user or for all. */
  flush: (userId?: number) => Promise<void>
}

type AuthenticatedCaller = Credentials & { caller: Caller }

type AnyReply = {
  data?: unknown
  extra?: unknown
  rows?: AsyncIterable<unknown[]>
  total?: number
  message?: string
  session?: string | null
  browser?: string
  device?: string
}
type AnyHandler = (context: unknown, input: unknown) => Promise<AnyReply>

/** Parsing a large body blocks the event loop. Only administrators send long tables. */
const BODY_BYTES_MAX: Readonly<Record<RoleAccess, number>> = {
  public: 32 * 1024,
  user: 128 * 1024,
  admin: 1024 * 1024,
  root: 1024 * 1024,
}

/** Serves every endpoint of the table, with and without a trailing slash. */
export function mount<Table extends EndpointTable>(
  app: FastifyInstance,
  deps: MountDeps,
  table: Table,
  handlers: Handlers<Table>,
) {
  for (const [name, endpoint] of Object.entries(table)) {
    // Safe because the type of `handlers` pairs each handler with the endpoint of its name.
    const handler = handlers[name as keyof Table] as unknown as AnyHandler
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      bodyLimit: BODY_BYTES_MAX[endpoint.access],
      config: { malformedBodyStatus: endpoint.parts.malformedBodyStatus },
      onRequest: async (request, reply) => {
        reply.header('Cache-Control', 'no-store')
        refuseForeign(endpoint, request, deps)
        // Bodies of unauthenticated callers are not read. The handler checks again, as a body takes
        // time.
        if (endpoint.method !== 'GET') await requireAccess(endpoint, request, deps)
      },
      handler: async (request, reply) => {
        const language = readLanguage(request)
        const context = {
          ...(await requireAccess(endpoint, request, deps)),
          browserId: readBrowserId(request),
          device: readDevice(request),
          language,
          address: deps.client.read(request.raw),
          isNear: deps.client.isNear(request.raw),
          userAgent: request.headers['user-agent'] ?? '',
          site: readSite(request.raw, deps.client),
        }
        const input = readInput(endpoint, request, language)
        const { caller, session } = context
        if (caller && endpoint.parts.confirmed) await deps.requireConfirmed({ ...context, caller })
        if (session) await deps.recordSessionUse(session, context)
        // Readers see all of their own requests; other users' requests within a batch of 0.1 s.
        if (caller) await deps.flush(changesState(endpoint) ? undefined : caller.id)
        const answer = await handler(context, input)
        const isSecure = deps.client.isSecure(request.raw)
        if (answer.session !== undefined) writeSessionId(reply, answer.session, isSecure)
        if (answer.browser !== undefined) writeBrowserId(reply, answer.browser, isSecure)
        if (answer.device !== undefined) writeDevice(reply, answer.device, isSecure)
        return send(endpoint, answer, reply)
      },
    })
  }
}

function refuseForeign(endpoint: Endpoint, request: FastifyRequest, deps: MountDeps) {
  if (!changesState(endpoint)) return
  // Login endpoints ignore access tokens, so a token proves nothing there.
  if (endpoint.access !== 'public' && usesAccessToken(request)) return
  const { origin, referer, accept, ...others } = request.headers
  const headers = {
    method: endpoint.method,
    origin,
    fetchSite: others['sec-fetch-site']?.toString(),
    fetchDest: others['sec-fetch-dest']?.toString(),
    referer,
    accept,
    userAgent: others['user-agent'],
  }
  const requestHosts = deps.client.hosts(request.raw)
  const known = deps.consoleAddress()
  const hosts = ownHostsOf(requestHosts, known === null ? [] : [known.url.host])
  // With DNS rebinding, a foreign name for this server is same-site with its own pages.
  const isRebound = known !== null && origin !== undefined && !isOwn(origin, hosts)
  if (!isRebound && !isForeign(headers, hosts)) return
  // The unknown name may be legitimate and the configured address wrong, so the error says where to
  // go.
  if (known === null || isForeign(headers, [...hosts, ...requestHosts])) {
    throw new AppError('foreign_origin')
  }
  throw new AppError('console_elsewhere', { address: known.url.origin, option: known.option })
}

async function requireAccess(
  endpoint: Endpoint,
  request: FastifyRequest,
  deps: MountDeps,
): Promise<{ caller: Caller | null } & Credentials> {
  const { access } = endpoint
  if (access === 'public') {
    return { caller: null, sessionId: readSessionId(request), session: null, accessToken: null }
  }
  const identity = await identify(request, deps.accounts)
  const credential = credentialOf(request)
  if (credential !== null) {
    if (identity.type === 'caller') deps.callLimit.setAccount(credential, identity.caller.id)
    else deps.callLimit.forget(credential)
  }
  if (identity.type === 'nobody') throw new AppError('not_signed_in')
  if (identity.type === 'unknown_access_token') throw new AppError('invalid_access_token')
  const { caller, session, sessionId, accessToken } = identity
  const authenticated = { caller, session, sessionId, accessToken }
  if (caller.status !== USER_STATUS.enabled) throw new AppError('account_banned')
  if (!mayCall(access, caller.role)) throw new AppError('not_allowed')
  await deps.requireSecondFactor(endpoint, authenticated)
  if (endpoint.parts.sessionOnly && session === null) throw new AppError('session_needed')
  return authenticated
}

function mayCall(access: Exclude<RoleAccess, 'public'>, role: number): boolean {
  if (access === 'root') return isRoot(role)
  return access === 'user' || isAdmin(role)
}

function send({ parts }: Endpoint, answer: AnyReply, reply: FastifyReply) {
  if (parts.rows !== undefined && answer.rows !== undefined) {
    return reply
      .type('application/x-ndjson; charset=utf-8')
      .send(Readable.from(linesOf(parts.rows, answer.rows)))
  }
  if (answer.total !== undefined) {
    const isExact = answer.total <= TOTAL_COUNT_MAX
    reply.header('X-Total-Count', isExact ? String(answer.total) : `${TOTAL_COUNT_MAX}+`)
  }
  const extra = parts.extra?.parse(answer.extra)
  const envelope = {
    success: true,
    message: answer.message ?? '',
    ...(typeof extra === 'object' ? extra : {}),
  }
  const { data } = answer
  if (parts.data === undefined) return reply.send(envelope)
  if (!isReusable(data)) return reply.send({ ...envelope, data: parts.data.parse(data) })
  const text = serializedData.get(data) ?? JSON.stringify(parts.data.parse(data))
  serializedData.set(data, text)
  return reply
    .type('application/json; charset=utf-8')
    .send(`${JSON.stringify(envelope).slice(0, -1)},"data":${text}}`)
}

/** The stream asks for rows as fast as the client reads. An error cuts the answer off. */
async function* linesOf(row: z.ZodType, rows: AsyncIterable<unknown[]>) {
  for await (const some of rows) {
    yield some.map((given) => `${JSON.stringify(row.parse(given))}\n`).join('')
  }
}

/** Frozen data is reused across answers, so it is validated and serialized once. */
const isReusable = (data: unknown): data is object =>
  typeof data === 'object' && data !== null && Object.isFrozen(data)

const serializedData = new WeakMap<object, string>()
