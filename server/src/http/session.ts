import fastifyCookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export type Caller = {
  id: number
  username: string
  role: number
  status: number
}

/** A live session; times are epoch seconds. */
export type SessionInfo = {
  id: number
  /** When the user last reauthenticated. */
  confirmedAt: number
  lastSeenAt: number
}

export type Accounts = {
  findBySession: (sessionId: string) => Promise<{ caller: Caller; session: SessionInfo } | null>
  findByAccessToken: (accessToken: string) => Promise<Caller | null>
}

/** The session or access token of a caller; the other is null. */
export type Credentials = {
  sessionId: string | null
  accessToken: string | null
  /** Null also if no session was looked up. */
  session: SessionInfo | null
}

export type Identity =
  | ({ type: 'caller'; caller: Caller } & Credentials)
  | { type: 'nobody' }
  | { type: 'unknown_access_token' }

export const SESSION_SECONDS = 30 * 24 * 3600

const COOKIE = 'session'
/** Binds an OAuth login to the browser it started in. */
const BROWSER_COOKIE = 'oauth_browser'
const BROWSER_PATH = '/api/oauth'
const BROWSER_SECONDS = 15 * 60
/** Recognizes a browser used to log in before; grants nothing. */
const DEVICE_COOKIE = 'device'
const DEVICE_PATH = '/api/user/login'
const DEVICE_SECONDS = 365 * 24 * 3600
const DEVICE = /^[\w-]{43}\.[\w-]{43}$/
const SESSION_ID = /^[\w-]{43}$/
const ACCESS_TOKEN_LENGTH_MAX = 256

declare module 'fastify' {
  interface FastifyInstance {
    /** Browsers send cookies by the paths that they see. */
    basePath: string
  }
}

export async function acceptCookies(app: FastifyInstance, basePath: string) {
  app.decorate('basePath', basePath)
  await app.register(fastifyCookie)
}

/** The session id in the cookie, whether or not the session exists. */
export const readSessionId = (request: FastifyRequest) => readId(request, COOKIE)

export const readBrowserId = (request: FastifyRequest) => readId(request, BROWSER_COOKIE)

/** The cookie set at an earlier login, whether or not it is still valid. */
export const readDevice = (request: FastifyRequest) => readId(request, DEVICE_COOKIE, DEVICE)

function readId(request: FastifyRequest, cookie: string, form = SESSION_ID): string | null {
  const value = request.cookies[cookie]
  return value !== undefined && form.test(value) ? value : null
}

const pathFor = ({ server }: FastifyReply, path: string) => server.basePath + path

export function writeSessionId(reply: FastifyReply, sessionId: string | null, secure: boolean) {
  const path = pathFor(reply, '/')
  const options = { path, httpOnly: true, sameSite: 'strict', secure } as const
  if (sessionId === null) reply.clearCookie(COOKIE, options)
  else reply.setCookie(COOKIE, sessionId, { ...options, maxAge: SESSION_SECONDS })
}

/** `strict` suffices: the provider redirects to one of our pages, which then sends the request. */
export function writeBrowserId(reply: FastifyReply, id: string, secure: boolean) {
  reply.setCookie(BROWSER_COOKIE, id, {
    path: pathFor(reply, BROWSER_PATH),
    httpOnly: true,
    sameSite: 'strict',
    secure,
    maxAge: BROWSER_SECONDS,
  })
}

export function writeDevice(reply: FastifyReply, device: string, secure: boolean) {
  reply.setCookie(DEVICE_COOKIE, device, {
    path: pathFor(reply, DEVICE_PATH),
    httpOnly: true,
    sameSite: 'strict',
    secure,
    maxAge: DEVICE_SECONDS,
  })
}

/**
 * Whether the request carries an access token, which scripts of other sites cannot set. Browsers
 * add Basic credentials for a proxy password; those are no access token, and without a session they
 * grant nothing.
 */
export const usesAccessToken = (request: FastifyRequest) =>
  request.headers.authorization !== undefined && readSessionId(request) === null

/** The unchecked credential of a request; null if it cannot be valid. */
export const credentialOf = (request: FastifyRequest): string | null =>
  readSessionId(request) ?? readAccessToken(request)

function readAccessToken({ headers: { authorization = '' } }: FastifyRequest): string | null {
  const accessToken = authorization.trim().replace(/^Bearer(?:\s+|$)/i, '')
  const isPlausible = accessToken !== '' && accessToken.length <= ACCESS_TOKEN_LENGTH_MAX
  return isPlausible ? accessToken : null
}

/** The session takes precedence; an access token is used only without one. */
export async function identify(request: FastifyRequest, accounts: Accounts): Promise<Identity> {
  const sessionId = readSessionId(request)
  const bySession = sessionId === null ? null : await accounts.findBySession(sessionId)
  if (bySession) return { type: 'caller', ...bySession, sessionId, accessToken: null }
  if ((request.headers.authorization ?? '') === '') return { type: 'nobody' }
  const accessToken = readAccessToken(request)
  const byToken = accessToken === null ? null : await accounts.findByAccessToken(accessToken)
  if (!byToken) return { type: 'unknown_access_token' }
  return { type: 'caller', caller: byToken, sessionId: null, session: null, accessToken }
}
