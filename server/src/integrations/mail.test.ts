import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { leadsInTurn, leadsTo } from '../../testing/fakes/dns-lookups.ts'
import { type MailServerOfTests, openMailServer } from '../../testing/fakes/mail-server.ts'
import { atEnd } from '../../testing/harness/at-end.ts'
import { portOf } from '../../testing/harness/port-of.ts'
import { createOutgoing } from '../network/outgoing.ts'
import { type Mail, MAIL_RULES, MailError, type MailServer, sendMail } from './mail.ts'

async function open(parts: Parameters<typeof openMailServer>[0] = {}): Promise<MailServerOfTests> {
  const server = await openMailServer(parts)
  atEnd(server.close)
  return server
}

const login = { user: 'postman', pass: 'pa55word-of-the-server' }

const settings = (port: number, changes: Partial<MailServer> = {}): MailServer => ({
  SMTPServer: '127.0.0.1',
  SMTPPort: port,
  SMTPAccount: login.user,
  SMTPToken: login.pass,
  SMTPFrom: 'gate@example.com',
  SystemName: 'Tollgate',
  ...changes,
})

const mail: Mail = {
  to: ['bob@example.com'],
  subject: 'Hello',
  text: 'plain\n',
  html: '<p>rich</p>',
}

async function refusalOf(sending: Promise<void>): Promise<MailError> {
  try {
    await sending
  } catch (error) {
    if (error instanceof MailError) return error
    throw error
  }
  throw new Error('it was sent')
}

describe('a mail that is delivered', () => {
  test('has both parts and uses STARTTLS and the password', async () => {
    const server = await open({ login })
    await sendMail(settings(server.port), mail)
    expect(server.mails).toMatchObject([
      { sender: 'gate@example.com', receivers: ['bob@example.com'], secure: true },
    ])
    expect(server.mails[0]?.text.trim()).toBe('plain')
    expect(server.mails[0]?.html.trim()).toBe('<p>rich</p>')
    const headers = server.mails[0]?.headers
    expect(headers?.get('from')).toBe('Tollgate <gate@example.com>')
    expect(headers?.get('to')).toBe('bob@example.com')
    expect(headers?.get('auto-submitted')).toBe('auto-generated')
    expect(headers?.has('x-mailer')).toBe(false)
    expect(server.logins).toEqual([`${login.user}:${login.pass}`])
  })

  test('uses TLS from the first byte on the port for that', async () => {
    const server = await open({ login, encryption: 'implicit' })
    const rules = { ...MAIL_RULES, implicitTlsPort: server.port }
    await sendMail(settings(server.port, { SMTPServer: 'localhost' }), mail, { rules })
    expect(server.mails).toMatchObject([{ secure: true }])
    expect(MAIL_RULES.implicitTlsPort).toBe(465)
  })

  test('uses neither login nor TLS if the server has neither', async () => {
    const server = await open({ encryption: 'none' })
    await sendMail(settings(server.port, { SMTPAccount: '', SMTPToken: '' }), mail)
    expect(server.mails).toMatchObject([{ secure: false }])
  })

  test('keeps Chinese in its headers and parts', async () => {
    const server = await open({ login })
    const text = '你的验证码为 123456。'.repeat(20)
    await sendMail(settings(server.port, { SystemName: '收费站，中转' }), {
      ...mail,
      subject: '[收费站] 邮箱验证码'.repeat(5),
      text,
      html: `<p>${text}</p>`,
    })
    const [got] = server.mails
    expect(got?.headers.get('subject')).toBe('[收费站] 邮箱验证码'.repeat(5))
    expect(got?.headers.get('from')).toBe('收费站，中转 <gate@example.com>')
    expect(got?.text.trim()).toBe(text)
    expect(got?.html.trim()).toBe(`<p>${text}</p>`)
    expect([...(got?.raw ?? '')].every((character) => character.charCodeAt(0) < 128)).toBe(true)
  })

  test.each([
    ['a line end', 'Evil\r\nBcc: eve@example.com', 'Evil Bcc: eve@example.com'],
    ['a quotation mark', 'Toll "gate" <x@y.z>, Eve', 'Toll "gate" <x@y.z>, Eve'],
    ['an encoded word', '=?utf-8?Q?=0D=0ABcc:_eve?=', '= ?utf-8?Q?=0D=0ABcc:_eve?='],
  ])(
    'has no additional header or recipient by %s in a name or subject',
    async (_what, name, shown) => {
      const server = await open({ login })
      await sendMail(settings(server.port, { SystemName: name }), { ...mail, subject: name })
      const [got] = server.mails
      expect(got?.receivers).toEqual(['bob@example.com'])
      expect([...(got?.headers.keys() ?? [])].toSorted()).toEqual([
        'auto-submitted',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'subject',
        'to',
      ])
      expect(got?.raw).not.toMatch(/^Bcc/im)
      const from = got?.headers.get('from') ?? ''
      expect(from.endsWith('<gate@example.com>')).toBe(true)
      expect(from.replaceAll(/\\(.)/g, '$1')).toContain(shown)
      expect(got?.headers.get('subject')).toBe(shown)
    },
  )

  test.each([
    ['the account when there is no sender', '', 'postman@example.com', 'Tollgate'],
    ['its own name', 'Billing <money@example.com>', 'money@example.com', 'Billing'],
    ['its own quoted name', '"Billing, Ltd." <money@example.com>', 'money@example.com', 'Ltd.'],
  ])('is sent by %s', async (_what, SMTPFrom, address, name) => {
    const user = 'postman@example.com'
    const server = await open({ login: { ...login, user } })
    await sendMail(settings(server.port, { SMTPFrom, SMTPAccount: user }), mail)
    expect(server.mails[0]?.sender).toBe(address)
    expect(server.mails[0]?.headers.get('from')).toMatch(new RegExp(`${name}"? <${address}>$`))
  })
})

