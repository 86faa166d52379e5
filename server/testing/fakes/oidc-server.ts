import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { z } from 'zod'
import type { HttpsRequest } from './https-server.ts'
import { openHttpsServer } from './https-server.ts'
import { CLIENT, createGrants } from './identity-servers.ts'

const KEY_ID = 'key-1'
const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

type Faults = {
  /** Overrides claims of the id_token; undefined removes a claim. */
  idToken?: Record<string, unknown>
  /** Signs with a key that is not published. */
  strangeKey?: boolean
}

/** An OpenID Connect server with discovery, ES256, PKCE and user info. */
export async function openOidcServer({ auth = 'client_secret_post' } = {}) {
  const grants = createGrants()
  const server = await openHttpsServer()
  const keys = newKeys()
  const strangeKeys = newKeys()
  const faults: { now: Faults } = { now: {} }
  const issuer = server.url

  /** Publishes the endpoints, some of them elsewhere. */
  const publish = (changes: object = {}) =>
    server.route('/.well-known/openid-configuration', {
      body: {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ['ES256'],
        token_endpoint_auth_methods_supported: [auth],
        authorization_response_iss_parameter_supported: true,
        ...changes,
      },
    })
  const restore = () => {
    faults.now = {}
    publish()
    const jwk = { ...keys.publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'ES256' }
    server.route('/jwks', { body: { keys: [{ ...jwk, use: 'sig' }] } })
    server.route('/token', (request) => {
      const outcome = grants.redeem(readForm(request, auth))
      if (typeof outcome === 'string') return { status: 400, body: { error: outcome } }
      const { access_token, grant } = outcome
      const now = Math.floor(Date.now() / 1000)
      const claims = {
        iss: issuer,
        aud: CLIENT.id,
        sub: grant.resident.id,
        iat: now,
        exp: now + 300,
        ...(grant.nonce !== null && { nonce: grant.nonce }),
        ...faults.now.idToken,
      }
      const key = faults.now.strangeKey ? strangeKeys.privateKey : keys.privateKey
      const id_token = signToken(claims, key)
      return { body: { access_token, token_type: 'Bearer', expires_in: 300, id_token } }
    })
    server.route('/userinfo', (request) => {
      const resident = grants.whose(request)
      if (!resident) return { status: 401, body: { error: 'invalid_token' } }
      const { id: sub, name, claims } = resident
      return { body: { sub, name, ...claims } }
    })
  }
  restore()
  return {
    ...server,
    ...grants,
    issuer,
    publish,
    restore,
    misbehave: (now: Faults) => void (faults.now = now),
  }
}

function readForm({ headers, body }: HttpsRequest, auth: string): Record<string, unknown> {
  const form = Object.fromEntries(new URLSearchParams(body))
  if (auth !== 'client_secret_basic') return form
  const basic = z
    .string()
    .parse(headers.authorization)
    .replace(/^Basic /, '')
  const [id, secret] = Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
  return { ...form, client_id: id, client_secret: secret }
}

function signToken(claims: Record<string, unknown>, key: KeyObject): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode({ alg: 'ES256', kid: KEY_ID, typ: 'JWT' })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}
