import { errorText, isAdmin, type OptionValues } from '@tollgate/contract'
import { isReceiverSetUp, sendNotice } from '../integrations/alert-receivers.ts'
import type { JsonClient } from '../integrations/json-client.ts'
import { letterOf, type MailContent } from '../integrations/mail-texts.ts'
import {
  isMailConfigured,
  MAIL_RULES,
  MailError,
  type MailRules,
  sendMail,
} from '../integrations/mail.ts'
import { isPusherConfigured, pushMessage } from '../integrations/message-pusher.ts'
import { consolePageOf, readAlert } from '../integrations/stored-alert.ts'
import type { Outgoing } from '../network/outgoing.ts'
import type { Secrets } from '../secrets.ts'
import { listUnconfirmed } from '../settings/confirmation.ts'
import { consoleAddress } from '../settings/console-address.ts'
import { findIdentityBlock } from '../settings/identity-ways.ts'
import { titlesOf } from '../settings/present-option.ts'
import type { Settings } from '../settings/settings.ts'
import { findAlert } from '../store/alerts.ts'
import type { Database } from '../store/database.ts'
import { findMailAddress, listRootAddresses } from '../store/mail-addresses.ts'
import { findUserByEmail } from '../store/users.ts'
import type { AlertMessage, Message } from '../text/message.ts'
import { reminderLink, reminderLinkText } from '../text/reminder-link.ts'

export type DeliverDeps = {
  database: Database
  settings: Settings
  secrets: Pick<Secrets, 'openMessage' | 'signReminder'>
  ask: JsonClient
  outgoing: Outgoing
  env: { readonly TELEGRAM_ADDRESS: string }
  /** Epoch milliseconds. */
  now: () => number
  mailRules?: MailRules
}

/** The outcome of one attempt. A reason contains neither an address nor a code. */
export type DeliveryResult =
  | { type: 'sent' }
  /** There is no recipient, or nothing to report. */
  | { type: 'needless' }
  | { type: 'failed'; reason: string; isFinal: boolean }

type Alert = AlertMessage | Extract<MailContent, { type: 'identity-alert' }>

export type DeliveryAttempt = { ageSeconds: number; signal?: AbortSignal | undefined }

const SECONDS_PER_MINUTE = 60

const NO_MAIL_SERVER = {
  type: 'failed',
  reason: 'no mail server is set up',
  isFinal: true,
} as const

export async function deliver(
  deps: DeliverDeps,
  message: Message,
  attempt: DeliveryAttempt,
): Promise<DeliveryResult> {
  switch (message.type) {
    case 'nothing':
      return { type: 'needless' }
    case 'verification':
    case 'reset':
      return deliverSealed(deps, message, attempt)
    case 'identity-alert':
      return alertIdentityChanges(deps, attempt)
    case 'address-in-use':
      return mail(deps, [message.to], message, attempt)
    case 'quota-reminder':
    case 'second-factor':
      return mailOwner(deps, message, attempt)
    case 'alert-copy':
      return copyAlert(deps, message)
    case 'channel-alert':
    case 'price-alert':
    case 'rule-alert':
    case 'test-finished':
      return alert(deps, message, attempt)
  }
}

async function deliverSealed(
  deps: DeliverDeps,
  message: Extract<Message, { type: 'verification' | 'reset' }>,
  attempt: DeliveryAttempt,
): Promise<DeliveryResult> {
  if (attempt.ageSeconds > message.minutes * SECONDS_PER_MINUTE) {
    return { type: 'failed', reason: 'it is no longer valid', isFinal: true }
  }
  const { minutes, language } = message
  const sealed = message.type === 'reset' ? message.link_sealed : message.code_sealed
  const secret = open(deps, sealed)
  if (secret === undefined) {
    return { type: 'failed', reason: 'it was sealed with another key', isFinal: true }
  }
  if (message.type === 'verification') {
    return mail(
      deps,
      [message.to],
      { type: 'verification', code: secret, minutes, language },
      attempt,
    )
  }
  // Read together, so that the mail is sent with the settings that were checked.
  const options = deps.settings.current()
  const version = deps.settings.versionOf('reset_mail')
  const reason = await whyHeldBack(deps.database.kysely, { email: message.to, version })
  if (reason !== null) return { type: 'failed', reason, isFinal: false }
  const content = { type: 'reset', link: secret, minutes, language } as const
  return mail(deps, [message.to], content, attempt, options)
}

/**
 * A mail server that root has not confirmed must not receive a link that opens an administrator's
 * account.
 */
async function whyHeldBack(
  db: Database['kysely'],
  { email, version }: { email: string; version: number },
): Promise<string | null> {
  const user = await findUserByEmail(db, email)
  if (user === undefined || !isAdmin(user.role)) return null
  const block = await findIdentityBlock(db, { way: 'reset_mail', version })
  return block && errorText(block.code, block.params, 'en')
}

function open({ secrets }: DeliverDeps, sealed: string): string | undefined {
  try {
    return secrets.openMessage(sealed)
  } catch {
    return undefined
  }
}

