import { createHmac } from 'node:crypto'
import { MalformedKey } from '../../form/codec-errors.ts'
import { spark } from './descriptor.ts'

export type SparkKey = {
  readonly appId: string
  readonly apiSecret: string
  readonly apiKey: string
}

export function readKey(key: string): SparkKey {
  const [appId, apiSecret, apiKey, ...more] = key.split('|').map((part) => part.trim())
  if (!appId || !apiSecret || !apiKey || more.length > 0) throw new MalformedKey(spark.keyFormat)
  return { appId, apiSecret, apiKey }
}

/**
 * The URL with API key, date and signature (iFlytek, "General URL authentication"): HMAC-SHA256
 * over host, date and request line. The signature is valid for five minutes.
 */
export function signedAddress(
  address: URL,
  { apiSecret, apiKey }: Omit<SparkKey, 'appId'>,
  now: number,
): string {
  const { host, pathname } = address
  const date = new Date(now).toUTCString()
  const signingString = `host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`
  const signature = createHmac('sha256', apiSecret).update(signingString).digest('base64')
  const authorization =
    `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", ` +
    `signature="${signature}"`
  const signed = new URL(address)
  signed.searchParams.set('authorization', Buffer.from(authorization).toString('base64'))
  signed.searchParams.set('date', date)
  signed.searchParams.set('host', host)
  return signed.href
}
