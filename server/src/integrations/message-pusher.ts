import { z } from 'zod'
import type { OptionValues } from '@tollgate/contract'
import { type JsonClient, JsonClientError } from './json-client.ts'

export type PusherOptions = Pick<OptionValues, 'MessagePusherAddress' | 'MessagePusherToken'>

export type Push = { title: string; text: string; url: string }

const REASON_LENGTH_MAX = 200

const pushed = z.object({ success: z.boolean(), message: z.string().catch('') })

export const isPusherConfigured = ({ MessagePusherAddress }: PusherOptions) =>
  MessagePusherAddress !== ''

/** Returns the reason why the message was rejected, or null on success. */
export async function pushMessage(
  ask: JsonClient,
  { MessagePusherAddress, MessagePusherToken }: PusherOptions,
  { title, text, url }: Push,
): Promise<string | null> {
  try {
    const { status, json } = await ask({
      method: 'POST',
      url: MessagePusherAddress,
      body: {
        title,
        description: text,
        content: withoutMarkdown(text),
        url,
        channel: '',
        token: MessagePusherToken,
      },
    })
    const answer = pushed.safeParse(json)
    if (!answer.success) return `HTTP ${status} in a form that cannot be read`
    if (answer.data.success) return null
    const { message } = answer.data
    const redacted =
      MessagePusherToken === '' ? message : message.replaceAll(MessagePusherToken, '***')
    return redacted === '' ? 'refused without a reason' : redacted.slice(0, REASON_LENGTH_MAX)
  } catch (error) {
    if (error instanceof JsonClientError) return error.message
    throw error
  }
}

/** The content is rendered as Markdown, and parts of it come from a provider. */
const withoutMarkdown = (text: string) => text.replaceAll(/[\\`*_[\]<>]/g, String.raw`\$&`)