describe('a mail that is not delivered', () => {
  test.each(['127.0.0.1', 'localhost'])(
    'is not given to a server (%s) with an untrusted certificate, nor is the password',
    async (SMTPServer) => {
      const server = await open({ login, isTrusted: false })
      const refusal = await refusalOf(sendMail(settings(server.port, { SMTPServer }), mail))
      expect(refusal.message).toMatch(/^the certificate of the mail server is not valid \(\w+\)$/)
      expect(refusal.isFinal).toBe(false)
      const implicit = await open({ login, isTrusted: false, encryption: 'implicit' })
      const rules = { ...MAIL_RULES, implicitTlsPort: implicit.port }
      const other = await refusalOf(sendMail(settings(implicit.port), mail, { rules }))
      expect(other.message).toContain('certificate')
      expect([...server.logins, ...implicit.logins, ...server.mails]).toEqual([])
    },
  )

  test('sends no password in plain text to another machine', async () => {
    const server = await open({ login, encryption: 'none' })
    // Counts as another machine: only loopback addresses are known to be local.
    const outgoing = createOutgoing({ lookup: leadsTo('127.0.0.1') })
    const refusal = await refusalOf(
      sendMail(settings(server.port, { SMTPServer: 'mail.test' }), mail, { outgoing }),
    )
    expect(refusal.message).toContain('STARTTLS')
    expect(server.logins).toEqual([])
    expect(server.mails).toEqual([])
  })

  test.each(['169.254.169.254', '2852039166', 'fe80::1', '::ffff:a9fe:a9fe', '0.0.0.0'])(
    'is sent to no server at %s',
    async (SMTPServer) => {
      const refusal = await refusalOf(sendMail(settings(25, { SMTPServer }), mail))
      expect(refusal.message).toMatch(/^the mail server is at a link-local, cloud metadata/)
      expect(refusal.reason.zh).toMatch(/^邮件服务器位于链路本地/)
      expect(refusal.isFinal).toBe(false)
    },
  )

  test.each(['STARTTLS', 'implicit'])(
    'is sent to the address that was checked, resolved for every mail (%s)',
    async (encryption) => {
      const isImplicit = encryption === 'implicit'
      const server = await open({ login, ...(isImplicit && { encryption }) })
      const rules = { ...MAIL_RULES, ...(isImplicit && { implicitTlsPort: server.port }) }
      const { lookup, asked } = leadsInTurn(['127.0.0.1'], ['169.254.169.254'])
      const outgoing = createOutgoing({ lookup })
      // The test certificate is for this name.
      const way = settings(server.port, { SMTPServer: 'localhost' })
      await sendMail(way, mail, { rules, outgoing })
      const refusal = await refusalOf(sendMail(way, mail, { rules, outgoing }))
      expect(refusal.message).toMatch(/^the mail server is at a link-local, cloud metadata/)
      expect(asked).toEqual(['localhost', 'localhost'])
      expect(server.mails).toHaveLength(1)
    },
  )

  test('is sent to no private network while that is forbidden', async () => {
    const server = await open({ login })
    const outgoing = createOutgoing({ allowsPrivate: () => false })
    const refusal = await refusalOf(sendMail(settings(server.port), mail, { outgoing }))
    expect(refusal.message).toContain('ChannelPrivateNetworksEnabled forbids')
    const privateNetworks = ['127.0.0.1']
    const listed = createOutgoing({ allowsPrivate: () => false, privateNetworks })
    await sendMail(settings(server.port), mail, { outgoing: listed })
    expect(server.mails).toHaveLength(1)
  })

  test('reports a server whose name does not resolve', async () => {
    const outgoing = createOutgoing({ lookup: leadsTo() })
    const way = settings(25, { SMTPServer: 'nowhere.test' })
    const refusal = await refusalOf(sendMail(way, mail, { outgoing }))
    expect(refusal.message).toBe('the host name of the mail server cannot be resolved')
  })

  test('reports the reason of a refused login without the password', async () => {
    const server = await open({ login: { ...login, pass: 'another' } })
    const refusal = await refusalOf(sendMail(settings(server.port), mail))
    expect(refusal.message).toMatch(/^the mail server refused the login: 535 .*\*\*\*/)
    expect(refusal.message).not.toContain(login.pass)
    expect(JSON.stringify(refusal, Object.getOwnPropertyNames(refusal))).not.toContain(login.pass)
    expect(refusal.isFinal).toBe(false)
  })

  test('reports a temporary refusal by the server', async () => {
    const server = await open({ login, refusals: ['450 greylisted, come back'] })
    const refusal = await refusalOf(sendMail(settings(server.port), mail))
    expect(refusal.message).toBe('the mail server said: 450 greylisted, come back')
    expect(refusal.isFinal).toBe(false)
    await sendMail(settings(server.port), mail)
    expect(server.mails).toHaveLength(1)
  })

  test('waits at most until the deadline for a silent server', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    atEnd(() => void silent.close())
    const port = portOf(silent)
    const rules = { ...MAIL_RULES, stepMs: 50, totalMs: 5000 }
    const refusal = await refusalOf(sendMail(settings(port), mail, { rules }))
    expect(refusal).toMatchObject({
      isFinal: false,
      message: 'the mail server did not answer in time',
    })
  })

  test('waits at most until the deadline for a server that never confirms', async () => {
    const server = await open({ login, hangs: true })
    const rules = { ...MAIL_RULES, totalMs: 300 }
    const refusal = await refusalOf(sendMail(settings(server.port), mail, { rules }))
    expect(refusal.message).toBe('the mail server did not answer in time')
  })

  test('quotes nothing of another service, whatever port it was sent to', async () => {
    const other = createServer((socket) => {
      socket.on('error', () => {}).end('SSH-2.0-OpenSSH planted-banner\r\n')
    })
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    atEnd(() => void other.close())
    const port = portOf(other)
    const refusal = await refusalOf(sendMail(settings(port), mail))
    expect(refusal.message).toBe('the service at that address is not a mail server')
  })

  test('reports a refused connection', async () => {
    const server = await openMailServer()
    await server.close()
    const refusal = await refusalOf(sendMail(settings(server.port), mail))
    expect(refusal.message).toBe('the connection to the mail server failed (ECONNREFUSED)')
  })

  test.each([
    ['two in one', 'bob@example.com, eve@example.com'],
    ['a line end', 'bob@example.com\r\nRCPT TO:<eve@example.com>'],
    ['a name', 'Bob <bob@example.com>'],
    ['no address', 'bob'],
    ['nothing', ''],
    ['too long', `${'b'.repeat(250)}@example.com`],
  ])('has a recipient that is %s', async (_what, to) => {
    const server = await open({ login })
    const refusal = await refusalOf(sendMail(settings(server.port), { ...mail, to: [to] }))
    expect(refusal).toMatchObject({
      isFinal: true,
      message: 'the recipient is not a valid email address',
    })
    expect(server.mails).toEqual([])
  })

  test('has no sender', async () => {
    const refusal = await refusalOf(sendMail(settings(1, { SMTPFrom: '' }), mail))
    expect(refusal.message).toBe('the sender (SMTPFrom) is not a valid email address')
  })
})
