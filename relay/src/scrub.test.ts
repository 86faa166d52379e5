import { expect, test } from 'vitest'
import { scrub } from './scrub.ts'

test.each([
  ['Incorrect API key provided: sk-proj-Ab1_2-3.', 'Incorrect API key provided: [key].'],
  ['key sk-ab**********yz is wrong', 'key [key] is wrong'],
  ['key abcd****wxyz', 'key [key]'],
  ['gsk_abcdefghijklmnop1234567890 is wrong', '[id] is wrong'],
  ['AIzaSyA-abc_123', '[key]'],
  ['header Bearer abc.def', 'header [key]'],
  ['see https://platform.openai.com/account?x=1 now', 'see [address] now'],
  ['call wss://h.example:9/a', 'call [address]'],
  ['dial tcp 10.0.0.7:8443: refused', 'dial tcp [address]: refused'],
  ['lookup api.deepseek.com failed', 'lookup [address] failed'],
  ['host gateway.internal:8080/v1 down', 'host [address] down'],
  ['gateway.internal.corp:8443 said no', '[address] said no'],
  ['too long (request id: 20261121143921146655)', 'too long (request id [id])'],
  ['with request ID req-12 and "trace_id":"a1"', 'with request id [id] and "trace id [id]"'],
  ['see req_011CabcD', 'see [id]'],
  ['localhost:11434 refused', '[address] refused'],
  ['dial [2001:db8::1]:443', 'dial [address]'],
  ['write to help@vendor.com', 'write to [mail]'],
  ['in organization org-Ab12Cd34Ef on tokens', 'in organization [account] on tokens'],
  ['project proj_Ab12Cd34', 'project [account]'],
])('takes out of %j what names the upstream', (text, clean) => {
  expect(scrub(text)).toBe(clean)
})

test.each([
  ['The model `gpt-4.1-mini-2025-04-14` does not exist'],
  ["Invalid type for 'messages[0].content.image_url': expected an object"],
  ['max_completion_tokens must be at least 16'],
  ['user_message and team_settings are wrong'],
  ['the member request_id must be a string'],
  ['deepseek-ai/DeepSeek-V3 is busy, ratio 1.5.2'],
  ['请求过于频繁，请稍后再试。'],
])('leaves %j alone', (text) => {
  expect(scrub(text)).toBe(text)
})

test('makes one line of it, without control characters', () => {
  expect(scrub(' a\r\n\tb\0\u202ec ')).toBe('a b c')
})

test('keeps at most 1 KB and no half character', () => {
  const short = scrub('错'.repeat(2000))
  expect(Buffer.byteLength(short)).toBeLessThanOrEqual(1024)
  expect(short).toMatch(/^错+…$/)
})

test('takes little time for hostile text', () => {
  const start = performance.now()
  for (const text of ['a.', 'a', '*', '@', 'org-', '1.', '[:', 'sk-*']) scrub(text.repeat(100_000))
  expect(performance.now() - start).toBeLessThan(1000)
})
