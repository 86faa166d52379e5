import * as openid from 'openid-client'
import { z } from 'zod'
import { isDiscoveryAddress } from '@tollgate/contract'
import { accessTokenOf, type Callback, type Identity, refusal } from './identity.ts'
import { type JsonClient, JsonClientError } from './json-client.ts'
import { challengeOf } from './pkce.ts'

export type Oidc = {
  clientId: string
  clientSecret: string
  /** The issuer, or its full discovery address. The endpoints are used only if it is empty. */
  wellKnown: string
  authorizationEndpoint: string
  tokenEndpoint: string
  userinfoEndpoint: string
  redirectUri: string
}

export type OidcClient = {
  authorizeUrl: (oidc: Oidc, start: { state: string; proof: Proof }) => Promise<string>
  readIdentity: (oidc: Oidc, callback: Callback) => Promise<Identity>
}

type Proof = NonNullable<Callback['proof']>

const DISCOVERY_FRESH_MS = 60 * 60 * 1000
const SCOPE = 'openid profile email'
const SUBJECT_LENGTH_MAX = 255
const DISCOVERY_PATH = '/.well-known/openid-configuration'
// Deprecated only as a warning; `safeUrl` allows http on loopback only.
// oxlint-disable-next-line typescript/no-deprecated
const allowHttp: (configuration: openid.Configuration) => void = openid.allowInsecureRequests

const claimsSchema = z.object({
  sub: z.string().min(1).max(SUBJECT_LENGTH_MAX),
  preferred_username: z.string().nullish().catch(null),
  name: z.string().nullish().catch(null),
  email: z.string().nullish().catch(null),
  email_verified: z.unknown().optional(),
})

/** OpenID Connect by discovery, or plain OAuth with user info if only endpoints are configured. */
export function createOidcClient(ask: JsonClient, now: () => number): OidcClient {
  const discover = createDiscovery(ask, now)
  return {
    authorizeUrl: async (oidc, { state, proof }) => {
      const parameters = {
        client_id: oidc.clientId,
        response_type: 'code',
        redirect_uri: oidc.redirectUri,
        scope: SCOPE,
        state,
        code_challenge: challengeOf(proof.verifier),
        code_challenge_method: 'S256',
      }
      if (oidc.wellKnown === '') return withQuery(safeUrl(oidc.authorizationEndpoint), parameters)
      const { authorization_endpoint = '' } = (await discover(oidc)).serverMetadata()
      return withQuery(safeUrl(authorization_endpoint), { ...parameters, nonce: proof.nonce })
    },
    readIdentity: async (oidc, callback) =>
      oidc.wellKnown === ''
        ? readByEndpoints(ask, oidc, callback)
        : readByDiscovery(await discover(oidc), oidc, callback),
  }
}

/** Caches the discovery document of one server for an hour. */
function createDiscovery(ask: JsonClient, now: () => number) {
  type Discovered = { key: string; until: number; configuration: Promise<openid.Configuration> }
  let latest: Discovered | undefined
  return (oidc: Oidc): Promise<openid.Configuration> => {
    const key = JSON.stringify([oidc.wellKnown, oidc.clientId, oidc.clientSecret])
    if (latest?.key === key && latest.until > now()) return latest.configuration
    const configuration = fetchConfiguration(ask, oidc)
    const entry = { key, until: now() + DISCOVERY_FRESH_MS, configuration }
    latest = entry
    configuration.catch(() => {
      if (latest === entry) latest = undefined
    })
    return configuration
  }
}

async function fetchConfiguration(ask: JsonClient, oidc: Oidc): Promise<openid.Configuration> {
  const { wellKnown, clientId, clientSecret } = oidc
  const isFullAddress = isDiscoveryAddress(wellKnown)
  return withReadableErrors(async () => {
    const address = safeUrl(isFullAddress ? wellKnown : `${wellKnown}${DISCOVERY_PATH}`)
    const fetchSafely = safeFetch(ask)
    const options = { [openid.customFetch]: fetchSafely, execute: [allowHttp] }
    const found = await openid.discovery(address, clientId, clientSecret, undefined, options)
    const metadata = found.serverMetadata()
    const issuer = wellKnown.replace(/\/\.well-known\/[^/]+/, '')
    if (withoutSlash(metadata.issuer) !== withoutSlash(issuer)) {
      const en = 'its discovery document names another issuer'
      throw new JsonClientError({ en, zh: '发现文档中的 issuer 与配置不一致' })
    }
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = metadata
    const configuration = new openid.Configuration(
      metadata,
      clientId,
      clientSecret,
      methods.includes('client_secret_post')
        ? openid.ClientSecretPost(clientSecret)
        : openid.ClientSecretBasic(clientSecret),
    )
    configuration[openid.customFetch] = fetchSafely
    allowHttp(configuration)
    openid.enableNonRepudiationChecks(configuration)
    return configuration
  })
}

