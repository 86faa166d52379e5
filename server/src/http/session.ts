import fastifyCookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Who is asking, as the database has it at this moment. */
export type Caller = {
  id: number
  username: string
  role: number
  status: number
}

/** What is known of a living session; times are epoch seconds. */
export type SessionFacts = {
  id: number
  /** When its user last proved who they are. */
  confirmedAt: number
  lastSeenAt: number
}

export type Accounts = {
  findBySession: (sessionId: string) => Promise<{ caller: Caller; session: SessionFacts } | null>
  findByAccessToken: (accessToken: string) => Promise<Caller | null>
}

/** The session or the access token a caller came by; the other is null. */
export type CameBy = {
  sessionId: string | null
  accessToken: string | null
  /** Null as well where nobody looked for it. */
  session: SessionFacts | null
}

export type Identity =
  | ({ type: 'caller'; caller: Caller } & CameBy)
  | { type: 'nobody' }
  | { type: 'unknown_access_token' }

export const SESSION_SECONDS = 30 * 24 * 3600

const COOKIE = 'session'
/** Of a sign-in through another server: it starts and ends in the same browser. */
const BROWSER_COOKIE = 'oauth_browser'
const BROWSER_PATH = '/api/oauth'
const BROWSER_SECONDS = 15 * 60
/** Of a browser that somebody has signed in with; it opens nothing. */
const DEVICE_COOKIE = 'device'
const DEVICE_PATH = '/api/user/login'
const DEVICE_SECONDS = 365 * 24 * 3600
const DEVICE = /^[\w-]{43}\.[\w-]{43}$/
const SESSION_ID = /^[\w-]{43}$/
const ACCESS_TOKEN_LENGTH_MAX = 256

export async function acceptCookies(app: FastifyInstance) {
  await app.register(fastifyCookie)
}

/** The session id the browser holds, whether or not there is such a session. */
export const readSessionId = (request: FastifyRequest) => readId(request, COOKIE)

/** What the browser was given when its sign-in through another server began. */
export const readBrowserId = (request: FastifyRequest) => readId(request, BROWSER_COOKIE)

/** What the browser was given when somebody signed in with it, whether or not it is still good. */
export const readDevice = (request: FastifyRequest) => readId(request, DEVICE_COOKIE, DEVICE)

function readId(request: FastifyRequest, cookie: string, form = SESSION_ID): string | null {
  const value = request.cookies[cookie]
  return value !== undefined && form.test(value) ? value : null
}

export function writeSessionId(reply: FastifyReply, sessionId: string | null, secure: boolean) {
  const options = { path: '/', httpOnly: true, sameSite: 'strict', secure } as const
  if (sessionId === null) reply.clearCookie(COOKIE, options)
  else reply.setCookie(COOKIE, sessionId, { ...options, maxAge: SESSION_SECONDS })
}

/** Strict is enough: the browser comes back to a page of ours, which then asks by itself. */
export function writeBrowserId(reply: FastifyReply, id: string, secure: boolean) {
  reply.setCookie(BROWSER_COOKIE, id, {
    path: BROWSER_PATH,
    httpOnly: true,
    sameSite: 'strict',
    secure,
    maxAge: BROWSER_SECONDS,
  })
}

export function writeDevice(reply: FastifyReply, device: string, secure: boolean) {
  reply.setCookie(DEVICE_COOKIE, device, {
    path: DEVICE_PATH,
    httpOnly: true,
    sameSite: 'strict',
    secure,
    maxAge: DEVICE_SECONDS,
  })
}

/**
 * Whether a page could not have sent it: scripts of other sites cannot set this header. Browsers add one of their own
 * for a proxy that asks for a password, which is no access token, but without a session opens nothing.
 */
export const usesAccessToken = (request: FastifyRequest) =>
  request.headers.authorization !== undefined && readSessionId(request) === null

/** The session decides; an access token counts only when there is none. */
export async function identify(request: FastifyRequest, accounts: Accounts): Promise<Identity> {
  const sessionId = readSessionId(request)
  const bySession = sessionId === null ? null : await accounts.findBySession(sessionId)
  if (bySession) return { type: 'caller', ...bySession, sessionId, accessToken: null }
  const { authorization = '' } = request.headers
  if (authorization === '') return { type: 'nobody' }
  const accessToken = authorization.trim().replace(/^Bearer(?:\s+|$)/i, '')
  const isPlausible = accessToken !== '' && accessToken.length <= ACCESS_TOKEN_LENGTH_MAX
  const byToken = isPlausible ? await accounts.findByAccessToken(accessToken) : null
  if (!byToken) return { type: 'unknown_access_token' }
  return { type: 'caller', caller: byToken, sessionId: null, session: null, accessToken }
}
