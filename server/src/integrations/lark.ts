import { z } from 'zod'
import { accessTokenOf, type Callback, type Identity, refusal, tokenAnswer } from './identity.ts'
import type { JsonClient } from './json-client.ts'
import { challengeOf } from './pkce.ts'

export type Lark = {
  address: string
  clientId: string
  clientSecret: string
  redirectUri: string
}

const larkTokenAnswer = tokenAnswer.extend({ code: z.literal(0) })
const userAnswer = z.object({
  code: z.literal(0),
  data: z.object({ open_id: z.string().min(1).max(255), name: z.string().nullish() }),
})

/**
 * According to "Obtain an authorization code", the page is on a different host than the API. A
 * stand-in server serves both.
 */
const pageAddress = (address: string) =>
  address.replace(/^https:\/\/open(?=\.(?:feishu\.cn|larksuite\.com)$)/, 'https://accounts')

export function larkAuthorizeUrl(
  { address, clientId, redirectUri }: Lark,
  { state, verifier }: { state: string; verifier: string },
): string {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    state,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  })
  return `${pageAddress(address)}/open-apis/authen/v1/authorize?${query.toString()}`
}

/** Follows "Get user_access_token" (v2) and "Get user information" of the Lark Open Platform. */
export async function readLarkIdentity(
  ask: JsonClient,
  { address, clientId, clientSecret, redirectUri }: Lark,
  { code, proof }: Callback,
): Promise<Identity> {
  const exchange = await ask({
    method: 'POST',
    url: `${address}/open-apis/authen/v2/oauth/token`,
    body: {
      grant_type: 'authorization_code',
      client_id: clientId,
      client_secret: clientSecret,
      code,
      redirect_uri: redirectUri,
      ...(proof && { code_verifier: proof.verifier }),
    },
  })
  const token = accessTokenOf(exchange, larkTokenAnswer)
  const { status, json } = await ask({
    method: 'GET',
    url: `${address}/open-apis/authen/v1/user_info`,
    headers: { authorization: `Bearer ${token}` },
  })
  const user = userAnswer.safeParse(json)
  if (status !== 200 || !user.success) throw refusal(status, undefined)
  const { open_id, name } = user.data.data
  return { id: open_id, username: '', display_name: name ?? '', email: '' }
}
