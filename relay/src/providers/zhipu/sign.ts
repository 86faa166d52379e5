import { createHmac } from 'node:crypto'
import { bearer } from '../../addresses/upstream-request.ts'
import { MalformedKey } from '../../form/codec-errors.ts'

/** Token lifetime in the provider's SDK. */
const TOKEN_MS = 210_000
const HEADER = '{"alg":"HS256","sign_type":"SIGN"}'

/**
 * A key of the form `id.secret` signs a token and is never sent. Any other key (a ready-made token,
 * a reseller's key) is sent unchanged. `now` is in epoch milliseconds. Throws `MalformedKey`.
 */
export function authorizationOf(key: string, now: number): string {
  const trimmed = key.trim()
  if (trimmed === '') throw new MalformedKey('id.secret')
  const [id = '', secret = '', ...more] = trimmed.split('.')
  const isPair = id !== '' && secret !== '' && more.length === 0
  return bearer(isPair ? tokenOf(id, secret, now) : trimmed).authorization
}

function tokenOf(id: string, secret: string, now: number): string {
  const payload = JSON.stringify({ api_key: id, exp: now + TOKEN_MS, timestamp: now })
  const signed = `${base64url(HEADER)}.${base64url(payload)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

const base64url = (text: string) => Buffer.from(text).toString('base64url')