async function readByDiscovery(
  configuration: openid.Configuration,
  { redirectUri }: Oidc,
  { code, proof }: Callback,
): Promise<Identity> {
  return withReadableErrors(async () => {
    const { issuer, userinfo_endpoint } = configuration.serverMetadata()
    // `state` was checked before. There is only one issuer, so the callback need not contain `iss`.
    const callbackUrl = withQuery(new URL(redirectUri), { code, iss: issuer })
    const tokens = await openid.authorizationCodeGrant(configuration, new URL(callbackUrl), {
      idTokenExpected: true,
      ...(proof && { pkceCodeVerifier: proof.verifier, expectedNonce: proof.nonce }),
    })
    const claims = tokens.claims()
    if (!claims)
      throw new JsonClientError({ en: 'it sent no id_token', zh: '对方没有返回 id_token' })
    if (userinfo_endpoint === undefined) return identityOf(issuer, claims)
    const { access_token } = tokens
    return identityOf(issuer, await openid.fetchUserInfo(configuration, access_token, claims.sub))
  })
}

/**
 * Without an issuer an id_token cannot be verified, so the identity comes from the user info, over
 * TLS.
 */
async function readByEndpoints(
  ask: JsonClient,
  oidc: Oidc,
  { code, proof }: Callback,
): Promise<Identity> {
  const exchange = await ask({
    method: 'POST',
    url: safeUrl(oidc.tokenEndpoint).href,
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: oidc.clientId,
      client_secret: oidc.clientSecret,
      code,
      redirect_uri: oidc.redirectUri,
      ...(proof && { code_verifier: proof.verifier }),
    }),
  })
  const token = accessTokenOf(exchange)
  const url = safeUrl(oidc.userinfoEndpoint).href
  const headers = { authorization: `Bearer ${token}` }
  const info = await ask({ method: 'GET', url, headers })
  if (info.status !== 200) throw refusal(info.status, undefined)
  return identityOf(url, info.json)
}

/** A subject is unique only within its issuer, so the issuer's address is part of the identity. */
function identityOf(issuer: string, userInfo: unknown): Identity {
  const claims = claimsSchema.safeParse(userInfo)
  if (!claims.success) throw refusal(200, undefined)
  const { sub, preferred_username, name, email, email_verified } = claims.data
  return {
    id: `${issuer}#${sub}`,
    username: preferred_username ?? '',
    display_name: name || preferred_username || '',
    email: email_verified === true ? (email ?? '') : '',
  }
}

/**
 * Applies the deadline, the size limit, the certificate check and the redirect ban of `JsonClient`.
 */
function safeFetch(ask: JsonClient): openid.CustomFetch {
  return async (url, { method, headers, body }) => {
    if (method !== 'GET' && method !== 'POST') throw new Error(`the library sent ${method}`)
    if (body !== undefined && body !== null && !(body instanceof URLSearchParams)) {
      throw new Error('the library sent another body than a form')
    }
    const { href } = safeUrl(url)
    const { status, json } = await ask({ method, url: href, headers, ...(body && { body }) })
    return Response.json(json, { status })
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

function safeUrl(address: string): URL {
  const url = URL.parse(address)
  if (url?.protocol === 'https:') return url
  if (url?.protocol === 'http:' && LOOPBACK.test(url.hostname)) return url
  const en = 'one of its addresses does not begin with https://'
  throw new JsonClientError({ en, zh: '对方的某个地址不是以 https:// 开头' })
}

function withQuery(url: URL, parameters: Record<string, string>): string {
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '')

/** The library's errors may quote answers that contain tokens, so they are replaced. */
async function withReadableErrors<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw toAskError(error)
  }
}

function toAskError(error: unknown): JsonClientError {
  if (error instanceof JsonClientError) return error
  if (error instanceof openid.ResponseBodyError) return refusal(error.status, error.error)
  if (!(error instanceof Error))
    return new JsonClientError({ en: 'the request failed', zh: '请求失败' })
  if (error.cause instanceof JsonClientError) return error.cause
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const isKnown = /^OAUTH_[A-Z_]+$/.test(code)
  return new JsonClientError({
    en: `its answer is not valid${isKnown ? ` (${code})` : ''}`,
    zh: `返回内容未通过校验${isKnown ? `（${code}）` : ''}`,
  })
}
