import { beforeEach, describe, expect, test } from 'vitest'
import { AppError, type OptionKey, OPTIONS, ROLE } from '@tollgate/contract'
import { defaultPrices } from '@tollgate/contract/prices'
import { DATABASES, openKeptDatabase } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { createLog } from '../process/log.ts'
import { deriveSecrets } from '../secrets.ts'
import { openDatabase } from '../store/database.ts'
import { writeOption } from '../store/options.ts'
import { openSettings, type Settings } from './settings.ts'

const BY = {
  actor: { id: 7, username: 'ann', role: ROLE.root },
  language: 'en',
  nowSeconds: 5,
} as const

const secrets = deriveSecrets('a master key of the tests')

describe.each(DATABASES)('on %s', (kind) => {
  let lines: string[]
  let settings: Settings

  const place = openPerTest(() => openKeptDatabase(kind))
  const database = openPerTest(() => openDatabase(place))
  beforeEach(async () => {
    lines = []
    settings = await open()
  })

  const open = (over = database, log = lines) =>
    openSettings({
      database: over,
      secrets,
      log: createLog('trace', { write: (line) => void log.push(line) }),
    })

  const change = (node: Settings, key: OptionKey, value: string) => node.update({ key, value }, BY)

  const refusalOf = async (node: Settings, key: OptionKey, value: string) => {
    const refusal: unknown = await change(node, key, value).catch((error: unknown) => error)
    if (refusal instanceof AppError) return refusal
    throw new Error(`${key} took ${value}`)
  }

  const stored = () => database.kysely.selectFrom('options').selectAll().execute()

  const changes = () =>
    database.kysely
      .selectFrom('option_changes')
      .select(['key', 'before', 'after'])
      .orderBy('id')
      .execute()

  const everything = async () => [
    await stored(),
    await changes(),
    await database.kysely.selectFrom('logs').selectAll().execute(),
  ]

  test('a value is stored, applies at once, and survives a restart', async () => {
    await change(settings, 'RetryTimes', ' 7 ')
    await change(settings, 'ModelRatio', '{"mine": 2.5}')
    await change(settings, 'DefaultModelRatio', '')
    await change(settings, 'ServerAddress', 'https://example.org/')
    await change(settings, 'Theme', 'berry')
    await change(settings, 'RegisterEnabled', 'false')
    const again = await open()
    for (const { current } of [settings, again]) {
      expect(current()).toMatchObject({
        RetryTimes: 7,
        ModelRatio: { mine: 2.5 },
        DefaultModelRatio: null,
        ServerAddress: 'https://example.org',
        Theme: 'auto',
        RegisterEnabled: false,
      })
    }
    expect(lines).toEqual([])
  })

  test('characters that a database refuses are removed from a text', async () => {
    await change(settings, 'Notice', 'a\0b\ud800')
    expect(settings.current().Notice).toBe('ab\ufffd')
  })

  test('a change made on another node applies soon after', async () => {
    const elsewhere = await openDatabase(place)
    await change(await open(elsewhere), 'SystemName', 'Renamed')
    await expect.poll(() => settings.current().SystemName, { timeout: 5000 }).toBe('Renamed')
    await elsewhere.close()
  })

  test('a change is recorded with its complete value, author and time, and in the log', async () => {
    await change(settings, 'Notice', 'x'.repeat(3000))
    await change(settings, 'SystemName', 'Mine')
    await change(settings, 'SystemName', ' Mine ')
    const rows = await database.kysely.selectFrom('option_changes').selectAll().execute()
    const by = { actor_id: 7, actor_name: 'ann', created_at: 5 }
    expect(rows).toMatchObject([
      { key: 'Notice', before: '', after: 'x'.repeat(3000), ...by },
      { key: 'SystemName', before: 'Tollgate', after: 'Mine', ...by },
    ])
    const notes = await database.kysely.selectFrom('logs').selectAll().orderBy('id').execute()
    expect(notes).toMatchObject([
      { user_id: 7, type: 3, created_at: 5, content: 'Notice (Notice)' },
      {
        user_id: 7,
        type: 3,
        content: 'System name (SystemName): Tollgate → Mine',
        content_zh: '系统名称 (SystemName): Tollgate → Mine',
      },
    ])
  })

  test('concurrent changes are each recorded with the previous value', async () => {
    const values = ['0', '1', '2', '4', '5', '6', '7', '8']
    await Promise.all(values.map((value) => change(settings, 'RetryTimes', value)))
    const rows = await changes()
    expect(rows.map(({ before }) => before)).toEqual(
      ['3', ...rows.map(({ after }) => after)].slice(0, -1),
    )
    expect(settings.current().RetryTimes).toBe(Number(rows.at(-1)?.after))
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test('an empty database has the defaults', async () => {
    const current = settings.current()
    expect(current.SystemName).toBe('Tollgate')
    expect(current.GroupRatio).toEqual(OPTIONS.GroupRatio.default)
    const plain = Object.entries(OPTIONS).filter(([, row]) => !('secret' in row))
    expect(settings.list().map(({ key }) => key)).toEqual(plain.map(([key]) => key))
    expect(lines).toEqual([])
  })

  test.each<[OptionKey, OptionKey, string, string]>([
    ['SMTPToken', 'SMTPServer', 'smtp.example.org', 'SMTP.Example.org'],
    ['SMTPToken', 'SMTPServer', 'fd00::1', 'FD00::1'],
    ['WeChatServerToken', 'WeChatServerAddress', 'https://a.example', 'https://a.example/path'],
    ['MessagePusherToken', 'MessagePusherAddress', 'https://a.example', 'https://A.example:443/x'],
    ['OidcClientSecret', 'OidcWellKnown', 'https://a.example', 'https://a.example/.well-known/x'],
    ['OidcClientSecret', 'OidcTokenEndpoint', 'https://a.example', 'https://a.example/token'],
    ['OidcClientSecret', 'OidcUserinfoEndpoint', 'https://a.example', 'https://a.example/info'],
  ])('%s is not sent with a new %s, unless entered again', async (...given) => {
    const [secret, key, first, same] = given
    const other = { ...BY, actor: { id: 8, username: 'bob', role: ROLE.root } }
    const elsewhere = key === 'SMTPServer' ? 'fd00::2' : 'https://b.example'
    await change(settings, secret, 'a secret')
    await change(settings, key, first)
    await change(settings, key, elsewhere)
    await change(settings, key, first)
    const before = await everything()
    const refused = settings.update({ key, value: elsewhere }, other)
    await expect(refused).rejects.toMatchObject({ code: 'secret_needed_again' })
    expect(await everything()).toEqual(before)
    await settings.update({ key, value: same }, other)
    // Without a server the secret is sent nowhere. Setting the server again changes the
    // destination.
    await settings.update({ key, value: '' }, other)
    await expect(settings.update({ key, value: first }, other)).rejects.toThrow()
    await settings.update({ key: secret, value: 'a secret' }, other)
    await settings.update({ key, value: elsewhere }, other)
    expect(settings.current()[key]).toBe(elsewhere)
    await expect(change(settings, key, first)).rejects.toThrow()
    await change(settings, secret, ' ')
    await settings.update({ key, value: first }, other)
  })

  test('an invalid stored server does not block entering another', async () => {
    await database.kysely
      .insertInto('options')
      .values({ key: 'SMTPServer', value: 'https:' })
      .execute()
    const reopened = await open()
    await change(reopened, 'SMTPToken', 'a secret')
    await change(reopened, 'SMTPServer', 'smtp.example.org')
    expect(reopened.current().SMTPServer).toBe('smtp.example.org')
  })

  test('a table without a prototype is stored like any other', async () => {
    await change(settings, 'GroupRatio', '{"default":1,"toString":3,"__proto__":2}')
    expect(Object.keys(settings.current().GroupRatio)).toEqual(['default', 'toString'])
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  })

  test('an OIDC secret does not move to other endpoints through an empty discovery address', async () => {
    await change(settings, 'OidcTokenEndpoint', 'https://b.example')
    await change(settings, 'OidcWellKnown', 'https://a.example')
    await change(settings, 'OidcClientSecret', 'a secret')
    const other = { ...BY, actor: { id: 8, username: 'bob', role: ROLE.root } }
    const refused = settings.update({ key: 'OidcWellKnown', value: '' }, other)
    await expect(refused).rejects.toMatchObject({ code: 'secret_needed_again' })
  })

  test.each([
    ['RetryTimes', '11'],
    ['RetryTimes', 'many'],
    ['RetryTimes', ''],
    ['SMTPPort', '0'],
    ['ChannelDisableThreshold', '5s'],
    ['ModelRatio', '{"gpt-4o": -1}'],
    ['ModelRatio', '{"gpt-4o": 1'],
    ['ModelRatio', '[]'],
    ['GroupRatio', '{}'],
    ['LogConsumeEnabled', 'yes'],
    ['LogConsumeEnabled', '"true"'],
    ['LogConsumeEnabled', '1'],
    ['ServerAddress', 'javascript:alert(1)'],
    ['ServerAddress', 'https://gate.example/?from=mail'],
    ['ServerAddress', 'https://gate.example/#'],
    ['ServerAddress', 'https://ann:planted@gate.example'],
    ['WeChatServerAddress', 'https://wechat.example?code=1'],
    ['SystemName', '   '],
    ['Theme', 'neon'],
    ['SMTPToken', 'a\r\nb'],
    ['EmailDomainWhitelist', 'a b'],
    ['Links', '{"docs": "nowhere"}'],
    ['TopUpPackages', '{"packages": [{"usd": 0, "cny": 1}], "promotion": null}'],
  ] as const)('%s is refused as %j, with a reason, and stays as it was', async (key, text) => {
    const before = settings.current()
    const { code, params } = await refusalOf(settings, key, text)
    expect([code, params['field']]).toEqual(['invalid_field', key])
    expect(params['problem']).toMatch(/./)
    expect(settings.current()).toBe(before)
    expect(await everything()).toEqual([[], [], []])
  })

  test('an invalid stored value falls back to its default, with one line in the log', async () => {
    await writeOption(database.kysely, { key: 'RetryTimes', value: 'broken' })
    await writeOption(database.kysely, { key: 'SystemName', value: 'Mine' })
    await writeOption(database.kysely, { key: 'SMTPToken', value: 'never sealed' })
    await writeOption(database.kysely, { key: 'OptionOfAnotherVersion', value: '1' })
    const own: string[] = []
    const reopened = await open(database, own)
    await change(reopened, 'Notice', 'read anew')
    expect(reopened.current()).toMatchObject({ RetryTimes: 3, SystemName: 'Mine', SMTPToken: '' })
    expect(own).toHaveLength(2)
    expect(own[0]).toContain('SMTPToken')
    expect(own[1]).toContain('RetryTimes')
    expect(own.join('')).not.toContain('never sealed')
  })

  test('ratios with more decimals than charges use are read and set as they are charged', async () => {
    await writeOption(database.kysely, { key: 'ModelRatio', value: '{"a":0.3333333333333333}' })
    await writeOption(database.kysely, { key: 'DefaultModelRatio', value: '1.00000000049' })
    const reopened = await open()
    expect(reopened.current()).toMatchObject({
      ModelRatio: { a: 0.333333333 },
      DefaultModelRatio: 1,
    })
    expect(lines).toEqual([])
    await change(reopened, 'ModelRatio', JSON.stringify({ a: 0.1 + 0.2, b: 2 / 3 }))
    expect(reopened.current().ModelRatio).toEqual({ a: 0.3, b: 0.666666667 })
  })

  test('a secret is stored encrypted, and never returned', async () => {
    await change(settings, 'SMTPToken', 'the secret')
    expect(settings.current().SMTPToken).toBe('the secret')
    expect((await open()).current().SMTPToken).toBe('the secret')
    expect(settings.list().map(({ key }) => key)).not.toContain('SMTPToken')
    expect(JSON.stringify([await everything(), lines])).not.toContain('the secret')
  })

  test('an empty secret is unchanged, and a space clears it', async () => {
    await change(settings, 'SMTPToken', 'the secret')
    await change(settings, 'SMTPToken', '')
    expect(settings.current().SMTPToken).toBe('the secret')
    await change(settings, 'SMTPToken', 'another')
    await change(settings, 'SMTPToken', ' ')
    expect(settings.current().SMTPToken).toBe('')
    expect(await changes()).toEqual([
      { key: 'SMTPToken', before: '', after: '••••' },
      { key: 'SMTPToken', before: '••••', after: '••••' },
      { key: 'SMTPToken', before: '••••', after: '' },
    ])
  })

  test("a switch requires its settings, named in the reader's language", async () => {
    const before = await everything()
    const { code, params } = await refusalOf(settings, 'GitHubOAuthEnabled', 'true')
    expect(code).toBe('option_needs')
    expect(params['needed']).toBe(
      'GitHub client ID (GitHubClientId), GitHub client secret (GitHubClientSecret)',
    )
    expect(await everything()).toEqual(before)
    await change(settings, 'GitHubClientId', 'id')
    await change(settings, 'GitHubClientSecret', 'secret')
    await change(settings, 'GitHubOAuthEnabled', 'true')
    expect(settings.current().GitHubOAuthEnabled).toBe(true)
  })

  test('one of several lists of settings is enough, and the error names the closest one', async () => {
    await change(settings, 'OidcClientId', 'id')
    await change(settings, 'OidcClientSecret', 'secret')
    await change(settings, 'OidcAuthorizationEndpoint', 'https://id.example/authorize')
    const { params } = await refusalOf(settings, 'OidcEnabled', 'true')
    expect(params['needed']).toBe('OIDC discovery address (OidcWellKnown)')
    await change(settings, 'OidcTokenEndpoint', 'https://id.example/token')
    await change(settings, 'OidcUserinfoEndpoint', 'https://id.example/me')
    await change(settings, 'OidcEnabled', 'true')
    expect(settings.current().OidcEnabled).toBe(true)
  })

  test('settings a switch requires cannot be emptied while it is on', async () => {
    await change(settings, 'EmailDomainRestrictionEnabled', 'true')
    const { code } = await refusalOf(settings, 'EmailDomainWhitelist', ' , ')
    expect(code).toBe('option_needed')
    expect(settings.current().EmailDomainWhitelist).toContain('gmail.com')
    await change(settings, 'EmailDomainRestrictionEnabled', 'false')
    await change(settings, 'EmailDomainWhitelist', '')
    expect(settings.current().EmailDomainWhitelist).toBe('')
  })

  test('a console address requires a server address, which stays while it is in use', async () => {
    const early = await refusalOf(settings, 'ConsoleAddress', 'https://console.example')
    expect([early.code, early.params['needed']]).toEqual([
      'option_needs',
      'Server address (ServerAddress)',
    ])
    await change(settings, 'ServerAddress', 'https://gate.example')
    await change(settings, 'ConsoleAddress', 'https://console.example/')
    expect(settings.current().ConsoleAddress).toBe('https://console.example')
    expect((await refusalOf(settings, 'ServerAddress', '')).code).toBe('option_needed')
    await change(settings, 'ConsoleAddress', '')
    await change(settings, 'ServerAddress', '')
  })

  test.each([
    'https://gate.example',
    'http://gate.example',
    'https://gate.example:8443',
    'https://GATE.example./console',
  ])('console and relay have different hosts: %s is refused next to the other', async (address) => {
    await change(settings, 'ServerAddress', 'https://gate.example')
    const { code } = await refusalOf(settings, 'ConsoleAddress', address)
    expect(code).toBe('console_host_shared')
    await change(settings, 'ConsoleAddress', 'https://console.gate.example')
    await change(settings, 'ServerAddress', 'https://api.example')
    await change(settings, 'ConsoleAddress', address)
    const back = await refusalOf(settings, 'ServerAddress', 'https://gate.example/v1')
    expect(back.code).toBe('console_host_shared')
  })

  test('only the differences of a price table are stored, and the complete table is shown', async () => {
    const whole = Object.fromEntries(
      Object.entries(defaultPrices).map(([model, price]) => [model, price.model_ratio]),
    )
    const shown = (key: OptionKey): unknown =>
      JSON.parse(settings.list().find((entry) => entry.key === key)?.value ?? '')
    expect(shown('ModelRatio')).toEqual(whole)

    await change(settings, 'ModelRatio', JSON.stringify({ ...whole, 'gpt-4o': 9, mine: 1 }))
    expect(settings.current().ModelRatio).toEqual({ 'gpt-4o': 9, mine: 1 })
    expect(shown('ModelRatio')).toEqual({ ...whole, 'gpt-4o': 9, mine: 1 })

    await change(settings, 'ModelRatio', '{"mine": 2}')
    expect(settings.current().ModelRatio).toEqual({ mine: 2 })
    expect(await changes()).toEqual([
      {
        key: 'ModelRatio',
        before: `{"gpt-4o":${whole['gpt-4o']}}`,
        after: '{"gpt-4o":9,"mine":1}',
      },
      {
        key: 'ModelRatio',
        before: '{"gpt-4o":9,"mine":1}',
        after: `{"gpt-4o":${whole['gpt-4o']},"mine":2}`,
      },
    ])
    await change(settings, 'ModelRatio', JSON.stringify({ mine: 2, ...whole }))
    expect(await changes()).toHaveLength(2)
  })
})
