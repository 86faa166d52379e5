import { z } from 'zod'
import type { InBoth } from './app-error.ts'
import { emailAddress } from './email.ts'
import { endpoint } from './endpoint.ts'
import { signInResult } from './second-factor.ts'

/** Identity providers that redirect the browser back with a code and a state. */
export const OAUTH_PROVIDERS = ['github', 'oidc', 'lark'] as const

export type OAuthProvider = (typeof OAUTH_PROVIDERS)[number]

/** Display names of identity providers, by the user field that stores the identity. */
export const IDENTITY_NAMES = {
  github_id: { en: 'GitHub', zh: 'GitHub' },
  oidc_id: { en: 'OIDC', zh: 'OIDC' },
  lark_id: { en: 'Lark', zh: '飞书' },
  wechat_id: { en: 'WeChat', zh: '微信' },
} as const satisfies Record<string, InBoth>

/** The response message when a callback bound an identity instead of logging in. */
export const BIND_MESSAGE = 'bind'

const code = z.string().trim().min(1).max(2048)

/** A missing state parses as empty and is then rejected like a wrong one. */
const callbackQuery = z.object({
  code: z.string().trim().max(2048).default(''),
  state: z.string().max(512).default(''),
})

/** Logs in, or, with a session, binds the identity to the caller's account and returns no data. */
const callback = {
  query: callbackQuery,
  data: signInResult.optional(),
  changesState: true,
} as const

export const oauthEndpoints = {
  /** Creates a state for clients that build the authorization URL themselves. */
  createOAuthState: endpoint('GET', '/api/oauth/state', 'public', {
    data: z.string(),
    changesState: true,
  }),
  /** Returns the authorization URL to open. This flow is also protected by PKCE. */
  startOAuth: endpoint('GET', '/api/oauth/start', 'public', {
    query: z.object({ provider: z.enum(OAUTH_PROVIDERS) }),
    data: z.string(),
    changesState: true,
  }),
  signInByGitHub: endpoint('GET', '/api/oauth/github', 'public', callback),
  signInByOidc: endpoint('GET', '/api/oauth/oidc', 'public', callback),
  signInByLark: endpoint('GET', '/api/oauth/lark', 'public', callback),
  signInByWeChat: endpoint('GET', '/api/oauth/wechat', 'public', {
    query: z.object({ code }),
    data: signInResult,
    changesState: true,
  }),
  bindWeChat: endpoint('GET', '/api/oauth/wechat/bind', 'user', {
    query: z.object({ code }),
    changesState: true,
    confirmed: true,
    sessionOnly: true,
  }),
  bindEmail: endpoint('GET', '/api/oauth/email/bind', 'user', {
    query: z.object({ email: emailAddress, code }),
    changesState: true,
    confirmed: true,
    sessionOnly: true,
  }),
} as const
