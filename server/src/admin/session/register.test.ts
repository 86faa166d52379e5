import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OptionKey } from '@tollgate/contract'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { mailedTo } from '../../../testing/worlds/outbox.ts'
import { setRow, storedRows } from '../../../testing/worlds/rows.ts'

const PASSWORD = 'correct horse'

let count = 0

describePlanes('registration on %s', ['root'], ({ plane, root }) => {
  let username: string
  let email: string
  let address: string

  beforeAll(async () => {
    await plane.setOption('SMTPServer', 'smtp.example')
  })
  beforeEach(() => {
    count += 1
    username = `name${count}`
    email = `${username}@example.org`
    address = `2001:db8:${count.toString(16)}::1`
  })

  const register = (parts: object = {}, headers = {}) =>
    plane.call('POST', '/api/user/register', {
      body: { username, password: PASSWORD, ...parts },
      address,
      headers,
    })

  const logIn = (password = PASSWORD) =>
    plane.call('POST', '/api/user/login', { body: { username, password }, address })

  const codeFor = async (to = email) => {
    const query = new URLSearchParams({ email: to })
    await plane.call('GET', `/api/verification?${query.toString()}`, { address })
    return (await mailedTo(plane, to)).at(-1) ?? ''
  }

  const usersNamed = (name: string) => storedRows(plane, 'users', { username: name })

  const withOptions = async (options: Partial<Record<OptionKey, string>>, run: () => unknown) => {
    const before = Object.keys(options).map((key) => {
      const entry = plane.settings.list().find((row) => row.key === key)
      if (!entry) throw new Error(`there is no option ${key}`)
      return entry
    })
    const changes = Object.entries(options).map(([key, value]) => ({ key, value }))
    const put = (key: string, value: string) =>
      plane.call('PUT', '/api/option/', { as: root, body: { key, value } })
    for (const { key, value } of changes) expect((await put(key, value)).success).toBe(true)
    try {
      await run()
    } finally {
      for (const { key, value } of before.toReversed()) await put(key, value)
    }
  }

  test('creates an account that can log in, without a session', async () => {
    const { success, data, headers } = await register()
    expect([success, data, headers['set-cookie']]).toEqual([true, undefined, undefined])
    expect((await logIn()).success).toBe(true)
  })

  test('accepts only its own fields', async () => {
    const ids = { github_id: '7', inviter_id: root.id, id: root.id }
    const stuffing = { role: 100, quota: 1_000_000, group: 'vip', status: 2, email }
    expect((await register({ ...stuffing, ...ids, display_name: 'Root' })).success).toBe(true)
    expect(await usersNamed(username)).toMatchObject([
      { email: '', role: 1, quota: 0, group: 'default', status: 1, github_id: '', inviter_id: 0 },
    ])
  })

  test.each([
    ['rооt', 'letters of one alphabet'],
    ['me@x.org', 'no @'],
    ['ѕуѕtеm', 'letters of one alphabet'],
  ])('%s is refused as confusable with another name', async (confusing, reason) => {
    const answer = await register({ username: confusing })
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toMatch(reason)
  })

  test('a name that looks like an existing one in other letters is refused', async () => {
    const latin = `pac${count}`
    username = latin
    expect((await register()).success).toBe(true)
    expect((await register({ username: latin.replace('pac', 'рас') })).success).toBe(false)
    expect((await register({ username: latin.replace('pac', 'иван') })).success).toBe(true)
  })

  test('an account keeps its name, and cannot be renamed to a confusable one', async () => {
    const old = 'rооt@'
    const person = await plane.addPerson()
    await setRow(plane, 'users', person.id, { username: old })
    const rename = (body: object) =>
      plane.call('PUT', '/api/user/self', { as: person, body: { display_name: 'x', ...body } })
    expect((await rename({ username: old })).success).toBe(true)
    expect((await rename({ username: 'rооt' })).success).toBe(false)
    expect((await rename({ username: `root${count}` })).success).toBe(true)
  })

  test('aliases of one mailbox are one address while the option is on', () =>
    withOptions({ EmailVerificationEnabled: 'true', SMTPServer: 'smtp.example' }, async () => {
      const local = `farm${count}`
      const signUp = async (name: string, to: string) =>
        register({ username: name, email: to, verification_code: await codeFor(to) })
      expect((await signUp(`a${count}`, `${local}@gmail.com`)).success).toBe(true)
      expect((await signUp(`b${count}`, `${local}+1@gmail.com`)).success).toBe(true)
      await withOptions({ EmailAliasRestrictionEnabled: 'true' }, async () => {
        const dotted = `f.${local.slice(1)}@googlemail.com`
        expect((await signUp(`c${count}`, dotted)).success).toBe(false)
        expect(await usersNamed(`c${count}`)).toEqual([])
        expect((await signUp(`d${count}`, `${local}@outlook.com`)).success).toBe(true)
      })
    }))

  test('one of two concurrent aliases becomes an account', () =>
    withOptions(
      { EmailVerificationEnabled: 'true', EmailAliasRestrictionEnabled: 'true' },
      async () => {
        const addresses = ['+1', '+2'].map((tag) => `race${count}${tag}@gmail.com`)
        const codes = await Promise.all(addresses.map((to) => codeFor(to)))
        const answers = await Promise.all(
          addresses.map((to, at) =>
            register({ username: `race${count}${at}`, email: to, verification_code: codes[at] }),
          ),
        )
        expect(answers.filter(({ success }) => success)).toHaveLength(1)
      },
    ))

  test.each(['RegisterEnabled', 'PasswordRegisterEnabled'] as const)(
    'is refused while %s is off',
    (key) =>
      withOptions({ [key]: 'false' }, async () => {
        const answer = await register()
        expect([answer.status, answer.success]).toEqual([200, false])
        expect(answer.message).toMatch(/turned off/)
        expect((await register({}, { 'accept-language': 'zh-CN' })).message).toMatch(/管理员关闭了/)
        expect(await usersNamed(username)).toEqual([])
      }),
  )

  test.each<[string, object, RegExp]>([
    ['an empty name', { username: '' }, /"username".*1 to 12/],
    ['a long name', { username: 'x'.repeat(13) }, /"username".*1 to 12/],
    ['a name that cannot be seen', { username: 'a\u200bb' }, /invisible/],
    ['a name in the other direction', { username: '\u202etoor' }, /invisible/],
    ['a name with a control character', { username: 'a\nb' }, /control/],
    ['a name with a space at an end', { username: 'root ' }, /spaces at its ends/],
    ['only a space', { username: ' ' }, /spaces at its ends/],
    ['a short password', { password: '1234567' }, /"password".*8 to 20/],
    ['a long password', { password: 'x'.repeat(21) }, /"password".*8 to 20/],
    ['two passwords', { password2: 'another horse' }, /"password2".*not match/],
    ['no address', { email: 'nobody' }, /"email".*email/],
    ['a long address', { email: `${'x'.repeat(50)}@a.bc` }, /"email".*50/],
    ['a second header', { email: 'a@b.cd\r\nBcc: x@y.zz' }, /"email"/],
    ['a long code', { verification_code: 'x'.repeat(101) }, /"verification_code".*100/],
    ['a long invite code', { aff_code: 'x'.repeat(101) }, /"aff_code".*100/],
  ])('refuses %s and says why', async (_, parts, message) => {
    const answer = await register(parts)
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toMatch(message)
    expect(await usersNamed(username)).toEqual([])
  })

  test('is limited to twenty in twenty minutes per address', async () => {
    const again = () => register({ username: root.username })
    for (let calls = 0; calls < 20; calls++) expect((await again()).status).toBe(200)
    const refused = await again()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1100)
    expect((await register()).status).toBe(429)
    address = `${address}${count}`
    expect((await register()).status).toBe(429)
    address = '203.0.113.5'
    expect((await register()).success).toBe(true)
  })

  describe('with a verified address', () => {
    const verified = (run: () => unknown, more: Partial<Record<OptionKey, string>> = {}) =>
      withOptions({ EmailVerificationEnabled: 'true', ...more }, run)

    test('stores the address of the code, whatever its case', () =>
      verified(async () => {
        const code = await codeFor()
        const typed = ` ${code.toLowerCase()} `
        const answer = await register({ email: email.toUpperCase(), verification_code: typed })
        expect(answer.message).toBe('')
        expect(await usersNamed(username)).toMatchObject([{ email }])
      }))

    test('needs both fields', () =>
      verified(async () => {
        const code = await codeFor()
        expect((await register({ verification_code: code })).message).toMatch(/"email" is missing/)
        expect((await register({ email })).message).toMatch(/"verification_code" is missing/)
        expect(await usersNamed(username)).toEqual([])
      }))

    test('a taken name does not use up the code', () =>
      verified(async () => {
        const verification_code = await codeFor()
        const taken = await register({ email, verification_code, username: root.username })
        expect(taken.message).toMatch(/taken/)
        expect((await register({ email, verification_code })).success).toBe(true)
      }))

    test('one of many concurrent uses of one code creates an account', () =>
      verified(async () => {
        const verification_code = await codeFor()
        const calls = ['a', 'b', 'c', 'd', 'e'].map((end) =>
          register({ email, verification_code, username: `${username}${end}` }),
        )
        const answers = await Promise.all(calls)
        expect(answers.filter(({ success }) => success === true)).toHaveLength(1)
        expect(await storedRows(plane, 'users', { email })).toHaveLength(1)
      }))

    test('a new code replaces the old one', () =>
      verified(async () => {
        const old = await codeFor()
        const verification_code = await codeFor()
        expect((await register({ email, verification_code: old })).success).toBe(false)
        expect((await register({ email, verification_code })).success).toBe(true)
      }))

    const guess = (caller: string, times: number) => {
      address = caller
      return Promise.all(
        Array.from({ length: times }, (_, index) =>
          register({ email, verification_code: `22222${index + 2}`, username }),
        ),
      )
    }

    test('after ten wrong guesses the right code is invalid; a new one has its own attempts', () =>
      verified(async () => {
        const verification_code = await codeFor()
        for (let caller = 1; caller <= 2; caller++) await guess(`192.0.2.${caller}`, 5)
        address = '192.0.2.99'
        const answer = await register({ email, verification_code })
        expect(answer.message).toMatch(/wrong or has expired/)
        expect(await usersNamed(username)).toEqual([])
        address = '192.0.2.1'
        const another = await codeFor()
        expect((await register({ email, verification_code: another })).success).toBe(true)
      }))

    test('nine wrong guesses leave a code valid, and right ones do not count', () =>
      verified(async () => {
        const verification_code = await codeFor()
        await guess('192.0.2.1', 5)
        await guess('192.0.2.2', 4)
        address = '192.0.2.3'
        const keep = (kept: string) => setRow(plane, 'users', root.id, { email: kept })
        await keep(email)
        for (let again = 0; again < 12; again++) {
          const answer = await register({ email, verification_code })
          expect(answer.message).toMatch(/belongs to another account/)
        }
        await keep('')
        expect((await register({ email, verification_code })).success).toBe(true)
      }))

    test('a taken address is revealed only to those who have its code', () =>
      verified(async () => {
        const verification_code = await codeFor()
        const free = await register({ email, verification_code: '222222' })
        await setRow(plane, 'users', root.id, { email })
        const taken = await register({ email, verification_code: '222222' })
        expect(taken.text).toBe(free.text)
        const owner = await register({ email, verification_code })
        expect(owner.message).toMatch(/belongs to another account/)
        expect(await usersNamed(username)).toEqual([])
      }))

    test('addresses of other domains are refused while the whitelist is on', () =>
      verified(
        async () => {
          const reason = 'Only addresses of these domains are accepted: good.org, fine.org.'
          for (const domain of ['evil.org', 'sub.good.org', 'notgood.org']) {
            const sent = { email: `good.org@${domain}`, verification_code: '222222' }
            expect((await register(sent)).message).toBe(reason)
          }
          email = `${username}@FINE.org`
          const verification_code = await codeFor(email.toLowerCase())
          expect((await register({ email, verification_code })).success).toBe(true)
        },
        { EmailDomainWhitelist: 'Good.org,fine.org', EmailDomainRestrictionEnabled: 'true' },
      ))
  })
})
