import { expect, onTestFinished, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { openMailServer } from '../../../testing/fakes/mail-server.ts'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describePlane } from '../../../testing/worlds/describe-planes.ts'

const login = { user: 'gate@example.com', pass: 'the-mail-password' }

const BOB = { to: 'bob@example.com' }

describePlane('a test mail', ['root'], ({ plane, root }) => {
  const send = (body: unknown, as: Person = root, language = 'en') =>
    plane.call('POST', '/api/option/test_mail', {
      body,
      as,
      headers: { 'accept-language': language },
    })

  const withMail = async (parts: Parameters<typeof openMailServer>[0] = {}) => {
    const server = await openMailServer({ login, ...parts })
    onTestFinished(() => server.close())
    await plane.setOption('SMTPServer', '127.0.0.1')
    await plane.setOption('SMTPPort', String(server.port))
    await plane.setOption('SMTPAccount', login.user)
    await plane.setOption('SMTPToken', login.pass)
    return server
  }

  test('is refused without a mail server', async () => {
    const message = 'The administrator has not set up a mail server.'
    expect(await send(BOB)).toMatchObject({ status: 200, success: false, message })
    expect((await send(BOB, root, 'zh-CN')).message).toBe('管理员未配置 SMTP 服务器。')
  })

  test("is delivered before the answer, in the caller's language", async () => {
    const server = await withMail()
    const admin = await plane.addPerson(ROLE.admin)
    expect(await send({ to: ' Bob@Example.com ' }, admin, 'zh')).toMatchObject({ success: true })
    expect(server.mails).toMatchObject([{ receivers: ['bob@example.com'] }])
    expect(server.mails[0]?.headers.get('subject')).toBe('[Tollgate] 测试邮件')
  })

  test('an error of the server is shown, the password is not', async () => {
    await withMail({ login: { ...login, pass: 'another' } })
    const refused = await send(BOB)
    expect(refused).toMatchObject({ status: 200, success: false })
    expect(refused.message).toMatch(/could not be sent: the mail server refused the login: 535/)
    const inChinese = await send(BOB, root, 'zh')
    expect(inChinese.message).toMatch(/^邮件发送失败：邮件服务器拒绝登录：535/)
    expect(refused.text).not.toContain(login.pass)
    expect(plane.logLines.join()).not.toContain(login.pass)
  })

  test.each([
    ['empty', { to: '' }],
    ['no address', { to: 'bob' }],
    ['two', { to: 'bob@example.com,eve@example.com' }],
    ['a line end', { to: 'bob@example.com\r\nBcc: eve@example.com' }],
    ['too long', { to: `${'b'.repeat(50)}@example.com` }],
  ])('a recipient that is %s is refused and nothing is sent', async (_w, body) => {
    const server = await withMail()
    const message = expect.stringContaining('"to"')
    expect(await send(body)).toMatchObject({ status: 200, success: false, message })
    expect(server.mails).toEqual([])
  })

  test('is limited to ten in twenty minutes per account', async () => {
    const server = await withMail()
    const admin = await plane.addPerson(ROLE.admin)
    const other = await plane.addPerson(ROLE.admin)
    for (let count = 0; count < 10; count++) {
      expect((await send(BOB, admin)).success).toBe(true)
    }
    const refused = await send(BOB, admin)
    expect(refused).toMatchObject({ status: 429, success: false })
    expect(refused.headers['retry-after']).toBe('1200')
    expect((await send(BOB, other)).success).toBe(true)
    expect(server.mails).toHaveLength(11)
    plane.clock.now += 20 * 60 * 1000
    const later = { ...admin, session: await plane.signIn(admin.id) }
    expect((await send(BOB, later)).success).toBe(true)
  })
})
