import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import ipaddr from 'ipaddr.js'
import type { Language, OptionValues } from '@tollgate/contract'
import type { AddressRefusal } from '../network/address-reach.ts'
import { AddressRefused, createOutgoing, type Outgoing } from '../network/outgoing.ts'

export type MailServer = Pick<
  OptionValues,
  'SMTPServer' | 'SMTPPort' | 'SMTPAccount' | 'SMTPToken' | 'SMTPFrom' | 'SystemName'
>

export type Mail = { to: readonly string[]; subject: string; text: string; html: string }

type Reason = Readonly<Record<Language, string>>

/** The mail was not sent. The reason is one line for an operator and contains no secret. */
export class MailError extends Error {
  override readonly name = 'MailError'
  /** The server will never accept this mail, so a retry is useless. */
  readonly isFinal: boolean
  readonly reason: Reason

  constructor(reason: Reason, { isFinal, cause }: { isFinal: boolean; cause?: unknown }) {
    super(reason.en, cause === undefined ? undefined : { cause })
    this.isFinal = isFinal
    this.reason = reason
  }
}

export type MailRules = {
  /** Limit for the connection, for the greeting, and for each wait for the server. */
  stepMs: number
  totalMs: number
  /** On this port TLS begins with the connection; on all other ports it begins with STARTTLS. */
  implicitTlsPort: number
}

export const MAIL_RULES: MailRules = { stepMs: 10_000, totalMs: 30_000, implicitTlsPort: 465 }

const RESPONSE_BYTES_MAX = 16 * 1024
const REASON_LENGTH_MAX = 300
const ADDRESS_LENGTH_MAX = 254

/** Excludes every character with a meaning in a header or an SMTP command. */
const PLAIN_ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u

export const isMailConfigured = ({ SMTPServer }: MailServer) => SMTPServer !== ''

/**
 * Sends one mail or throws a `MailError`. Always checks certificates, and sends a password to
 * another machine over TLS only.
 */
export async function sendMail(
  server: MailServer,
  mail: Mail,
  {
    rules = MAIL_RULES,
    signal,
    outgoing = createOutgoing(),
  }: { rules?: MailRules; signal?: AbortSignal | undefined; outgoing?: Outgoing } = {},
): Promise<void> {
  const from = senderOf(server)
  const refused = mail.to.find((address) => !isPlainAddress(address))
  if (mail.to.length === 0 || refused !== undefined) {
    const reason = {
      en: 'the recipient is not a valid email address',
      zh: '收件人不是有效的邮箱地址',
    }
    throw new MailError(reason, { isFinal: true })
  }
  const deadline = AbortSignal.timeout(rules.totalMs)
  try {
    // Most processes never send a mail, and the library takes 6 MB.
    const { createTransport } = await import('nodemailer')
    await createTransport(transportOptions(server, outgoing, rules)).sendMail({
      from,
      to: mail.to.map((address) => ({ name: '', address })),
      envelope: { from: from.address, to: [...mail.to] },
      subject: headerText(mail.subject),
      text: mail.text,
      html: mail.html,
      headers: { 'Auto-Submitted': 'auto-generated' },
      xMailer: false,
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
    })
  } catch (error) {
    const { en, zh } = reasonOf(error)
    const reason = { en: withoutSecrets(en, server), zh: withoutSecrets(zh, server) }
    throw new MailError(reason, {
      isFinal: isFinal(error),
      cause: withoutDetail(error),
    })
  }
}

function transportOptions(
  server: MailServer,
  outgoing: Outgoing,
  { stepMs, implicitTlsPort }: MailRules,
) {
  const { SMTPServer: host, SMTPPort: port, SMTPAccount: user, SMTPToken: pass } = server
  const hasLogin = user !== '' && pass !== ''
  const secure = port === implicitTlsPort
  const isNear = isLoopback(host)
  const tls = { rejectUnauthorized: true, minVersion: 'TLSv1.2' as const }
  return {
    host,
    port,
    secure,
    requireTLS: !secure && hasLogin && !isNear,
    // A mail server on the same machine usually has a self-signed certificate.
    ignoreTLS: !secure && !hasLogin && isNear,
    tls,
    ...(hasLogin ? { auth: { user, pass } } : {}),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    maxResponseSize: RESPONSE_BYTES_MAX,
    // nodemailer would resolve names without our lookup, so the connection is made here.
    getSocket: (_options: unknown, callback: GotSocket) => {
      const target = { host, port, lookup: outgoing.lookup }
      connectTo(target, { outgoing, stepMs, tls: secure ? tls : null }, callback)
    },
  }
}

type GotSocket = (
  error: Error | null,
  socket: { connection: Socket; secured: boolean } | false,
) => void

/** Starts TLS with the connection unless `tls` is null. */
function connectTo(
  target: { host: string; port: number; lookup: LookupFunction },
  { outgoing, stepMs, tls }: { outgoing: Outgoing; stepMs: number; tls: TlsRules | null },
  callback: GotSocket,
) {
  const refusal = outgoing.refusalOf(target.host)
  if (refusal !== null) return callback(new AddressRefused(refusal), false)
  const servername = isIP(target.host) === 0 ? target.host : ''
  const socket = tls === null ? connect(target) : connectTls({ ...target, ...tls, servername })
  const timer = setTimeout(() => {
    socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }))
  }, stepMs)
  const fail = (error: Error) => {
    clearTimeout(timer)
    callback(error, false)
  }
  socket.once('error', fail)
  socket.once(tls === null ? 'connect' : 'secureConnect', () => {
    clearTimeout(timer)
    socket.off('error', fail)
    callback(null, { connection: socket, secured: tls !== null })
  })
}

