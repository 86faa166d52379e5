import { beforeAll, beforeEach, expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { openBrowser } from '../../../testing/worlds/browser.ts'
import type { Person } from '../../../testing/worlds/control-plane.ts'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { mailedTo } from '../../../testing/worlds/outbox.ts'
import { readUser, setRow } from '../../../testing/worlds/rows.ts'
import { listUnconfirmed } from '../../settings/confirmation.ts'

describePlanes('binding an email address on %s', [], ({ plane, kind }) => {
  let person: Person
  let count = 0
  let email = ''
  let address = ''

  beforeAll(async () => {
    await plane.setOption('SMTPServer', 'mail.example')
  })
  beforeEach(async () => {
    count += 1
    person = await plane.addPerson()
    email = `person${count}@example.com`
    address = `198.51.100.${count}`
  })

  const askCode = async (to: string) => {
    const url = `/api/verification?email=${encodeURIComponent(to)}`
    await plane.done('GET', url, { address })
    return (await mailedTo(plane, to)).at(-1) ?? ''
  }

  const bind = (
    given: Record<string, string>,
    { as = person, from = address, language = 'en' } = {},
  ) =>
    openBrowser(plane, { session: as.session, address: from }).get(
      `/api/oauth/email/bind?${new URLSearchParams(given).toString()}`,
      { headers: { 'accept-language': language } },
    )

  const emailOf = async ({ id }: Person) => (await readUser(plane, id)).email

  test('the code of an address binds it, without data and once', async () => {
    const code = await askCode(email)
    const answer = await bind({ email: ` ${email.toUpperCase()}`, code })
    expect(JSON.parse(answer.text)).toEqual({ success: true, message: '' })
    expect(await emailOf(person)).toBe(email)
    const other = await plane.addPerson()
    const again = await bind({ email, code }, { as: other })
    expect([again.status, again.success]).toEqual([200, false])
    expect(await emailOf(other)).toBe('')
  })

  test('one of two users who verify one address concurrently gets it', async () => {
    const code = await askCode(email)
    const other = await plane.addPerson()
    const answers = await Promise.all([bind({ email, code }), bind({ email, code }, { as: other })])
    expect(answers.filter(({ success }) => success === true)).toHaveLength(1)
    const bound = [await emailOf(person), await emailOf(other)]
    expect(bound.toSorted()).toEqual(['', email])
  })

  test('an address taken meanwhile is refused, and the code is not used up', async () => {
    const code = await askCode(email)
    const other = await plane.addPerson()
    await setRow(plane, 'users', other.id, { email })
    expect((await bind({ email, code })).message).toMatch(/belongs to another account/)
    await setRow(plane, 'users', other.id, { email: '' })
    expect((await bind({ email, code })).success).toBe(true)
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test("an alias of another account's mailbox is not bound", async () => {
    await plane.setOption('EmailAliasRestrictionEnabled', 'true')
    const owner = await plane.addPerson()
    const mailbox = `owner${count}@gmail.com`
    const bound = await bind({ email: mailbox, code: await askCode(mailbox) }, { as: owner })
    expect(bound.success).toBe(true)
    const alias = `owner${count}+x@gmail.com`
    const own = await bind({ email: alias, code: await askCode(alias) }, { as: owner })
    const others = await bind({ email: alias, code: await askCode(alias) })
    await plane.setOption('EmailAliasRestrictionEnabled', 'false')
    expect([own.success, others.success]).toEqual([false, false])
    expect(await emailOf(person)).toBe('')
  })

  test('a wrong, expired or foreign code binds nothing', async () => {
    const code = await askCode(email)
    await askCode(`other${email}`)
    const wrong = await bind({ email, code: 'AAAAAA' })
    expect(wrong.message).toMatch(/verification code is wrong/)
    expect((await bind({ email: `other${email}`, code })).message).toBe(wrong.message)
    plane.clock.now += 10 * 60 * 1000
    const again = { ...person, session: await plane.signIn(person.id) }
    const late = await bind({ email, code }, { as: again })
    plane.clock.now -= 10 * 60 * 1000
    expect(late.message).toBe(wrong.message)
    const chinese = await bind({ email, code: 'AAAAAA' }, { language: 'zh' })
    expect(chinese.message).toBe('验证码错误或已过期。')
    expect(await emailOf(person)).toBe('')
  })

  test.each([
    ['nobody', /"email".*email address/],
    [`${'a'.repeat(50)}@example.com`, /"email".*50/],
  ])('the address %s is refused', async (given, problem) => {
    const answer = await bind({ email: given, code: 'AAAAAA' })
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toMatch(problem)
  })

  test('root may bind an address, for alerts', async () => {
    const root = await plane.addPerson(ROLE.root)
    expect((await bind({ email, code: await askCode(email) }, { as: root })).success).toBe(true)
    expect(await emailOf(root)).toBe(email)
  })

  test('an administrator binds none while a change of the mail server awaits root', async () => {
    const adam = await plane.addPerson(ROLE.admin)
    const root = await plane.addPerson(ROLE.root)
    const code = await askCode(email)
    const body = { key: 'SMTPServer', value: 'mail.evil.example' }
    await plane.call('PUT', '/api/option/', { as: adam, body })
    const refused = await bind({ email, code }, { as: adam })
    expect(refused.message).toMatch(/has to confirm a change of SMTP server \(SMTPServer\)/)
    expect(await emailOf(adam)).toBe('')
    const ids = (await listUnconfirmed(plane.database.kysely)).map(({ id }) => id)
    await plane.call('POST', '/api/option/confirm', { as: root, body: { ids } })
    expect((await bind({ email, code }, { as: adam })).success).toBe(true)
    expect(await emailOf(adam)).toBe(email)
    await plane.setOption('SMTPServer', 'mail.example')
  })

  test('ten wrong codes lock the account from every address', async () => {
    const attempts = Array.from({ length: 10 }, (_, index) =>
      bind({ email, code: 'AAAAAA' }, { from: `203.0.113.${index}` }),
    )
    await Promise.all(attempts)
    const refused = await bind({ email, code: 'AAAAAA' }, { from: '203.0.113.99' })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1100)
    const other = await plane.addPerson()
    expect((await bind({ email, code: 'AAAAAA' }, { as: other })).status).toBe(200)
  })

  test('twenty wrong codes lock the address they came from', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => plane.addPerson()))
    await Promise.all(
      people.map((as, index) => bind({ email: `${index}${email}`, code: 'AAAAAA' }, { as })),
    )
    expect((await bind({ email, code: 'AAAAAA' })).status).toBe(429)
    expect((await bind({ email, code: 'AAAAAA' }, { from: '203.0.113.98' })).status).toBe(200)
  })
})
