import { expect, test } from 'vitest'
import { z } from 'zod'
import { CHANNEL_STATUS, REDEMPTION_STATUS, ROLE, TOKEN_STATUS } from '@tollgate/contract'
import {
  accessTokenOf,
  type Answer,
  channelForm,
  idOf,
  idsOf,
  rowsOf,
} from '../../testing/worlds/control-plane.ts'
import { describePlane } from '../../testing/worlds/describe-planes.ts'

type Row = Record<string, unknown>

const rowOf = (answer: Answer): Row => z.record(z.string(), z.unknown()).parse(answer.data)
const textOf = (row: Row, field: string) => z.string().parse(row[field])

const PASSWORD = 'correct horse'

/** Settings of another installation, ordered by key. All values are text. */
const OPTIONS_ELSEWHERE: Record<string, string> = {
  About: 'https://about.example/page',
  ApproximateTokenEnabled: 'false',
  AutomaticDisableChannelEnabled: 'true',
  AutomaticEnableChannelEnabled: 'false',
  ChannelDisableThreshold: '5',
  ChatLink: 'https://chat.example',
  CompletionRatio: '{"gpt-4":2,"llama3-8b-8192(33)":0.333}',
  DisplayInCurrencyEnabled: 'true',
  DisplayTokenStatEnabled: 'true',
  EmailDomainRestrictionEnabled: 'true',
  EmailDomainWhitelist: 'gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com',
  EmailVerificationEnabled: 'true',
  Footer: '<a href="https://a.example">A</a>',
  GitHubClientId: 'Iv1.0123456789abcdef',
  GitHubClientSecret: 'github-secret',
  GitHubOAuthEnabled: 'true',
  GroupRatio: '{"default":1,"svip":0.8,"vip":0.9}',
  HomePageContent: '',
  LarkClientId: 'cli_a1',
  LarkClientSecret: 'lark-secret',
  LogConsumeEnabled: 'true',
  Logo: 'https://a.example/logo.png',
  MessagePusherAddress: 'https://push.example/push/root',
  MessagePusherToken: 'pusher-token',
  ModelRatio: JSON.stringify(manyRatios()),
  Notice: '# 公告\n<b>x</b>',
  OidcAuthorizationEndpoint: 'https://id.example/auth',
  OidcClientId: 'gate',
  OidcClientSecret: 'oidc-secret',
  OidcEnabled: 'true',
  OidcTokenEndpoint: 'https://id.example/token',
  OidcUserinfoEndpoint: 'https://id.example/userinfo',
  OidcWellKnown: 'https://id.example/.well-known/openid-configuration',
  PasswordLoginEnabled: 'true',
  PasswordRegisterEnabled: 'true',
  PreConsumedQuota: '500',
  QuotaForInvitee: '5000',
  QuotaForInviter: '5000',
  QuotaForNewUser: '0',
  QuotaPerUnit: '500000',
  QuotaRemindThreshold: '1000',
  RegisterEnabled: 'true',
  RetryTimes: '0',
  SMTPAccount: 'a@qq.com',
  SMTPFrom: '',
  SMTPPort: '465',
  SMTPServer: 'smtp.qq.com',
  SMTPToken: 'smtp-token',
  ServerAddress: 'https://gate.example/',
  SystemName: 'One API',
  Theme: 'berry',
  TopUpLink: 'https://shop.example/buy?id=1',
  TurnstileCheckEnabled: 'true',
  TurnstileSecretKey: '0x4BBB',
  TurnstileSiteKey: '0x4AAA',
  WeChatAccountQRCodeImageURL: 'https://wechat.example/qr.png',
  WeChatAuthEnabled: 'true',
  WeChatServerAddress: 'https://wechat.example/',
  WeChatServerToken: 'wechat-token',
}

