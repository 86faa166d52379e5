import { z } from 'zod'
import { type JsonClient, JsonClientError } from './json-client.ts'

export type HumanCheck = {
  /** Address of the verification server, without a trailing slash. */
  server: string
  secret: string
  /** The browser's token; valid for one verification. */
  response: string
  /** The browser's IP address. */
  address: string
}

const verdict = z.object({
  success: z.boolean(),
  'error-codes': z.array(z.string().max(100)).max(20).catch([]).default([]),
})

/** Error codes without a verdict: our secret is wrong, or the server failed. */
const NO_VERDICT = /^(?:missing-input-secret|invalid-input-secret|bad-request|internal-error)$/

/**
 * Asks Turnstile whether a person uses the browser. Throws AskError if there is no verdict.
 * https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
 */
export async function isHuman(ask: JsonClient, check: HumanCheck): Promise<boolean> {
  const { server, secret, response, address } = check
  const { status, json } = await ask({
    method: 'POST',
    url: `${server}/turnstile/v0/siteverify`,
    body: new URLSearchParams({ secret, response, remoteip: address }),
  })
  const read = verdict.safeParse(json)
  if (!read.success) {
    const en = `an unexpected answer with status ${status}`
    throw new JsonClientError({ en, zh: `返回内容无法识别（HTTP ${status}）` })
  }
  const errorCode = read.data['error-codes'].find((code) => NO_VERDICT.test(code))
  if (!read.data.success && errorCode !== undefined)
    throw new JsonClientError({ en: errorCode, zh: errorCode })
  return read.data.success
}
