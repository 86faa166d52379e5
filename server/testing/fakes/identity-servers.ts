import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type HttpsAnswer, type HttpsRequest, openHttpsServer } from './https-server.ts'

/** Shared by all identity servers of the tests. The secrets must never appear in any output. */
export const CLIENT = { id: 'client-of-tests', secret: 'client-secret-of-tests-1f6e' }
export const WECHAT_TOKEN = 'wechat-token-of-tests-77aa'

/** A user with an account at the identity provider. */
export type Resident = { id: string; name?: string; claims?: Record<string, unknown> }

type Grant = {
  resident: Resident
  challenge: string | null
  nonce: string | null
  uri: string | null
}

const newSecret = (kind: string) => `${kind}-${randomBytes(12).toString('hex')}`

/** Authorization codes, which identity servers share. Each code works once. */
export function createGrants() {
  const grants = new Map<string, Grant>()
  const residents = new Map<string, Resident>()
  return {
    /** Grants the request of the authorization page `url`; returns what the browser brings back. */
    allow: (url: string, resident: Resident) => {
      const query = new URL(url).searchParams
      if (query.get('client_id') !== CLIENT.id) throw new Error(`wrong client in ${url}`)
      const code = newSecret('code')
      grants.set(code, {
        resident,
        challenge: query.get('code_challenge'),
        nonce: query.get('nonce'),
        uri: query.get('redirect_uri'),
      })
      return { code, state: query.get('state') ?? '' }
    },
    /**
     * Redeems a code for a token, or returns the name of the error. The code is consumed either
     * way.
     */
    redeem: (given: Record<string, unknown>) => {
      const grant = grants.get(String(given['code']))
      grants.delete(String(given['code']))
      if (!grant || !isProven(grant, given)) return 'invalid_grant'
      if (grant.uri !== null && grant.uri !== given['redirect_uri']) return 'invalid_grant'
      if (given['client_id'] !== CLIENT.id || given['client_secret'] !== CLIENT.secret) {
        return 'invalid_client'
      }
      const access_token = newSecret('access')
      residents.set(access_token, grant.resident)
      return { access_token, grant }
    },
    whose: ({ headers }: HttpsRequest) =>
      residents.get((headers.authorization ?? '').replace(/^Bearer /, '')),
  }
}

function isProven({ challenge }: Grant, { code_verifier }: Record<string, unknown>): boolean {
  if (challenge === null) return code_verifier === undefined
  const hash = createHash('sha256').update(String(code_verifier)).digest('base64url')
  return hash === challenge
}

const objectSchema = z.record(z.string(), z.unknown())
const readJson = ({ body }: HttpsRequest) => objectSchema.parse(JSON.parse(body))

const refused: HttpsAnswer = { status: 401, body: { message: 'Bad credentials' } }

/** GitHub: the token endpoint reports errors with status 200, and ids are numbers. */
export async function openGitHubServer() {
  const grants = createGrants()
  const server = await openHttpsServer()
  const restore = () => {
    server.route('/login/oauth/access_token', (request) => {
      const outcome = grants.redeem(readJson(request))
      if (typeof outcome !== 'string') {
        return { body: { access_token: outcome.access_token, token_type: 'bearer', scope: '' } }
      }
      const error = outcome === 'invalid_grant' ? 'bad_verification_code' : outcome
      return { body: { error, error_description: `no: ${request.body}` } }
    })
    server.route('/user', (request) => {
      const resident = grants.whose(request)
      if (!resident) return refused
      const { id, name, claims } = resident
      return {
        body: { id: Number(id), login: `login${id}`, name, email: 'public@example.com', ...claims },
      }
    })
  }
  restore()
  return { ...server, ...grants, restore }
}

/** Lark, following its documentation of version 2 of the token exchange. */
export async function openLarkServer() {
  const grants = createGrants()
  const server = await openHttpsServer()
  const restore = () => {
    server.route('/open-apis/authen/v2/oauth/token', (request) => {
      const outcome = grants.redeem(readJson(request))
      if (typeof outcome === 'string') {
        return { status: 400, body: { code: 20003, error: outcome, error_description: 'no' } }
      }
      return { body: { code: 0, access_token: outcome.access_token, expires_in: 7200 } }
    })
    server.route('/open-apis/authen/v1/user_info', (request) => {
      const resident = grants.whose(request)
      if (!resident) return { status: 400, body: { code: 20005, msg: 'invalid access token' } }
      const { id: open_id, name, claims } = resident
      return { body: { code: 0, msg: 'success', data: { open_id, name, ...claims } } }
    })
  }
  restore()
  return { ...server, ...grants, restore }
}

/** The server of a WeChat official account, which exchanges a code for the follower's id. */
export async function openWeChatServer() {
  const followers = new Map<string, string>()
  const server = await openHttpsServer({
    '/api/wechat/user': ({ headers, query }) => {
      if (headers.authorization !== WECHAT_TOKEN) {
        return { status: 200, body: { success: false, message: 'no such token' } }
      }
      const code = query.get('code') ?? ''
      const data = followers.get(code)
      followers.delete(code)
      if (data === undefined) return { body: { success: false, message: 'wrong code', data: '' } }
      return { body: { success: true, message: '', data } }
    },
  })
  return {
    ...server,
    /** The code that the official account sends to the follower. */
    tellCode: (follower: string) => {
      const code = newSecret('code')
      followers.set(code, follower)
      return code
    },
  }
}
