import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OptionKey } from '@tollgate/contract'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { mailedTo } from '../../../testing/worlds/outbox.ts'
import { setRow } from '../../../testing/worlds/rows.ts'

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

  const usersNamed = (name: string) =>
    plane.database.kysely
      .selectFrom('users')
      .select(['email', 'role', 'quota', 'group', 'status', 'github_id', 'inviter_id'])
      .where('username', '=', name)
      .execute()

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
    const answer = await register()
    expect([answer.success, answer.data, answer.headers['set-cookie']]).toEqual([
      true,
      undefined,
      undefined,
    ])
    expect((await logIn()).success).toBe(true)
  })

  test('accepts only its own fields', async () => {
    const stuffing = {
      role: 100,
      quota: 1_000_000,
      group: 'vip',
      status: 2,
      github_id: '7',
      inviter_id: root.id,
      id: root.id,
      display_name: 'Root',
      email,
    }
    expect((await register(stuffing)).success).toBe(true)
    expect(await usersNamed(username)).toEqual([
      { email: '', role: 1, quota: 0, group: 'default', status: 1, github_id: '', inviter_id: 0 },
    ])
  })

  test.each([
    ['rооt', 'letters of one alphabet'],
    ['me@x.org', 'no @'],
    ['ѕуѕtеm', 'letters of one alphabet'],
  ])('%s is refused as confusable with another name', async (confusing, reason) => {
    const answer = await register({ username: confusing })
    expect(answer.success).toBe(false)
    expect(answer.message).toContain(reason)
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
    const { kysely } = plane.database
    await kysely.updateTable('users').set({ username: old }).where('id', '=', person.id).execute()
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

  test.each<[string, object, RegExp, RegExp]>([
    ['no name', { username: undefined }, /"username".*missing/, /“username”/],
    ['an empty name', { username: '' }, /"username".*1 to 12/, /“username”.*1 到 12/],
    ['a long name', { username: 'x'.repeat(13) }, /"username".*1 to 12/, /1 到 12/],
    ['a name that cannot be seen', { username: 'a\u200bb' }, /invisible/, /不可见/],
    ['a number for a name', { username: 7 }, /"username"/, /“username”/],
    ['no password', { password: undefined }, /"password".*missing/, /“password”/],
    ['a short password', { password: '1234567' }, /"password".*8 to 20/, /8 到 20/],
    ['a long password', { password: 'x'.repeat(21) }, /"password".*8 to 20/, /8 到 20/],
    ['two passwords', { password2: 'another horse' }, /"password2".*not match/, /不一致/],
    ['no address', { email: 'nobody' }, /"email".*email/, /“email”.*邮箱/],
    ['a long address', { email: `${'x'.repeat(50)}@a.bc` }, /"email".*50/, /“email”.*50/],
    ['a second header', { email: 'a@b.cd\r\nBcc: x@y.zz' }, /"email"/, /“email”/],
    ['a long code', { verification_code: 'x'.repeat(101) }, /"verification_code".*100/, /100/],
    ['a long invite code', { aff_code: 'x'.repeat(101) }, /"aff_code".*100/, /100/],
  ])('refuses %s and says why in two languages', async (_, parts, english, chinese) => {
    const answer = await register(parts)
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toMatch(english)
    expect((await register(parts, { 'accept-language': 'zh' })).message).toMatch(chinese)
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

    test('refuses the code of another address', () =>
      verified(async () => {
        const verification_code = await codeFor('other@example.org')
        const answer = await register({ email, verification_code })
        expect(answer.message).toMatch(/wrong or has expired/)
        expect(await usersNamed(username)).toEqual([])
      }))

    test('accepts a code once', () =>
      verified(async () => {
        const verification_code = await codeFor()
        expect((await register({ email, verification_code })).success).toBe(true)
        await plane.database.kysely.updateTable('users').set({ email: '' }).execute()
        const again = await register({ email, verification_code, username: `${username}b` })
        expect(again.message).toMatch(/wrong or has expired/)
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
        const rows = await plane.database.kysely
          .selectFrom('users')
          .select('id')
          .where('email', '=', email)
          .execute()
        expect(rows).toHaveLength(1)
      }))

    test('a code expires after ten minutes', () =>
      verified(async () => {
        const verification_code = await codeFor()
        plane.clock.now += 600_000
        expect((await register({ email, verification_code })).success).toBe(false)
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

    test('after five wrong guesses this caller is blocked, and the owner is not', () =>
      verified(async () => {
        const owner = address
        const verification_code = await codeFor()
        const answers = await guess('192.0.2.1', 7)
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
        expect((await register({ email, verification_code })).status).toBe(429)
        address = owner
        expect((await register({ email, verification_code })).success).toBe(true)
      }))

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
          for (const foreign of [
            'a@evil.org',
            'a@sub.good.org',
            'a@notgood.org',
            'good.org@b.org',
          ]) {
            const answer = await register({ email: foreign, verification_code: '222222' })
            expect(answer.message).toBe(
              'Only addresses of these domains are accepted: good.org, fine.org.',
            )
          }
          email = `${username}@FINE.org`
          const verification_code = await codeFor(email.toLowerCase())
          expect((await register({ email, verification_code })).success).toBe(true)
        },
        { EmailDomainWhitelist: 'Good.org,fine.org', EmailDomainRestrictionEnabled: 'true' },
      ))
  })
})