type TlsRules = Pick<ConnectionOptions, 'rejectUnauthorized' | 'minVersion'>

function isLoopback(host: string): boolean {
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === 'loopback'
  return host.toLowerCase() === 'localhost'
}

/** The configured sender name, or the system's name. */
function senderOf({ SMTPFrom, SMTPAccount, SystemName }: MailServer) {
  const sender = SMTPFrom === '' ? SMTPAccount : SMTPFrom
  const [, named = '', bracketed] = /^([^<>]*)<([^<>]*)>$/.exec(sender) ?? []
  const address = (bracketed ?? sender).trim()
  if (!isPlainAddress(address)) {
    const en = 'the sender (SMTPFrom) is not a valid email address'
    throw new MailError({ en, zh: '发件人（SMTPFrom）不是有效的邮箱地址' }, { isFinal: false })
  }
  const name = named.trim().replace(/^"(.*)"$/, '$1')
  return { name: headerText(name === '' ? SystemName : name), address }
}

const isPlainAddress = (text: string) =>
  text.length <= ADDRESS_LENGTH_MAX && PLAIN_ADDRESS.test(text)

const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()

/** Some mail programs decode an encoded word anywhere in a header (RFC 2047). */
const headerText = (text: string) => oneLine(text).replaceAll('=?', '= ?')

type SmtpFailure = {
  code: string
  /** The system's error code; `code` is nodemailer's. */
  originalCode: string
  response: string
  command: string
  permanent: boolean
}

function readFailure(error: unknown): SmtpFailure {
  const fields = error instanceof Error ? Object.entries(error) : []
  const found = new Map<string, unknown>(fields)
  const text = (name: string) => {
    const value = found.get(name)
    return typeof value === 'string' ? value : ''
  }
  return {
    code: text('code'),
    originalCode: text('originalCode'),
    response: text('response'),
    command: text('command'),
    permanent: found.get('permanent') === true,
  }
}

/**
 * The operator can fix a wrong login or sender, so only a rejected recipient or content is final.
 */
function isFinal(error: unknown): boolean {
  const { code, command, permanent } = readFailure(error)
  return permanent && (code === 'EENVELOPE' || code === 'EMESSAGE') && command !== 'MAIL FROM'
}

/** RFC 5321 4.2 */
const SMTP_REPLY = /^[2-5]\d\d(?:[ -]|$)/

function reasonOf(error: unknown): Reason {
  if (error instanceof AddressRefused) return ADDRESS_REASONS[error.refusal]
  const { code, originalCode, response } = readFailure(error)
  if (code === 'EAUTH') {
    return {
      en: `the mail server refused the login: ${response}`,
      zh: `邮件服务器拒绝登录：${response}`,
    }
  }
  const detail = originalCode || code
  if (/CERT|SELF_SIGNED|ALTNAME|ISSUER/.test(detail)) {
    return {
      en: `the certificate of the mail server is not valid (${detail})`,
      zh: `邮件服务器的证书无效（${detail}）`,
    }
  }
  // Replies of non-SMTP services are not shown, because the mail options could be used to read any
  // port.
  if (response !== '' && !SMTP_REPLY.test(response)) return REASONS.noMailServer
  if (code === 'ETLS') return REASONS.noEncryption
  if (response !== '') {
    return { en: `the mail server said: ${response}`, zh: `邮件服务器返回：${response}` }
  }
  if (code === 'ETIMEDOUT' || code === 'EABORT') return REASONS.timedOut
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return REASONS.unknownName
  return {
    en: `the connection to the mail server failed${detail === '' ? '' : ` (${detail})`}`,
    zh: `无法连接邮件服务器${detail === '' ? '' : `（${detail}）`}`,
  }
}

const ADDRESS_REASONS: Readonly<Record<AddressRefusal, Reason>> = {
  guarded: {
    en: 'the mail server is at a link-local, cloud metadata or unspecified address, which is not connected to',
    zh: '邮件服务器位于链路本地、云元数据或未指定地址，不会连接此类地址',
  },
  private: {
    en: 'the mail server is in a private network, which the option ChannelPrivateNetworksEnabled forbids',
    zh: '邮件服务器位于内网，而选项 ChannelPrivateNetworksEnabled 已关闭内网访问',
  },
}

const REASONS = {
  noMailServer: {
    en: 'the service at that address is not a mail server',
    zh: '该地址上的服务不是邮件服务器',
  },
  noEncryption: {
    en: 'the mail server offers no encryption that can be trusted (STARTTLS)',
    zh: '邮件服务器不支持可信的加密连接（STARTTLS）',
  },
  timedOut: { en: 'the mail server did not answer in time', zh: '邮件服务器响应超时' },
  unknownName: {
    en: 'the host name of the mail server cannot be resolved',
    zh: '找不到邮件服务器的地址',
  },
} as const

/** Some servers repeat what they received. */
function withoutSecrets(reason: string, { SMTPAccount, SMTPToken }: MailServer): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const forms = [base64(`\0${SMTPAccount}\0${SMTPToken}`), base64(SMTPToken), SMTPToken]
  const redacted = forms
    .filter((form) => SMTPToken !== '' && form !== '')
    .reduce((text, form) => text.replaceAll(form, '***'), oneLine(reason))
  return redacted.slice(0, REASON_LENGTH_MAX)
}

/** The cause for the log: where the failure happened, without the server's text. */
function withoutDetail(error: unknown): Error {
  const { code, command } = readFailure(error)
  return new Error(`${code} ${command}`.trim() || 'unknown')
}