function manyRatios(): Record<string, number> {
  const odd = { 'llama3-70b-8192(33)': 1.325, '@cf/meta/llama-3-8b': 0, 'gemma-7b-it': 3.5e-5 }
  const numbered = Array.from({ length: 500 }, (_, index) => [`vendor/model-${index}:free`, index])
  return { ...odd, '模型 名': 1, ...Object.fromEntries(numbered) }
}

describePlane('clients of One API', ['root'], ({ plane, root }) => {
  const done = (...sent: Parameters<typeof plane.done>) => plane.done(...sent)

  const optionsNow = async () => {
    const { data } = await done('GET', '/api/option/', { as: root })
    const entries = z.array(z.object({ key: z.string(), value: z.string() })).parse(data)
    return Object.fromEntries(entries.map(({ key, value }) => [key, value]))
  }

  test('a user registers without an invitation, logs in and sends the own row back', async () => {
    const form = { username: 'alice', password: PASSWORD, email: '', verification_code: '' }
    const air = { ...form, password2: PASSWORD, aff_code: null }
    await done('POST', '/api/user/register?turnstile=', { body: air })
    const berry = { ...form, username: 'bert', confirmPassword: PASSWORD, submit: null }
    await done('POST', '/api/user/register?turnstile=', { body: berry })

    const body = { username: 'alice', password: PASSWORD }
    const login = await done('POST', '/api/user/login?turnstile=', { body })
    expect(login.data).toMatchObject({ username: 'alice', role: ROLE.user, status: 1 })
    const as = /^session=([^;]+);.*Path=\//.exec(String(login.headers['set-cookie']))?.[1] ?? ''

    const self = rowOf(await done('GET', '/api/user/self', { as }))
    const edited = { ...self, password: '', display_name: '爱丽丝', role: ROLE.root, quota: 9 }
    await done('PUT', '/api/user/self', { as, body: edited })
    const now = rowOf(await done('GET', '/api/user/self', { as }))
    expect(now).toEqual({ ...self, display_name: '爱丽丝' })
    const code = await done('GET', '/api/user/aff', { as })
    expect(code.data).toBe(self['aff_code'])
    for (const path of ['dashboard', 'available_models']) {
      expect((await done('GET', `/api/user/${path}`, { as })).data).toEqual([])
    }
    await done('GET', '/api/user/logout', { as })
    expect((await plane.call('GET', '/api/user/self', { as })).status).toBe(401)
  })

  test('tokens are created, listed, switched and sent back whole', async () => {
    const as = await plane.addPerson(ROLE.user)
    const form = { name: 't', remain_quota: 500_000, expired_time: -1, unlimited_quota: false }
    const air = { ...form, model_limits_enabled: false, model_limits: '' }
    const made = await done('POST', '/api/token/', { as, body: air })
    const row = rowOf(await done('GET', `/api/token/${idOf(made)}`, { as }))
    // Older forms split these fields at commas.
    expect([row['models'], row['subnet']]).toEqual(['', ''])
    const edit = { ...row, name: 'u', models: 'gpt-4o,gpt-4', is_edit: true }
    const { data } = await done('PUT', '/api/token/', { as, body: edit })
    expect(data).toEqual({ ...row, name: 'u', models: 'gpt-4o,gpt-4' })
    for (const status of [TOKEN_STATUS.disabled, TOKEN_STATUS.enabled]) {
      const body = { id: row['id'], status }
      const { data: after } = await done('PUT', '/api/token/?status_only=true', { as, body })
      expect(after).toMatchObject({ status })
    }
    for (const query of ['?p=0&order=', '?p=0&order=remain_quota', '?p=-1', '?p=NaN', '']) {
      expect(rowsOf(await done('GET', `/api/token/${query}`, { as }))).toHaveLength(1)
    }
    expect((await done('GET', '/api/token/?p=1&order=', { as })).data).toEqual([])
    await done('DELETE', `/api/token/${idOf(made)}/`, { as })
  })

  test('a token may have an empty name, and keeps its name if none is sent', async () => {
    const as = await plane.addPerson(ROLE.user)
    const form = { remain_quota: 500, expired_time: -1, unlimited_quota: false }
    const made = await done('POST', '/api/token/', { as, body: { ...form, name: '' } })
    expect(made.data).toMatchObject({ name: '', remain_quota: 500 })
    const id = idOf(made)
    const named = await done('PUT', '/api/token/', { as, body: { ...form, id, name: 'shop' } })
    expect(named.data).toMatchObject({ name: 'shop' })
    const edit = { ...form, id, remain_quota: 400 }
    const kept = await done('PUT', '/api/token/', { as, body: edit })
    expect(kept.data).toMatchObject({ name: 'shop', remain_quota: 400 })
  })

  test('a page is ten rows, whatever else is asked for', async () => {
    const as = await plane.addPerson(ROLE.user)
    const form = { remain_quota: 0, expired_time: 0, unlimited_quota: true }
    for (let each = 0; each < 11; each++) {
      await done('POST', '/api/token/', { as, body: { ...form, name: `n${each}` } })
    }
    const first = await done('GET', '/api/token/?p=0&page_size=100&id_sort=false', { as })
    const second = await done('GET', '/api/token/?p=1&page_size=100', { as })
    expect(idsOf(first)).toHaveLength(10)
    expect(idsOf(second)).toHaveLength(1)
    expect(idsOf(first)).not.toContain(idsOf(second)[0])
  })

  test('an administrator creates users and sends rows back whole', async () => {
    const draft = { username: 'dora', display_name: '', password: PASSWORD }
    const berry = { ...draft, is_edit: false, group: 'vip', quota: 5, expiration_date: null }
    await done('POST', '/api/user/', { as: root, body: berry })
    const [found] = rowsOf(await done('GET', '/api/user/search?keyword=dora', { as: root }))
    const row = rowOf(await done('GET', `/api/user/${found?.id}`, { as: root }))
    expect(row).toMatchObject({ role: ROLE.user, quota: 0, group: 'default', display_name: 'dora' })
    const edit = { ...row, password: '', quota: 700_000, group: 'vip', is_edit: true }
    await done('PUT', '/api/user/', { as: root, body: edit })
    const expected = { ...row, quota: 700_000, group: 'vip' }
    expect((await done('GET', `/api/user/${found?.id}/`, { as: root })).data).toEqual(expected)
    for (const order of ['', 'quota', 'used_quota', 'request_count', 'undefined']) {
      await done('GET', `/api/user/?p=0&order=${order}`, { as: root })
    }
  })

  test('null, or nothing, for unintended fields changes nothing', async () => {
    const { id } = await plane.addPerson(ROLE.user, 100)
    await done('PUT', '/api/user/', { as: root, body: { id, group: 'vip' } })
    const headers = { authorization: `Bearer ${accessTokenOf(root)}` }
    const before = rowOf(await done('GET', `/api/user/${id}`, { headers }))
    const nothing = { username: null, display_name: null, password: null, group: null, email: null }
    await done('PUT', '/api/user/', { headers, body: { id, ...nothing, quota: null } })
    expect((await done('GET', `/api/user/${id}`, { headers })).data).toEqual(before)
    const empty = { username: '', display_name: '', password: '', group: '' }
    await done('PUT', '/api/user/', { headers, body: { id, ...empty, quota: 100 } })
    expect((await done('GET', `/api/user/${id}`, { headers })).data).toEqual(before)
    const topUp = { user_id: id, quota: 1000, remark: null }
    for (const authorization of [accessTokenOf(root), `Bearer ${accessTokenOf(root)}`]) {
      await done('POST', '/api/topup', { headers: { authorization }, body: topUp })
    }
    const after = await done('GET', `/api/user/${id}`, { headers })
    expect(after.data).toEqual({ ...before, quota: 2100 })
  })

  test('an empty Authorization header counts as absent', async () => {
    const headers = { authorization: '' }
    expect((await plane.call('GET', '/api/user/self', { headers })).status).toBe(401)
  })

  test('a channel is sent back whole by each front end', async () => {
    const air = { ...channelForm, openai_organization: '', auto_ban: 1, groups: ['default', 'vip'] }
    const form = { ...air, group: 'default,vip', key: 'sk-a\r\nsk-b\n\n', other: '' }
    await done('POST', '/api/channel/', { as: root, body: form })
    const [second, first] = idsOf(await done('GET', '/api/channel/?p=0&page_size=10', { as: root }))
    expect(Number(second) - Number(first)).toBe(1)
    const row = rowOf(await done('GET', `/api/channel/${first}`, { as: root }))
    expect(row).toMatchObject({ key: '', config: '', model_mapping: '', base_url: '', other: '' })
    const [models, group] = [textOf(row, 'models').split(','), textOf(row, 'group').split(',')]
    expect([models, group]).toEqual([channelForm.models.split(','), ['default', 'vip']])

    const whole = { ...row, groups: group, auto_ban: 1, is_edit: true }
    // One client writes an empty config as JSON, another sends every field it knows.
    for (const config of ['""', '{"region":"","sk":"","ak":"","user_id":""}']) {
      const { data } = await done('PUT', '/api/channel/', { as: root, body: { ...whole, config } })
      expect(data).toEqual({ ...row, config: config === '""' ? '' : config })
    }
    const nulls = { base_url: null, weight: null, priority: null, model_mapping: null }
    const { data } = await done('PUT', '/api/channel/', { as: root, body: { ...whole, ...nulls } })
    expect(data).toEqual(row)
    for (const change of [{ status: 2 }, { status: 1 }, { priority: -5 }, { weight: 3 }]) {
      const body = { id: first, ...change }
      const { data: after } = await done('PUT', '/api/channel/', { as: root, body })
      expect(after).toMatchObject(change)
    }
    const empty = { name: '', type: 0, status: 0, key: '', models: '', group: '' }
    const body = { id: first, ...empty, priority: 0 }
    const { data: kept } = await done('PUT', '/api/channel/', { as: root, body })
    expect(kept).toEqual({ ...row, weight: 3, priority: 0, status_time: expect.any(Number) })
    const listed = await done('GET', '/api/channel/models', { as: root })
    expect(rowsOf(listed).length).toBeGreaterThan(10)
    await done('GET', '/api/channel/search?keyword=fi&group=&model=', { as: root })
    for (const id of [first, second]) await done('DELETE', `/api/channel/${id}/`, { as: root })
    expect((await done('DELETE', '/api/channel/disabled', { as: root })).data).toBe(0)
  })

  test.each([
    [0, CHANNEL_STATUS.enabled],
    [1, CHANNEL_STATUS.enabled],
    [2, CHANNEL_STATUS.disabled],
    [3, CHANNEL_STATUS.autoDisabled],
    [null, CHANNEL_STATUS.enabled],
  ])('a channel row of another installation with status %s keeps it', async (status, kept) => {
    const empty = { weight: null, base_url: null, model_mapping: null, priority: null }
    const past = { created_time: 1, test_time: 1, response_time: 9, balance: 1.5, used_quota: 5 }
    const body = { ...channelForm, ...empty, ...past, id: 7, other: null, config: '', status }
    const made = await done('POST', '/api/channel/', { as: root, body })
    expect(made.data).toMatchObject([
      { status: kept, weight: 0, priority: 0, base_url: '', other: '', used_quota: 0, balance: 0 },
    ])
  })

  test('codes are created, edited, switched and redeemed', async () => {
    const body = { name: 'code', quota: 100_000, count: 2 }
    const made = await done('POST', '/api/redemption/', { as: root, body })
    const keys = z.array(z.string().regex(/^[0-9a-f]{32}$/)).parse(made.data)
    const [row = { id: 0 }, other] = rowsOf(await done('GET', '/api/redemption/?p=0', { as: root }))
    const edit = { ...row, name: 'renamed', quota: 50_000 }
    const { data } = await done('PUT', '/api/redemption/', { as: root, body: edit })
    expect(data).toEqual(edit)
    const off = { id: other?.id, status: REDEMPTION_STATUS.disabled }
    const switched = await done('PUT', '/api/redemption/?status_only=true', {
      as: root,
      body: off,
    })
    expect(switched.data).toMatchObject(off)
    const person = await plane.addPerson(ROLE.user)
    const redeem = (key: unknown) =>
      plane.call('POST', '/api/user/topup', { as: person, body: { key } })
    const answers = [await redeem(keys[0]), await redeem(keys[1])]
    expect(answers.filter(({ success }) => success)).toHaveLength(1)
    expect(answers.find(({ success }) => success)?.data).toBe(50_000)
    await done('DELETE', `/api/redemption/${row.id}/`, { as: root })
  })

  test('log filters may be empty, fractions or not numbers', async () => {
    const texts = 'p=0&page_size=10&type=0&token_name=&model_name=&username=&channel='
    for (const times of ['start_timestamp=0.123&end_timestamp=', 'end_timestamp=NaN']) {
      for (const path of ['self/', 'self', 'self/stat', '', 'stat']) {
        await done('GET', `/api/log/${path}?${texts}&${times}`, { as: root })
      }
    }
    const someone = await plane.addPerson(ROLE.user)
    expect((await done('GET', '/api/log/self/?p=0&type=0', { as: someone })).data).toEqual([])
    const stat = await done('GET', '/api/log/self/stat?type=0', { as: someone })
    expect(stat.data).toEqual({ quota: 0 })
  })

  test('settings of another installation are imported in two rounds', async () => {
    const put = (key: string, value: string) =>
      plane.call('PUT', '/api/option/', { as: root, body: { key, value } })
    const refused: string[] = []
    for (const [key, value] of Object.entries(OPTIONS_ELSEWHERE)) {
      if (!(await put(key, value)).success) refused.push(key)
    }
    // These switches precede the options they need.
    expect(refused).toEqual([
      'EmailVerificationEnabled',
      'OidcEnabled',
      'TurnstileCheckEnabled',
      'WeChatAuthEnabled',
    ])
    for (const key of refused) {
      expect(await put(key, OPTIONS_ELSEWHERE[key] ?? '')).toMatchObject({ message: '' })
    }
    const now = await optionsNow()
    const { ModelRatio, CompletionRatio, ...texts } = now
    const secret = /(?:Token|Secret|SecretKey)$/
    const expected = Object.entries(OPTIONS_ELSEWHERE)
      .filter(([key]) => !secret.test(key) && key !== 'ModelRatio' && key !== 'CompletionRatio')
      .map(([key, value]) => [key, key.endsWith('Address') ? value.replace(/\/$/, '') : value])
    expect(texts).toMatchObject({ ...Object.fromEntries(expected), Theme: 'auto' })
    expect(Object.keys(now).filter((key) => secret.test(key))).toEqual([])
    expect(JSON.parse(ModelRatio ?? '')).toMatchObject(manyRatios())
    expect(JSON.parse(CompletionRatio ?? '')).toMatchObject({ 'llama3-8b-8192(33)': 0.333 })
  })

  test('every listed option may be sent back as shown, with tables reformatted', async () => {
    const before = await optionsNow()
    for (const [key, value] of Object.entries(before)) {
      const text = key.endsWith('Ratio') ? JSON.stringify(JSON.parse(value), null, 2) : value
      await done('PUT', '/api/option/', { as: root, body: { key, value: text } })
    }
    expect(await optionsNow()).toEqual(before)
  })
})
