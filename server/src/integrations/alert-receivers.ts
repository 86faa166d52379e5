import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { AlertReceiver, OptionValues } from '@tollgate/contract'
import { type JsonClient, JsonClientError, type JsonResponse } from './json-client.ts'

export type ReceiverOptions = Pick<
  OptionValues,
  | 'AlertWebhookAddress'
  | 'AlertWebhookSecret'
  | 'AlertFeishuAddress'
  | 'AlertFeishuSecret'
  | 'AlertTelegramToken'
  | 'AlertTelegramChat'
>

export type AlertNotice = {
  /** Unique, so that a receiver can leave out repetitions. */
  readonly id: number
  readonly createdAt: number
  /** Such as `channel-alert`. */
  readonly type: string
  readonly subject: string
  readonly text: string
  /** Empty without an address of the console. */
  readonly url: string
}

export type ReceiverDeps = {
  readonly ask: JsonClient
  /** The address of the Telegram Bot API has no trailing slash. */
  readonly env: { readonly TELEGRAM_ADDRESS: string }
  /** Epoch milliseconds. */
  readonly now: () => number
}

const REASON_LENGTH_MAX = 200
/** Telegram's limit of a message. */
const TELEGRAM_LENGTH_MAX = 4096

export function isReceiverSetUp(receiver: AlertReceiver, options: ReceiverOptions): boolean {
  switch (receiver) {
    case 'webhook':
      return options.AlertWebhookAddress !== ''
    case 'feishu':
      return options.AlertFeishuAddress !== ''
    case 'telegram':
      return options.AlertTelegramToken !== '' && options.AlertTelegramChat !== ''
  }
}

/** Returns why the receiver did not accept the alert, without secrets, or null on success. */
export async function sendNotice(
  deps: ReceiverDeps,
  options: ReceiverOptions,
  { receiver, notice }: { receiver: AlertReceiver; notice: AlertNotice },
): Promise<string | null> {
  try {
    switch (receiver) {
      case 'webhook':
        return await callWebhook(deps, options, notice)
      case 'feishu':
        return await callFeishu(deps, options, notice)
      case 'telegram':
        return await callTelegram(deps, options, notice)
    }
  } catch (error) {
    if (error instanceof JsonClientError) return error.message
    throw error
  }
}

/** The signature is that of timestamp, a dot and the body, as hexadecimal HMAC-SHA256. */
async function callWebhook(
  { ask, now }: ReceiverDeps,
  { AlertWebhookAddress: url, AlertWebhookSecret: secret }: ReceiverOptions,
  { id, createdAt, type, subject, text, url: page }: AlertNotice,
): Promise<string | null> {
  const body = { id, created_at: createdAt, type, subject, text, url: page }
  const timestamp = secondsOf(now)
  const signed = createHmac('sha256', secret)
    .update(`${timestamp}.${JSON.stringify(body)}`)
    .digest('hex')
  const headers = {
    'x-tollgate-timestamp': timestamp,
    ...(secret !== '' && { 'x-tollgate-signature': `sha256=${signed}` }),
  }
  const { status } = await ask({ method: 'POST', url, headers, body, readsAnswer: false })
  return status >= 200 && status < 300 ? null : `HTTP ${status}`
}

const feishuAnswer = z.object({ code: z.int(), msg: z.string().catch('') })

/**
 * A custom bot of Feishu or Lark. The key of its signature is the text, and the content is empty:
 * https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
 */
async function callFeishu(
  { ask, now }: ReceiverDeps,
  { AlertFeishuAddress: url, AlertFeishuSecret: secret }: ReceiverOptions,
  notice: AlertNotice,
): Promise<string | null> {
  const timestamp = secondsOf(now)
  const sign = createHmac('sha256', `${timestamp}\n${secret}`).digest('base64')
  const response = await ask({
    method: 'POST',
    url,
    body: {
      ...(secret !== '' && { timestamp, sign }),
      msg_type: 'text',
      content: { text: plainText(notice) },
    },
  })
  const answer = feishuAnswer.safeParse(response.json)
  if (!answer.success) return unreadable(response)
  return answer.data.code === 0 ? null : reasonOf(answer.data.msg, secret)
}

const telegramAnswer = z.object({ ok: z.boolean(), description: z.string().catch('') })

/** https://core.telegram.org/bots/api#sendmessage */
async function callTelegram(
  { ask, env }: ReceiverDeps,
  { AlertTelegramToken: token, AlertTelegramChat: chat }: ReceiverOptions,
  notice: AlertNotice,
): Promise<string | null> {
  const response = await ask({
    method: 'POST',
    url: `${env.TELEGRAM_ADDRESS}/bot${token}/sendMessage`,
    body: {
      chat_id: chat,
      text: textWithin(notice, TELEGRAM_LENGTH_MAX),
      link_preview_options: { is_disabled: true },
    },
  })
  const answer = telegramAnswer.safeParse(response.json)
  if (!answer.success) return unreadable(response)
  return answer.data.ok ? null : reasonOf(answer.data.description, token)
}

const plainText = ({ subject, text, url }: AlertNotice) =>
  [subject, text, url].filter((part) => part !== '').join('\n\n')

/** Shortens the text, but neither the address nor a character of two units. */
function textWithin(notice: AlertNotice, lengthMax: number): string {
  const excess = plainText(notice).length - lengthMax
  if (excess <= 0) return plainText(notice)
  const kept = notice.text.slice(0, Math.max(0, notice.text.length - excess - 1))
  // Half of a character would make Telegram refuse the whole message.
  const whole = kept.replace(/[\uD800-\uDBFF]$/, '')
  return plainText({ ...notice, text: `${whole}…` }).slice(0, lengthMax)
}

const secondsOf = (now: () => number) => String(Math.floor(now() / 1000))

const unreadable = ({ status }: JsonResponse) => `HTTP ${status} in a form that cannot be read`

function reasonOf(message: string, secret: string): string {
  const redacted = secret === '' ? message : message.replaceAll(secret, '***')
  return redacted === '' ? 'refused without a reason' : redacted.slice(0, REASON_LENGTH_MAX)
}
