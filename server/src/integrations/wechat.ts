import { z } from 'zod'
import type { Ask } from './ask.ts'
import { type Identity, refusal } from './identity.ts'

export type WeChat = { address: string; token: string }

const answerSchema = z.object({ success: z.literal(true), data: z.string().min(1).max(100) })

/** The code is what the official account told its follower. */
export async function readWeChatIdentity(
  ask: Ask,
  { address, token }: WeChat,
  code: string,
): Promise<Identity> {
  const { status, json } = await ask({
    method: 'GET',
    url: `${address}/api/wechat/user?code=${encodeURIComponent(code)}`,
    headers: { authorization: token },
  })
  const answer = answerSchema.safeParse(json)
  if (status !== 200 || !answer.success) throw refusal(status, undefined)
  return { id: answer.data.data, username: '', display_name: 'WeChat User', email: '' }
}
