import { beforeEach, expect, test } from 'vitest'
import { statementsDuring } from '../../../testing/harness/statements.ts'
import { describeFreshPlane } from '../../../testing/worlds/describe-planes.ts'
import { mailedTo, outboxOf } from '../../../testing/worlds/outbox.ts'
import { setRow, storedRows } from '../../../testing/worlds/rows.ts'

const TAKEN = 'taken@example.org'

describeFreshPlane('verification codes', ['user'], ({ plane, user }) => {
  beforeEach(async () => {
    await plane.setOption('SMTPServer', 'smtp.example')
    await setRow(plane, 'users', user.id, { email: TAKEN })
  })

  const ask = (email: string, { address = '192.0.2.1', language = 'en' } = {}) =>
    plane.call('GET', `/api/verification?${new URLSearchParams({ email }).toString()}`, {
      address,
      headers: { 'accept-language': language },
    })

  const codes = () => storedRows(plane, 'verification_codes')

  test('a mail has six unambiguous characters, which the database does not contain', async () => {
    const answer = await ask('New@Example.org', { language: 'zh' })
    expect([answer.success, answer.data]).toEqual([true, undefined])
    expect(await outboxOf(plane)).toMatchObject([
      { type: 'verification', to: 'new@example.org', minutes: 10, language: 'zh' },
    ])
    const [code = ''] = await mailedTo(plane, 'new@example.org')
    expect(code).toMatch(/^[2-9A-HJ-NP-Z]{6}$/)
    const tables = [...(await codes()), ...(await outboxOf(plane))]
    expect(JSON.stringify(tables) + plane.logLines.join('')).not.toContain(code)
    expect(answer.text).not.toContain(code)
  })

  test('a taken address gets another mail, and the caller the same answer after the same work', async () => {
    const answers: string[] = []
    const say = async (email: string) => void answers.push((await ask(email)).text)
    await say('warm@example.org')
    const forTaken = await statementsDuring(() => say(TAKEN))
    const forFree = await statementsDuring(() => say('free@example.org'))
    expect(new Set(answers)).toEqual(new Set(['{"success":true,"message":""}']))
    expect(forTaken).toEqual(forFree)
    expect(forTaken.length).toBeGreaterThan(3)
    const mail = expect.objectContaining({ type: 'verification' })
    const other = { type: 'address-in-use', to: TAKEN, language: 'en' }
    expect(await outboxOf(plane)).toEqual([mail, other, mail])
    expect(await codes()).toHaveLength(3)
  })

  test.each([
    ['nothing', '', /"email"/],
    ['no address', 'nobody', /"email".*email address/],
    ['a long one', `${'x'.repeat(50)}@example.org`, /"email".*50/],
    ['a second line', 'a@b.cd\r\nBcc: victim@example.org', /"email"/],
    ['a second recipient', 'a@b.cd,victim@example.org', /"email"/],
    ['a name and an address', 'Ann <a@b.cd>', /"email"/],
    ['letters that are none of an address', 'a@exämple.org', /"email"/],
    ['NUL', 'a\0@b.cd', /"email"/],
  ])('refuses %s and stores nothing', async (_, email, english) => {
    const answer = await ask(email)
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toMatch(english)
    expect((await ask(email, { language: 'zh' })).message).toMatch(/“email”/)
    expect([await codes(), await outboxOf(plane)]).toEqual([[], []])
  })

  test('is refused without a mail server', async () => {
    await plane.setOption('SMTPServer', '')
    expect((await ask('a@b.cd')).message).toMatch(/mail server/)
    expect((await ask('a@b.cd', { language: 'zh' })).message).toMatch(/SMTP/)
    expect(await codes()).toEqual([])
  })

  test('only allowed domains get one while the whitelist is on', async () => {
    await plane.setOption('EmailDomainWhitelist', 'good.org')
    await plane.setOption('EmailDomainRestrictionEnabled', 'true')
    for (const email of ['a@sub.good.org', 'a@evilgood.org', 'a@good.org.evil.com']) {
      const answer = await ask(email)
      expect(answer.message).toBe('Only addresses of these domains are accepted: good.org.')
    }
    expect((await ask('a@GOOD.ORG')).success).toBe(true)
    expect(await outboxOf(plane)).toHaveLength(1)
  })

  test.each([TAKEN, 'free@example.org'])(
    '%s gets five mails in twenty minutes from one caller, and twenty in total',
    async (email) => {
      const askFrom = (caller: number) => ask(email, { address: `192.0.2.${caller}` })
      for (let count = 0; count < 5; count++) expect((await askFrom(1)).success).toBe(true)
      const refused = await askFrom(1)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1100)
      expect((await ask(email.toUpperCase())).status).toBe(429)
      for (let count = 0; count < 15; count++) {
        expect((await askFrom(2 + (count % 3))).success).toBe(true)
      }
      expect((await askFrom(9)).status).toBe(429)
      expect(await outboxOf(plane)).toHaveLength(20)
      expect((await ask('somebody@example.org')).success).toBe(true)
      plane.clock.now += 20 * 60 * 1000
      expect((await ask(email)).success).toBe(true)
    },
  )

  test('one address may request twenty times in twenty minutes', async () => {
    for (let count = 0; count < 20; count++) {
      expect((await ask(`a${count}@example.org`)).success).toBe(true)
    }
    const refused = await ask('b@example.org')
    expect([refused.status, refused.success]).toEqual([429, false])
    expect((await ask('b@example.org', { address: '192.0.2.2' })).success).toBe(true)
  })

  test('expired codes are deleted when another is created', async () => {
    await ask('a@example.org')
    plane.clock.now += 600_000
    await ask('b@example.org')
    expect((await codes()).map(({ email }) => email)).toEqual(['b@example.org'])
  })
})
