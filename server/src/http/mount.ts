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
  type CameBy,
  type Caller,
  credentialOf,
  identify,
  readBrowserId,
  readDevice,
  readSessionId,
  type SessionFacts,
  usesAccessToken,
  writeBrowserId,
  writeDevice,
  writeSessionId,
} from './session.ts'
import { readSite, type Site } from './site.ts'

/*
 * From the endpoint table to routes. A request is judged by its headers before its body is read:
 * the site it came from, then who sends it, then what that person may do; and as a body may take
 * minutes to come, the last two again after it. The body is parsed once, here; a handler gets typed values and gives typed values. The answer is built from the endpoint's
 * schema, so a column nobody declared cannot leave the server. Nothing beyond this file knows the
 * envelope, the cookie or the web framework. Whatever is thrown ends in `errors.ts`.
 */

/** What a handler knows about the request besides its input. */
/** By what the caller came; the session of a public endpoint is the id in the cookie, unchecked. */
export type Context<E extends Endpoint = Endpoint> = CameBy & {
  caller: E['access'] extends 'public' ? null : Caller
  /** Of a browser that began to sign in through another server. */
  browserId: string | null
  /** Of a browser that somebody signed in with, unchecked. */
  device: string | null
  language: Language
  address: string
  /** The caller is on this machine or on a private network. */
  isNear: boolean
  /** Its own name for itself, as the browser sent it. */
  userAgent: string
  site: Site
}

type DataOf<E extends Endpoint> = E['parts']['data'] extends z.ZodType
  ? { data: z.input<E['parts']['data']> }
  : { data?: undefined }

type BesideOf<E extends Endpoint> = E['parts']['beside'] extends z.ZodType
  ? { beside: z.input<E['parts']['beside']> }
  : { beside?: undefined }

export type Reply<E extends Endpoint> = DataOf<E> &
  BesideOf<E> & {
    /** How many rows there are in all; beyond TOTAL_COUNT_MAX only that there are more. */
    total?: number
    message?: string
    /** A new session for the browser to hold, or null to make it forget the one it has. */
    session?: string | null
    /** The id that binds a sign-in through another server to this browser. */
    browser?: string
    /** What tells this browser again when somebody signs in. */
    device?: string
  }

export type Handler<E extends Endpoint> = (
  context: Context<E>,
  input: EndpointInput<E>,
) => Promise<Reply<E>>

/** One handler for every endpoint of the table; a missing one does not compile. */
export type Handlers<Table extends EndpointTable> = {
  readonly [Name in keyof Table]: Handler<Table[Name]>
}

export type Door = {
  accounts: Accounts
  client: ClientAddress
  /** Learns which credentials are good. */
  callLimit: Pick<CallLimit, 'know' | 'forget'>
  /** Where the console is, by which option; null while any host is. */
  consoleAddress: () => { url: URL; option: OptionKey } | null
  /** Throws unless the endpoint is open to a caller who may lack a required second factor. */
  requireSecondFactor: (endpoint: Endpoint, asking: Asking) => Promise<void>
  /** Throws unless the caller confirmed lately who they are. */
  requireConfirmed: (asking: Asking & { site: Site }) => Promise<void>
  /** Notes when and from where a session was used. */
  noteUse: (session: SessionFacts, from: { address: string; userAgent: string }) => Promise<void>
  /** Resolves when the requests that have ended are to be seen, of one user or of all. */
  flush: (userId?: number) => Promise<void>
}

type Asking = CameBy & { caller: Caller }

type AnyReply = {
  data?: unknown
  beside?: unknown
  total?: number
  message?: string
  session?: string | null
  browser?: string
  device?: string
}
type AnyHandler = (context: unknown, input: unknown) => Promise<AnyReply>

/** Reading a large body keeps everybody waiting; only administrators send long tables. */
const BODY_BYTES_MAX: Readonly<Record<RoleAccess, number>> = {
  public: 32 * 1024,
  user: 128 * 1024,
  admin: 1024 * 1024,
  root: 1024 * 1024,
}