async function mailOwner(
  deps: DeliverDeps,
  message: Extract<Message, { type: 'quota-reminder' | 'second-factor' }>,
  attempt: DeliveryAttempt,
): Promise<DeliveryResult> {
  if (!isMailConfigured(deps.settings.current())) return { type: 'needless' }
  const address = await findMailAddress(deps.database.kysely, message.user_id)
  if (address === undefined) return { type: 'needless' }
  return mail(deps, [address], contentOf(deps, message, address), attempt)
}

function contentOf(
  { secrets, settings }: DeliverDeps,
  message: Extract<Message, { type: 'quota-reminder' | 'second-factor' }>,
  email: string,
): MailContent {
  if (message.type !== 'quota-reminder') return message
  const console = consoleAddress(settings.current())
  const signature = secrets.signReminder(reminderLinkText(message.user_id, email))
  const stop = console === '' ? '' : reminderLink(console, message.user_id, signature)
  return { ...message, stop }
}

/**
 * Sends by the message pusher. Mails root if the pusher fails or is not configured, or if
 * `alsoMails` is set.
 */
async function alert(
  deps: DeliverDeps,
  content: Alert,
  attempt: DeliveryAttempt,
  { alsoMails = false } = {},
): Promise<DeliveryResult> {
  const options = deps.settings.current()
  const hasPusher = isPusherConfigured(options)
  const refused = hasPusher ? await push(deps.ask, options, content) : ''
  if (refused === null && !alsoMails) return { type: 'sent' }
  const result = await mailRoot(deps, content, attempt)
  if (result.type !== 'failed') return result
  if (refused === null) return result.isFinal ? { type: 'sent' } : result
  const pusher = hasPusher ? `message pusher: ${refused}` : 'no message pusher is set up'
  // A pusher that fails now may succeed in the next attempt.
  return { ...result, reason: `${pusher}; ${result.reason}`, isFinal: result.isFinal && !hasPusher }
}

async function copyAlert(
  deps: DeliverDeps,
  { receiver, alert_id }: Extract<Message, { type: 'alert-copy' }>,
): Promise<DeliveryResult> {
  const options = deps.settings.current()
  const stored = await findAlert(deps.database.kysely, alert_id)
  const content = stored && readAlert(stored)
  if (!content || !isReceiverSetUp(receiver, options)) return { type: 'needless' }
  const { subject, text } = letterOf(content, options)
  const { id, created_at: createdAt } = stored
  const url = pageAddress(content, options)
  const notice = { id, createdAt, type: content.type, subject, text, url }
  const refused = await sendNotice(deps, options, { receiver, notice })
  if (refused === null) return { type: 'sent' }
  return { type: 'failed', reason: `${receiver}: ${refused}`, isFinal: false }
}

/** Sent both ways, because whoever changed these options may have changed one of the ways too. */
async function alertIdentityChanges(
  deps: DeliverDeps,
  attempt: DeliveryAttempt,
): Promise<DeliveryResult> {
  const waiting = await listUnconfirmed(deps.database.kysely)
  if (waiting.length === 0) return { type: 'needless' }
  const content: Alert = {
    type: 'identity-alert',
    options: titlesOf(waiting.map(({ key }) => key)),
    actors: [...new Set(waiting.map(({ actor_name }) => actor_name))].join(', '),
  }
  return alert(deps, content, attempt, { alsoMails: true })
}

async function mailRoot(
  deps: DeliverDeps,
  content: Alert,
  attempt: DeliveryAttempt,
): Promise<DeliveryResult> {
  const addresses = await listRootAddresses(deps.database.kysely)
  if (addresses.length > 0) return mail(deps, addresses, content, attempt)
  return { type: 'failed', reason: 'root has no email address', isFinal: true }
}

async function push(
  ask: JsonClient,
  options: OptionValues,
  content: Alert,
): Promise<string | null> {
  const { subject: title, text } = letterOf(content, options)
  // The address may be what the alert warns about.
  const url = content.type === 'identity-alert' ? '' : pageAddress(content, options)
  return pushMessage(ask, options, { title, text, url })
}

/** Empty without an address of the console. */
function pageAddress(content: AlertMessage, options: OptionValues): string {
  const address = consoleAddress(options)
  return address === '' ? '' : `${address}/${consolePageOf(content)}`
}

async function mail(
  { settings, outgoing, mailRules = MAIL_RULES }: DeliverDeps,
  to: readonly string[],
  content: MailContent,
  { signal }: DeliveryAttempt,
  options = settings.current(),
): Promise<DeliveryResult> {
  if (!isMailConfigured(options)) return NO_MAIL_SERVER
  try {
    const letter = { to, ...letterOf(content, options) }
    await sendMail(options, letter, { outgoing, rules: mailRules, signal })
    return { type: 'sent' }
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    const reason = to.reduce((text, address) => text.replaceAll(address, '***'), error.message)
    return { type: 'failed', reason, isFinal: error.isFinal }
  }
}
