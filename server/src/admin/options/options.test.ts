import { expect, test } from 'vitest'
import { z } from 'zod'
import { errorText, OPTIONS } from '@tollgate/contract'
import { describePlanes } from '../../../testing/worlds/describe-planes.ts'
import { setRow, storedRows } from '../../../testing/worlds/rows.ts'

describePlanes('options on %s', ['admin'], ({ plane, kind, admin }) => {
  const save = (key: string, value: unknown, headers: Record<string, string> = {}) =>
    plane.call('PUT', '/api/option/', { as: admin, body: { key, value }, headers })

  const history = () => storedRows(plane, 'option_changes')

  /** Everything an option writes: its row and its change history. */
  const stored = async () => [
    await storedRows(plane, 'options'),
    await storedRows(plane, 'logs'),
    await history(),
  ]

  const changes = (query: string) =>
    plane.call('GET', `/api/option/changes?${query}`, { as: admin })

  test('every option is listed with its default, as text', async () => {
    const { data } = await plane.call('GET', '/api/option/', { as: admin })
    const entries = z.array(z.object({ key: z.string(), value: z.string() })).parse(data)
    const plain = Object.entries(OPTIONS).filter(([, row]) => !('secret' in row))
    expect(entries.map(({ key }) => key)).toEqual(plain.map(([key]) => key))
    expect(entries).toContainEqual({ key: 'RetryTimes', value: '3' })
  })

  test('a group keeps its ratio until no user and no channel is in it', async () => {
    const without = { default: 1, 'pre%': 2, premium2: 1 }
    const ratios = JSON.stringify({ ...without, premium: 5 })
    expect(await save('GroupRatio', ratios)).toMatchObject({ success: true })
    const remove = (table: object) => save('GroupRatio', JSON.stringify(table))
    const { id } = await plane.addPerson()
    const move = (group: string) => setRow(plane, 'users', id, { group })
    await move('default,premium')
    const before = await stored()
    const message = errorText('group_in_use', { group: 'premium', users: 1, channels: 0 }, 'en')
    for (const table of [without, { ...without, renamed: 5 }]) {
      expect(await remove(table)).toMatchObject({ success: false, message })
    }
    expect(await stored()).toEqual(before)
    await move('premium2')
    const channel = await plane.addChannel(admin, { group: 'premium,pre%' })
    expect((await remove(without)).message).toContain('0 users and 1 channels')
    await setRow(plane, 'channels', channel, { group: 'default' })
    expect(await remove({ default: 1, premium2: 1 })).toMatchObject({ success: true })
    expect((await remove({ premium2: 1 })).message).toBe(
      errorText('group_needed', { group: 'default' }, 'en'),
    )
  })

  test('the history has every change, newest first, and no secret', async () => {
    await save('SMTPToken', 'planted-secret')
    await save('RetryTimes', '5')
    await save('RetryTimes', '6')
    const page = await changes('size=2')
    const by = { actor_id: admin.id, actor_name: admin.username }
    expect(page.data).toMatchObject([
      { key: 'RetryTimes', before: '5', after: '6', ...by },
      { key: 'RetryTimes', before: '3', after: '5', ...by },
    ])
    expect((await changes('p=1&size=2')).data).toMatchObject([
      { key: 'SMTPToken', before: '', after: '••••' },
      {},
    ])
    expect(Number(page.headers['x-total-count'])).toBeGreaterThan(3)
    const all = await changes('size=100')
    const listed = await plane.call('GET', '/api/option/', { as: admin })
    expect(all.text + listed.text + JSON.stringify(await stored())).not.toContain('planted-secret')
  })

  test('neither history nor log has the path of an address that may have a token', async () => {
    const hooks = Object.entries(OPTIONS).filter(([, row]) => 'tokenInPath' in row)
    expect(hooks.length).toBeGreaterThan(0)
    const { kysely } = plane.database
    for (const [key] of hooks) {
      await save(key, 'https://me:planted@127.0.0.1')
      await save(key, 'https://127.0.0.1/hook/planted-path')
      await save(key, 'https://127.0.0.1/hook/planted-too')
      const [last, , first] = (await history()).toReversed()
      expect(last).toMatchObject({ key, before: first?.after, after: 'https://127.0.0.1/••••' })
      const notes = kysely.selectFrom('logs').select('content').where('content', 'like', `%${key}%`)
      expect(JSON.stringify([await history(), await notes.execute()])).not.toContain('planted')
    }
    // As versions before this rule have recorded it.
    const before = 'https://127.0.0.1/hook/planted-before'
    const key = hooks[0]?.[0] ?? ''
    await kysely.updateTable('option_changes').set({ before }).where('key', '=', key).execute()
    const page = await changes('size=100')
    expect(page.text).toContain(key)
    expect(page.text).not.toContain('planted-before')
  })

  test('the history shows the beginning of long values; the database keeps them completely', async () => {
    const [first, second] = ['😀'.repeat(3000), 'b'.repeat(2000)]
    await save('Notice', first)
    await save('Notice', second)
    const page = await changes('size=2')
    const begun = `${'😀'.repeat(2000)}…`
    expect(page.data).toMatchObject([
      { before: begun, after: second },
      { before: '', after: begun },
    ])
    expect((await history()).at(-1)).toMatchObject({ before: first, after: second })
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test.each([
    ['RetryTimes', '-1'],
    ['RetryTimes', '1e999'],
    ['RetryTimes', ''],
    ['GroupRatio', '{}'],
    ['GroupRatio', '{"default":-1}'],
    ['ModelRatio', '{"a":"1"}'],
    ['Logo', 'javascript:alert(1)'],
    ['QuotaForNewUser', '0.5'],
    ['QuotaPerUnit', '1e-320'],
  ])('%s refuses %s, naming the field, and nothing is stored', async (key, value) => {
    const before = await stored()
    const answer = await save(key, value)
    expect([answer.status, answer.success]).toEqual([200, false])
    expect(answer.message).toContain(key)
    expect(await stored()).toEqual(before)
  })

  test.each(['Nope', '__proto__', 'constructor', 'toString', ''])(
    'an unknown option %s is refused',
    async (key) => {
      const before = await stored()
      expect((await save(key, 'x')).success).toBe(false)
      expect(await stored()).toEqual(before)
    },
  )

  test.each([
    ['RetryTimes', '11', 'must be at most 10', '不能大于 10'],
    ['RetryTimes', 'x', 'must be a number', '必须是数字'],
    ['RetryTimes', '1.5', 'must be a whole number', '必须是整数'],
    ['RegisterEnabled', 'on', 'must be true or false', '只能是 true 或 false'],
    ['Theme', 'neon', 'must be one of auto, light, dark', '只能是 auto、light、dark'],
    ['ModelRatio', '{"m":-1}', 'm: must be at least 0', 'm: 不能小于 0'],
    ['ModelRatio', '[]', 'must be an object', '必须是对象'],
    ['ModelRatio', '{"gpt-4o": 1', 'must be valid JSON', '不是有效的 JSON'],
    ['ModelRatio', '{"":1}', 'must not be empty', '不能为空'],
    ['Links', '{"A b":"https://x.y"}', 'A b: must be named', 'A b: 名称只能'],
    ['SMTPServer', 'x'.repeat(501), 'must have at most 500 characters', '最多 500 个字符'],
    ['SMTPServer', 'https:', 'must be the name or the address', '必须是服务器的域名或 IP 地址'],
    ['SMTPServer', 'smtp.example:25', 'must be the name or the address', '必须是服务器的域名'],
    ['OidcTokenEndpoint', 'https://u:p@id.example/token', 'must have no password', '不能包含密码'],
    ['ServerAddress', String.raw`https://gate.example\@evil`, 'must be an address', '必须以 http'],
  ])('%s refuses %s with what is allowed, in both languages', async (key, value, en, zh) => {
    const english = await save(key, value)
    expect(english.message).toContain(`"${key}" is not valid: ${en}`)
    const chinese = await save(key, value, { 'accept-language': 'zh' })
    expect(chinese.message).toContain(`字段“${key}”无效：${zh}`)
  })

  test('only hosts named by options are allowed in frames, images and connections', async () => {
    await save('HomePageContent', 'https://home.example/page')
    await save('About', 'https://about.example')
    await save('Links', '{"docs": "https://docs.example/a", "shop": "https://shop.example"}')
    await save('Footer', '<img src="https://img.example/a.png"> https://a;script-src.example/x')
    const unset = await plane.call('GET', '/')
    expect(String(unset.headers['content-security-policy'])).toContain("connect-src 'self';")
    await save('ReleaseAddress', 'https://releases.example/latest')
    await save('WeChatAccountQRCodeImageURL', 'https://qr.example/code.png')
    const { headers } = await plane.call('GET', '/')
    const policy = String(headers['content-security-policy'])
    const pages = 'https://home.example https://about.example'
    const images = 'https://qr.example https://home.example https://img.example'
    expect(policy).toContain("connect-src 'self' https://releases.example;")
    expect(policy).toContain(`frame-src 'self' https://docs.example ${pages};`)
    expect(policy).toContain(`img-src 'self' data: ${images} https://about.example;`)
    expect(policy).toContain("script-src 'self';")
  })

  test('with any number of hosts in options, the headers fit through a proxy', async () => {
    const hosts = Array.from({ length: 60 }, (_, index) => `${'x'.repeat(60)}.h${index}.example`)
    await save('About', '')
    await save('Links', '{}')
    await save('HomePageContent', hosts.map((host) => `https://${host}/a`).join(' '))
    const { headers } = await plane.call('GET', '/api/status')
    await save('HomePageContent', '')
    expect(headers['content-security-policy']).toContain(`frame-src 'self' https://${hosts[0]} `)
    expect(JSON.stringify(headers).length).toBeLessThan(4096)
  })
})
