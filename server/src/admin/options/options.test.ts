import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { OPTIONS, ROLE } from '@tollgate/contract'
import { type ControlPlane, openControlPlane, type Person } from '../../../testing/control-plane.ts'
import { DATABASES } from '../../../testing/databases.ts'

describe.each(DATABASES)('options on %s', (kind) => {
  let plane: ControlPlane
  let admin: Person

  beforeAll(async () => {
    plane = await openControlPlane(kind)
    admin = await plane.addPerson(ROLE.admin)
  })
  afterAll(() => plane.close())

  const save = (key: string, value: unknown, headers: Record<string, string> = {}) =>
    plane.call('PUT', '/api/option/', { as: admin, body: { key, value }, headers })

  /** Everything an option writes: its row and the note of who changed it. */
  const stored = async () => [
    await plane.database.kysely.selectFrom('options').selectAll().execute(),
    await plane.database.kysely.selectFrom('logs').selectAll().execute(),
  ]

  test('every option is listed with its default, as text', async () => {
    const { data } = await plane.call('GET', '/api/option/', { as: admin })
    const entries = z.array(z.object({ key: z.string(), value: z.string() })).parse(data)
    expect(entries.map(({ key }) => key)).toEqual(Object.keys(OPTIONS))
    expect(entries).toContainEqual({ key: 'RetryTimes', value: '3' })
  })

  test('a change counts at once, in the status too, and is noted with who made it', async () => {
    expect((await save('SystemName', 'My Gate')).success).toBe(true)
    expect((await plane.call('GET', '/api/status')).data).toMatchObject({ system_name: 'My Gate' })
    const notes = await plane.database.kysely.selectFrom('logs').selectAll().execute()
    expect(notes).toMatchObject([
      { user_id: admin.id, type: 3, content: 'System name (SystemName): Tollgate → My Gate' },
    ])
  })

  test.each([
    ['RetryTimes', '-1'],
    ['RetryTimes', 'x'],
    ['RetryTimes', '1e999'],
    ['RetryTimes', ''],
    ['GroupRatio', '{}'],
    ['GroupRatio', '{"default":-1}'],
    ['GroupRatio', '{'],
    ['ModelRatio', '[]'],
    ['ModelRatio', '{"a":"1"}'],
    ['PasswordLoginEnabled', 'yes'],
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
    'there is no option %s',
    async (key) => {
      const before = await stored()
      expect((await save(key, 'x')).success).toBe(false)
      expect(await stored()).toEqual(before)
    },
  )

  test('a value is a text', async () => {
    for (const value of [true, 5, null, ['x'], { a: 1 }]) {
      expect((await save('SystemName', value)).message).toContain('value')
    }
  })

  test('a refusal is in the language of the reader', async () => {
    const answer = await save('GroupRatio', '{}', { 'accept-language': 'zh' })
    expect(answer.message).toBe('字段“GroupRatio”无效：至少需要一个分组')
  })

  test('groups are those that have a price, sorted', async () => {
    await save('GroupRatio', '{"vip":1,"default":1}')
    const { data } = await plane.call('GET', '/api/group/', { as: admin })
    expect(data).toEqual(['default', 'vip'])
  })

  test('what options name may be shown in frames and as images, and nothing else', async () => {
    await save('HomePageContent', 'https://home.example/page')
    await save('Footer', '<img src="https://img.example/a.png"> https://a;script-src.example/x')
    const { headers } = await plane.call('GET', '/')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("frame-src 'self' https://home.example;")
    expect(policy).toContain("img-src 'self' data: https://home.example https://img.example;")
    expect(policy).toContain("script-src 'self';")
  })

  test('however many hosts options name, the headers fit through a proxy', async () => {
    const hosts = Array.from({ length: 60 }, (_, index) => `${'x'.repeat(60)}.h${index}.example`)
    await save('HomePageContent', hosts.map((host) => `https://${host}/a`).join(' '))
    const { headers } = await plane.call('GET', '/api/status')
    await save('HomePageContent', '')
    expect(headers['content-security-policy']).toContain(`frame-src 'self' https://${hosts[0]} `)
    expect(JSON.stringify(headers).length).toBeLessThan(4096)
  })
})
