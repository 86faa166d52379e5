import { createHash, createHmac } from 'node:crypto'
import { headerText } from '../../addresses/upstream-request.ts'

export type Secret = { readonly id: string; readonly key: string }

const HOST = 'hunyuan.tencentcloudapi.com'
const SERVICE = 'hunyuan'
const VERSION = '2023-09-01'
const SIGNED_HEADERS = 'content-type;host;x-tc-action'

/**
 * Headers that sign a POST of JSON (TC3-HMAC-SHA256); the body is signed byte for byte. A request
 * through a proxy is signed for Tencent's host. `now` is in epoch milliseconds.
 */
export function signature(request: {
  secret: Secret
  url: string
  action: string
  body: Buffer
  now: number
}): Record<string, string> {
  const { secret, url, action, body, now } = request
  const seconds = String(Math.floor(now / 1000))
  const date = new Date(now).toISOString().slice(0, 10)
  const scope = `${date}/${SERVICE}/tc3_request`
  const canonical = [
    'POST',
    '/',
    '',
    'content-type:application/json',
    `host:${signedHost(url)}`,
    `x-tc-action:${action.toLowerCase()}`,
    '',
    SIGNED_HEADERS,
    sha256(body),
  ].join('\n')
  const text = ['TC3-HMAC-SHA256', seconds, scope, sha256(canonical)].join('\n')
  const dateKey = hmac(`TC3${secret.key}`, date)
  const signingKey = hmac(hmac(dateKey, SERVICE), 'tc3_request')
  const credential = `Credential=${headerText(secret.id)}/${scope}`
  const signed = hmac(signingKey, text).toString('hex')
  return {
    authorization: `TC3-HMAC-SHA256 ${credential}, SignedHeaders=${SIGNED_HEADERS}, Signature=${signed}`,
    'x-tc-action': action,
    'x-tc-version': VERSION,
    'x-tc-timestamp': seconds,
  }
}

function signedHost(url: string): string {
  const host = URL.canParse(url) ? new URL(url).host : HOST
  return host.endsWith('.tencentcloudapi.com') ? host : HOST
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()
