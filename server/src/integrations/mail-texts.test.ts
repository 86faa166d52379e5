import { expect, test } from 'vitest'
import { letterOf, type MailContent } from './mail-texts.ts'

const options = {
  SystemName: 'Gate & Co',
  ServerAddress: '',
  ConsoleAddress: '',
  DisplayInCurrencyEnabled: false,
  QuotaPerUnit: 500_000,
}

const CHINESE = /\p{Script=Han}/u

const asked = [
  { type: 'verification', code: '1234', minutes: 10 },
  { type: 'address-in-use' },
  { type: 'reset', link: 'https://gate.example/reset?a=1&b="2"', minutes: 15 },
  { type: 'test-mail' },
] as const

test.each(asked)("$type is in the recipient's language only", (news) => {
  const zh = letterOf({ ...news, language: 'zh' }, options)
  const en = letterOf({ ...news, language: 'en' }, options)
  for (const part of [zh.subject, zh.text, zh.html]) expect(part).toMatch(CHINESE)
  for (const part of [en.subject, en.text, en.html]) expect(part).not.toMatch(CHINESE)
  expect(en.subject.startsWith('[Gate & Co] ')).toBe(true)
})

const unasked: MailContent[] = [
  { type: 'quota-reminder', remaining: 900, stop: '' },
  { type: 'quota-reminder', remaining: 0, stop: '' },
  { type: 'second-factor', event: 'totp_added' },
  { type: 'second-factor', event: 'totp_removed' },
  { type: 'second-factor', event: 'passkey_added' },
  { type: 'second-factor', event: 'passkey_removed' },
  { type: 'second-factor', event: 'recovery_codes_made' },
  { type: 'second-factor', event: 'recovery_code_used' },
  { type: 'second-factor', event: 'reset' },
  { type: 'channel-alert', channel_id: 7, name: 'main', event: 'slow', reason: '' },
  { type: 'test-finished', total: 3, failed: 1, seconds: 9 },
  { type: 'identity-alert', options: { en: 'SMTP server', zh: 'SMTP 服务器地址' }, actors: 'adam' },
]

test.each(unasked)('$type is in both languages, Chinese first', (news) => {
  const { subject, text, html } = letterOf(news, options)
  for (const part of [subject, text]) expect(part).toMatch(/\p{Script=Han}.*[a-z]{3}/su)
  expect(html.indexOf('lang="zh"')).toBeLessThan(html.indexOf('lang="en"'))
})

test('minutes, amounts in units, and the link are in the text; without a server address there is no link', () => {
  expect(
    letterOf({ type: 'reset', link: 'https://x/', minutes: 15, language: 'en' }, options).text,
  ).toContain('15 minutes')
  const without = letterOf({ type: 'quota-reminder', remaining: 900, stop: '' }, options)
  expect(without.text).toContain('当前剩余额度 900 点。')
  expect(without.text).toContain('900 units')
  expect(without.html).not.toContain('href')
  const address = { ...options, ServerAddress: 'https://gate.example' }
  const withLink = letterOf({ type: 'quota-reminder', remaining: 900, stop: '' }, address)
  expect(withLink.html).toContain('href="https://gate.example/topup"')
  const apart = { ...address, ConsoleAddress: 'https://console.example' }
  const toConsole = letterOf({ type: 'quota-reminder', remaining: 900, stop: '' }, apart)
  expect(toConsole.html).toContain('href="https://console.example/topup"')
  const stop = 'https://gate.example/reminder/stop?user=1&signature=x'
  const { text } = letterOf({ type: 'quota-reminder', remaining: 900, stop }, address)
  expect(text.split(stop)).toHaveLength(3)
})

test('a mail about second factors says what to do if it was someone else, and where', () => {
  const news = { type: 'second-factor', event: 'passkey_added' } as const
  const { subject, text } = letterOf(news, { ...options, ServerAddress: 'https://gate.example' })
  expect(subject).toBe('[Gate & Co] 你的账户添加了通行密钥 / A passkey was added to your account')
  expect(text).toContain('如果不是你本人操作')
  expect(text).toContain('If it was not you')
  expect(text.match(/https:\/\/gate\.example\/setting\n/g)).toHaveLength(2)
  const apart = { ServerAddress: 'https://gate.example', ConsoleAddress: 'https://console.example' }
  const toConsole = letterOf(news, { ...options, ...apart })
  expect(toConsole.text.match(/https:\/\/console\.example\/setting\n/g)).toHaveLength(2)
  expect(letterOf(news, options).text).not.toContain('http')
})

test('a name, a reason or a link never becomes markup', () => {
  const nasty = `<img src=x onerror='y'>&"`
  const alert = { type: 'channel-alert', channel_id: 7, event: 'disabled' } as const
  const { html } = letterOf({ ...alert, name: nasty, reason: nasty }, options)
  expect(html).not.toContain('<img')
  expect(html).toContain('&lt;img src=x onerror=&#39;y&#39;&gt;&amp;&quot;')
  const link = letterOf({ ...asked[2], language: 'en' }, options)
  expect(link.html).toContain('href="https://gate.example/reset?a=1&amp;b=&quot;2&quot;"')
  expect(link.text).toContain('https://gate.example/reset?a=1&b="2"')
})
