import type { OptionValues } from '@tollgate/contract'
import type { Message } from '../domain/message.ts'
import type { Ask } from '../integrations/ask.ts'
import { letterOf, type News } from '../integrations/mail-texts.ts'
import {
  isMailConfigured,
  MAIL_RULES,
  MailError,
  type MailRules,
  sendMail,
} from '../integrations/mail.ts'
import { isPusherConfigured, pushMessage } from '../integrations/message-pusher.ts'
import type { Outgoing } from '../network/outgoing.ts'
import type { Secrets } from '../secrets.ts'
import { consoleAddress } from '../settings/console-address.ts'
import type { Settings } from '../settings/settings.ts'
import type { Database } from '../store/database.ts'
import { findMailAddress, listRootAddresses } from '../store/receivers.ts'

export type DeliverDeps = {
  database: Database
  settings: Settings
  secrets: Pick<Secrets, 'openMessage'>
  ask: Ask
  outgoing: Outgoing
  mailRules?: MailRules
}

/** What became of one try; a reason names neither an address nor a code. */
export type Fate =
  | { type: 'sent' }
  /** There is nobody to tell, or nothing. */
  | { type: 'needless' }
  | { type: 'failed'; reason: string; isFinal: boolean }

type Alert = Extract<News, { type: 'channel-alert' | 'test-finished' }>

export type Trial = { ageSeconds: number; signal?: AbortSignal | undefined }

const SECONDS_PER_MINUTE = 60

const NO_MAIL_SERVER = {
  type: 'failed',
  reason: 'no mail server is set up',
  isFinal: true,
} as const

/** Tries once to tell what a message has to tell. */
export async function deliver(deps: DeliverDeps, message: Message, trial: Trial): Promise<Fate> {
  switch (message.type) {
    case 'nothing':
      return { type: 'needless' }
    case 'verification':
    case 'reset':
      return deliverSealed(deps, message, trial)
    case 'address-in-use':
      return mail(deps, [message.to], message, trial)
    case 'quota-reminder':
    case 'second-factor':
      return mailOwner(deps, message, trial)
    case 'channel-alert':
    case 'test-finished':
      return alert(deps, message, trial)
  }
}

async function deliverSealed(
  deps: DeliverDeps,
  message: Extract<Message, { type: 'verification' | 'reset' }>,
  trial: Trial,
): Promise<Fate> {
  if (trial.ageSeconds > message.minutes * SECONDS_PER_MINUTE) {
    return { type: 'failed', reason: 'it is not valid any more', isFinal: true }
  }
  const { minutes, language } = message
  const sealed = message.type === 'reset' ? message.link_sealed : message.code_sealed
  const secret = open(deps, sealed)
  if (secret === undefined) {
    return { type: 'failed', reason: 'it was sealed with another key', isFinal: true }
  }
  const news: News =
    message.type === 'reset'
      ? { type: 'reset', link: secret, minutes, language }
      : { type: 'verification', code: secret, minutes, language }
  return mail(deps, [message.to], news, trial)
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
  trial: Trial,
): Promise<Fate> {
  if (!isMailConfigured(deps.settings.current())) return { type: 'needless' }
  const address = await findMailAddress(deps.database.kysely, message.user_id)
  return address === undefined ? { type: 'needless' } : mail(deps, [address], message, trial)
}

/** By the message pusher, and where that is of no use by mail to whoever is root. */
async function alert(deps: DeliverDeps, news: Alert, trial: Trial): Promise<Fate> {
  const options = deps.settings.current()
  const hasPusher = isPusherConfigured(options)
  const refused = hasPusher ? await push(deps.ask, options, news) : ''
  if (refused === null) return { type: 'sent' }
  const fate = await mailRoot(deps, news, trial)
  if (fate.type !== 'failed') return fate
  const pusher = hasPusher ? `message pusher: ${refused}` : 'no message pusher is set up'
  // What the pusher does not take now it may take at the next try.
  return { ...fate, reason: `${pusher}; ${fate.reason}`, isFinal: fate.isFinal && !hasPusher }
}

async function mailRoot(deps: DeliverDeps, news: Alert, trial: Trial): Promise<Fate> {
  const addresses = await listRootAddresses(deps.database.kysely)
  if (addresses.length > 0) return mail(deps, addresses, news, trial)
  return { type: 'failed', reason: 'root has no e-mail address', isFinal: true }
}

async function push(ask: Ask, options: OptionValues, news: Alert): Promise<string | null> {
  const { subject: title, text } = letterOf(news, options)
  const address = consoleAddress(options)
  const url = address === '' ? '' : `${address}/channel`
  return pushMessage(ask, options, { title, text, url })
}

async function mail(
  { settings, outgoing, mailRules = MAIL_RULES }: DeliverDeps,
  to: readonly string[],
  news: News,
  { signal }: Trial,
): Promise<Fate> {
  const options = settings.current()
  if (!isMailConfigured(options)) return NO_MAIL_SERVER
  try {
    const letter = { to, ...letterOf(news, options) }
    await sendMail(options, letter, { outgoing, rules: mailRules, signal })
    return { type: 'sent' }
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    const reason = to.reduce((text, address) => text.replaceAll(address, '***'), error.message)
    return { type: 'failed', reason, isFinal: error.isFinal }
  }
}
