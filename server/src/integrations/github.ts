import { z } from 'zod'
import { accessTokenOf, type Callback, type Identity, refusal } from './identity.ts'
import type { JsonClient } from './json-client.ts'
import { challengeOf } from './pkce.ts'

export type GitHub = {
  address: string
  apiAddress: string
  clientId: string
  clientSecret: string
}

const userAnswer = z.object({
  id: z.int().positive(),
  login: z.string().nullish(),
  name: z.string().nullish(),
})

export function gitHubAuthorizeUrl(
  { address, clientId }: GitHub,
  { state, verifier }: { state: string; verifier: string },
): string {
  const query = new URLSearchParams({
    client_id: clientId,
    scope: 'user:email',
    state,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  })
  return `${address}/login/oauth/authorize?${query.toString()}`
}

/** The numeric id is the identity: a login name can be given up and taken by another person. */
export async function readGitHubIdentity(
  ask: JsonClient,
  { address, apiAddress, clientId, clientSecret }: GitHub,
  { code, proof }: Callback,
): Promise<Identity> {
  const exchange = await ask({
    method: 'POST',
    url: `${address}/login/oauth/access_token`,
    body: {
      client_id: clientId,
      client_secret: clientSecret,
      code,
      ...(proof && { code_verifier: proof.verifier }),
    },
  })
  const token = accessTokenOf(exchange)
  const { status, json } = await ask({
    method: 'GET',
    url: `${apiAddress}/user`,
    headers: { authorization: `Bearer ${token}` },
  })
  const user = userAnswer.safeParse(json)
  if (status !== 200 || !user.success) throw refusal(status, undefined)
  const { id, login, name } = user.data
  // GitHub returns an address here without saying whether it was verified.
  return { id: String(id), username: '', display_name: name || login || '', email: '' }
}
