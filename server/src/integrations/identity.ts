import { z } from 'zod'
import { type JsonResponse, JsonClientError } from './json-client.ts'

/** A user's account at an identity provider. Only `id` can be trusted. */
export type Identity = {
  /** Always the same person's, even if names change. */
  id: string
  /** A suggested user name; empty if unknown. */
  username: string
  display_name: string
  /** Empty unless the identity provider has verified the address. */
  email: string
}

export type Callback = {
  code: string
  /** Absent if a client built the address itself, and therefore without PKCE and nonce. */
  proof: { verifier: string; nonce: string } | undefined
}

/** RFC 6749 4.1.2.1 and 5.2, RFC 6750 3.1, and GitHub's own codes. */
const KNOWN_ERRORS = new Set([
  'access_denied',
  'bad_verification_code',
  'incorrect_client_credentials',
  'insufficient_scope',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'invalid_token',
  'redirect_uri_mismatch',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
])

const errorAnswer = z.object({ error: z.string() })

export const tokenAnswer = z.object({ access_token: z.string().min(1) })

/** Returns the access token from a token response. Throws an AskError if there is none. */
export function accessTokenOf({ status, json }: JsonResponse, schema = tokenAnswer): string {
  const token = schema.safeParse(json)
  if (status === 200 && token.success) return token.data.access_token
  throw refusal(status, errorAnswer.safeParse(json).data?.error)
}

/** The error has our own text, because the provider's text may repeat the code or a secret. */
export function refusal(status: number, error: unknown): JsonClientError {
  if (typeof error === 'string' && KNOWN_ERRORS.has(error)) {
    return new JsonClientError({ en: `it answered ${error}`, zh: `对方返回 ${error}` })
  }
  if (status >= 300) {
    return new JsonClientError({
      en: `it answered with HTTP ${status}`,
      zh: `对方返回 HTTP ${status}`,
    })
  }
  return noAccountError()
}

export const noAccountError = (): JsonClientError =>
  new JsonClientError({ en: 'its answer names no account', zh: '返回内容中没有账户信息' })
