import {
  addressPart,
  versionedAddress,
  jsonHeaders,
  withQuery,
} from '../../addresses/upstream-request.ts'
import { jsonIn } from '../../bytes/json-parse.ts'
import { member } from '../../bytes/json-value.ts'
import { MalformedKey } from '../../form/codec-errors.ts'
import type { KeyExchange } from '../../wires/provider-codec.ts'
import { baidu } from './descriptor.ts'

/** A token is stored with its query parameter, which distinguishes it from a key. */
const CARRIER = 'access_token='
/** A token lasts about 30 days and is not used in its last hour. */
const SPARE_SECONDS = 3600

const isSecondVersionKey = (key: string) => key.trim().startsWith('bce-v3/')
export const hasToken = (key: string) => key.startsWith(CARRIER)

export const tokenExchange: KeyExchange = {
  isNeeded: (key) => key.includes('|') && !isSecondVersionKey(key),
  tokenRequest: ({ baseUrl, key }) => {
    const [id = '', secret = '', ...more] = key.trim().split('|')
    if (id === '' || secret === '' || more.length > 0) throw new MalformedKey(baidu.keyFormat)
    const query = `grant_type=client_credentials&client_id=${addressPart(id)}&client_secret=${addressPart(secret)}`
    const url = versionedAddress(baseUrl || baidu.baseUrl, '', '/oauth/2.0/token')
    return { url: withQuery(url, query), headers: jsonHeaders(false), body: Buffer.alloc(0) }
  },
  readToken: (body, now) => {
    const json = jsonIn(body)
    const token = member(json, 'access_token')
    if (typeof token !== 'string' || token === '' || !token.isWellFormed()) return null
    const given = member(json, 'expires_in')
    const seconds = typeof given === 'number' ? given : 0
    const spare = Math.min(SPARE_SECONDS, seconds / 2)
    const expiresAt = now + (seconds - spare) * 1000
    return { token: CARRIER + encodeURIComponent(token), expiresAt }
  },
}
