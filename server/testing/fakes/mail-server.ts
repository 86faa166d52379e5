import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { portOf } from '../harness/port-of.ts'
import { openTestTls } from '../harness/tls.ts'
import { readMail, type ReceivedMail } from './read-mail.ts'

type Parts = {
  /** TLS from the first byte, STARTTLS, or none. */
  encryption?: 'implicit' | 'starttls' | 'none'
  isTrusted?: boolean
  /** Without it, no login is required. */
  login?: { user: string; pass: string }
  /**
   * Replies to the first recipients, in order, such as `450 …` or `550 …`. Later recipients are
   * accepted.
   */
  refusals?: string[]
  /** Reads the mail and never replies. */
  hangs?: boolean
}

export type MailServerOfTests = Awaited<ReturnType<typeof openMailServer>>

export async function openMailServer(parts: Parts = {}) {
  const { encryption = 'starttls', isTrusted = true, login, refusals = [], hangs = false } = parts
  const tls = await openTestTls()
  const { key, cert } = isTrusted ? tls : tls.untrusted
  const mails: (ReceivedMail & { receivers: string[]; sender: string; secure: boolean })[] = []
  const logins: string[] = []
  const keep = async (
    stream: SMTPServerDataStream,
    { envelope, secure }: SMTPServerSession,
    answer: () => void,
  ) => {
    // A mail that breaks off was not sent.
    const bytes = await buffer(stream).catch(() => null)
    if (hangs || bytes === null) return
    const receivers = envelope.rcptTo.map(({ address }) => address)
    const sender = envelope.mailFrom ? envelope.mailFrom.address : ''
    mails.push({ ...readMail(bytes.toString('utf8')), receivers, sender, secure })
    answer()
  }
  const server = new SMTPServer({
    key,
    cert,
    secure: encryption === 'implicit',
    disabledCommands: [
      ...(encryption === 'starttls' ? [] : ['STARTTLS']),
      ...(login ? [] : ['AUTH']),
    ],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 50,
    onAuth: ({ username = '', password = '' }, _session, done) => {
      logins.push(`${username}:${password}`)
      if (username === login?.user && password === login.pass) return done(null, { user: username })
      return done(new Error(`Invalid login with ${password}`))
    },
    onRcptTo: (_address, _session, done) => {
      const refusal = refusals.shift()
      if (refusal === undefined) return done()
      const error = Object.assign(new Error(refusal.slice(4)), {
        responseCode: Number(refusal.slice(0, 3)),
      })
      return done(error)
    },
    onData: (stream, session, done) => void keep(stream, session, () => done()),
  })
  // Some tests disconnect the client on purpose.
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: portOf(server.server),
    mails,
    logins,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}
