import { z } from 'zod'
import { type Identity, refusal } from './identity.ts'
import { type JsonClient, JsonClientError } from './json-client.ts'

export type WeChat = { address: string; token: string }

const answerSchema = z.object({ success: z.literal(true), data: z.string().min(1).max(100) })

/** The message is not used, because it may repeat the code. */
const refused = z.object({ success: z.literal(false) })

/** `code` is the one that the official account sent to its follower. */
export async function readWeChatIdentity(
  ask: JsonClient,
  { address, token }: WeChat,
  code: string,
): Promise<Identity> {
  const { status, json } = await ask({
    method: 'GET',
    url: `${address}/api/wechat/user?code=${encodeURIComponent(code)}`,
    headers: { authorization: token },
  })
  if (status === 200 && refused.safeParse(json).success) {
    throw new JsonClientError({
      en: 'its server did not accept the code, which may be wrong or too old',
      zh: '对方服务器未接受该验证码，可能有误或已过期',
    })
  }
  const answer = answerSchema.safeParse(json)
  if (status !== 200 || !answer.success) throw refusal(status, undefined)
  return { id: answer.data.data, username: '', display_name: 'WeChat User', email: '' }
}