/** Serves every endpoint of the table, with and without a trailing slash. */
export function mount<Table extends EndpointTable>(
  app: FastifyInstance,
  door: Door,
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
        refuseForeign(endpoint, request, door)
        // Strangers' bodies are not read; who was admitted is asked again below, as a body may take its time.
        if (endpoint.method !== 'GET') await admit(endpoint, request, door)
      },
      handler: async (request, reply) => {
        const language = readLanguage(request)
        const context = {
          ...(await admit(endpoint, request, door)),
          browserId: readBrowserId(request),
          device: readDevice(request),
          language,
          address: door.client.read(request.raw),
          isNear: door.client.isNear(request.raw),
          userAgent: request.headers['user-agent'] ?? '',
          site: readSite(request.raw, door.client),
        }
        const input = readInput(endpoint, request, language)
        const { caller, session } = context
        if (caller && endpoint.parts.confirmed) await door.requireConfirmed({ ...context, caller })
        if (session) await door.noteUse(session, context)
        // Whoever reads sees all of their own; those of others come within the tenth of a second of a turn.
        if (caller) await door.flush(changesState(endpoint) ? undefined : caller.id)
        const answer = await handler(context, input)
        const isSecure = door.client.isSecure(request.raw)
        if (answer.session !== undefined) writeSessionId(reply, answer.session, isSecure)
        if (answer.browser !== undefined) writeBrowserId(reply, answer.browser, isSecure)
        if (answer.device !== undefined) writeDevice(reply, answer.device, isSecure)
        return send(endpoint, answer, reply)
      },
    })
  }
}

function refuseForeign(endpoint: Endpoint, request: FastifyRequest, door: Door) {
  if (!changesState(endpoint)) return
  // Who signs in is let in by no access token, so that one proves nothing.
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
  const asked = door.client.hosts(request.raw)
  const known = door.consoleAddress()
  const hosts = ownHostsOf(asked, known === null ? [] : [known.url.host])
  // A name of somebody else's that leads here (DNS rebinding) is of one site with its own pages.
  const isRebound = known !== null && origin !== undefined && !isOwn(origin, hosts)
  if (!isRebound && !isForeign(headers, hosts)) return
  // That name may as well be ours, and the address in the options a wrong one.
  if (known === null || isForeign(headers, [...hosts, ...asked])) {
    throw new AppError('foreign_origin')
  }
  throw new AppError('console_elsewhere', { address: known.url.origin, option: known.option })
}

async function admit(
  endpoint: Endpoint,
  request: FastifyRequest,
  door: Door,
): Promise<{ caller: Caller | null } & CameBy> {
  const { access } = endpoint
  if (access === 'public') {
    return { caller: null, sessionId: readSessionId(request), session: null, accessToken: null }
  }
  const identity = await identify(request, door.accounts)
  const credential = credentialOf(request)
  if (credential !== null) {
    if (identity.type === 'caller') door.callLimit.know(credential, identity.caller.id)
    else door.callLimit.forget(credential)
  }
  if (identity.type === 'nobody') throw new AppError('not_signed_in')
  if (identity.type === 'unknown_access_token') throw new AppError('invalid_access_token')
  const { caller, session, sessionId, accessToken } = identity
  const asking = { caller, session, sessionId, accessToken }
  if (caller.status !== USER_STATUS.enabled) throw new AppError('account_banned')
  if (!mayCall(access, caller.role)) throw new AppError('not_allowed')
  await door.requireSecondFactor(endpoint, asking)
  if (endpoint.parts.sessionOnly && session === null) throw new AppError('session_needed')
  return asking
}

function mayCall(access: Exclude<RoleAccess, 'public'>, role: number): boolean {
  if (access === 'root') return isRoot(role)
  return access === 'user' || isAdmin(role)
}

function send({ parts }: Endpoint, answer: AnyReply, reply: FastifyReply) {
  if (answer.total !== undefined) {
    const isExact = answer.total <= TOTAL_COUNT_MAX
    reply.header('X-Total-Count', isExact ? String(answer.total) : `${TOTAL_COUNT_MAX}+`)
  }
  const beside = parts.beside?.parse(answer.beside)
  const envelope = {
    success: true,
    message: answer.message ?? '',
    ...(typeof beside === 'object' ? beside : {}),
  }
  const { data } = answer
  if (parts.data === undefined) return reply.send(envelope)
  if (!isKept(data)) return reply.send({ ...envelope, data: parts.data.parse(data) })
  const text = keptTexts.get(data) ?? JSON.stringify(parts.data.parse(data))
  keptTexts.set(data, text)
  return reply
    .type('application/json; charset=utf-8')
    .send(`${JSON.stringify(envelope).slice(0, -1)},"data":${text}}`)
}

/** Data that is answered again as it is can be frozen: then it is checked and written once. */
const isKept = (data: unknown): data is object =>
  typeof data === 'object' && data !== null && Object.isFrozen(data)

const keptTexts = new WeakMap<object, string>()
