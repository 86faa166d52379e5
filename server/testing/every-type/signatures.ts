import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import type { Received } from './received.ts'

/*
 * Recomputes the signatures of three providers from the received request, following the providers'
 * documentation and sharing no code with the signer.
 */

const MINUTES_5_SECONDS = 300

/** Tencent, "Signature method v3". A proxied request is signed for the provider's host. */
export function isSignedByTencent(secret: { id: string; key: string }): Check {
  return ({ headers, body }) => {
    const told = /^TC3-HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/
    const [, id, scope = '', names = '', signature] = told.exec(headers.authorization ?? '') ?? []
    const timestamp = Number(headers['x-tc-timestamp'])
    const date = new Date(timestamp * 1000).toISOString().slice(0, 10)
    const signed: Received['headers'] = {
      ...headers,
      host: 'hunyuan.tencentcloudapi.com',
      'x-tc-action': String(headers['x-tc-action']).toLowerCase(),
    }
    const lines = names.split(';').map((name) => `${name}:${String(signed[name])}\n`)
    const canonical = `POST\n/\n\n${lines.join('')}\n${names}\n${sha256(body)}`
    const text = `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256(canonical)}`
    const signingKey = ['hunyuan', 'tc3_request'].reduce(
      (key: Buffer, part) => hmac(key, part),
      hmac(`TC3${secret.key}`, date),
    )
    return (
      id === secret.id &&
      scope === `${date}/hunyuan/tc3_request` &&
      isNow(timestamp) &&
      headers['x-tc-version'] === '2023-09-01' &&
      signature === hmac(signingKey, text).toString('hex')
    )
  }
}

/** Zhipu, "HTTP API calls": a JSON web token with `sign_type` SIGN and times in milliseconds. */
export function isSignedByZhipu({ id, secret }: { id: string; secret: string }): Check {
  return ({ headers }) => {
    const [, token = ''] = (headers.authorization ?? '').split('Bearer ')
    const [head = '', payload = '', signature] = token.split('.')
    const { alg, sign_type } = readJson(head)
    const { api_key, exp, timestamp } = readJson(payload)
    return (
      alg === 'HS256' &&
      sign_type === 'SIGN' &&
      api_key === id &&
      Number(exp) > Date.now() &&
      isNow(Number(timestamp) / 1000) &&
      signature === hmac(secret, `${head}.${payload}`).toString('base64url')
    )
  }
}

/** iFlytek, "General URL authentication". */
export function isSignedBySpark({ id, secret }: { id: string; secret: string }): Check {
  return ({ path, headers }) => {
    const { pathname, searchParams } = new URL(path, 'http://stand')
    const [authorization = '', date = '', host = ''] = ['authorization', 'date', 'host'].map(
      (name) => searchParams.get(name) ?? '',
    )
    const signed = `host: ${headers.host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`
    const signature = hmac(secret, signed).toString('base64')
    return (
      host === headers.host &&
      isNow(Date.parse(date) / 1000) &&
      Buffer.from(authorization, 'base64').toString() ===
        `api_key="${id}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`
    )
  }
}

type Check = (received: Received) => boolean

const isNow = (seconds: number) => Math.abs(Date.now() / 1000 - seconds) < MINUTES_5_SECONDS

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex')
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest()
const members = z.record(z.string(), z.unknown())
const readJson = (part: string) =>
  members.parse(JSON.parse(Buffer.from(part, 'base64url').toString()))
