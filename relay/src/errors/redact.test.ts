import { expect, test } from 'vitest'
import { hideSecrets, redact } from './redact.ts'

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
  ['Invalid URL (POST /v1?code=s-1&to=%41)', 'Invalid URL (POST /v1?code=[key]&to=[key])'],
])('removes what names the upstream from %j', (text, clean) => {
  expect(redact(text)).toBe(clean)
})

test.each([
  ['The model `gpt-4.1-mini-2025-04-14` does not exist'],
  ["Invalid type for 'messages[0].content.image_url': expected an object"],
  ['max_completion_tokens must be at least 16'],
  ['user_message and team_settings are wrong'],
  ['the member request_id must be a string'],
  ['deepseek-ai/DeepSeek-V3 is busy, ratio 1.5.2'],
  ['请求过于频繁，请稍后再试。'],
])('leaves %j unchanged', (text) => {
  expect(redact(text)).toBe(text)
})

test.each([
  ['sk|a-secret', '', null],
  ['a-secret', '', null],
  ['x', 'https://ann:a-secret@a.example/v1', null],
  ['x', 'https://a-secret@a.example', null],
  ['x', 'https://a.example/v1?api=1&code=a-secret', null],
  ['x', 'https://a.example/v1?a-secret', null],
  ['x', '', 'socks5://bob:a-secret@b.example:1080'],
])('a secret of a request is redacted: key %s, address %s, proxy %s', (key, baseUrl, proxy) => {
  expect(hideSecrets('no a-secret here', { key, baseUrl, proxy })).toBe('no [key] here')
})

test('a secret with a different encoding in an address is redacted in both', () => {
  const asked = { key: 'x', baseUrl: 'https://a.example?code=a%2Fsecret', proxy: null }
  expect(hideSecrets('a/secret a%2Fsecret', asked)).toBe('[key] [key]')
})

test.each([
  ['a proxy password as it is sent', 'http://bob:p%40ssw0rd!@b.example:1', 'no p@ssw0rd! here'],
  ['a proxy password as written', 'http://bob:p%40ssw0rd!@b.example:1', 'no p%40ssw0rd! here'],
  ['a value with a plus as written', 'https://a.example/?c=ab+secret12', 'no ab+secret12 here'],
  ['a value with a plus as it is read', 'https://a.example/?c=ab+secret12', 'no ab secret12 here'],
])('%s is redacted', (_what, address, text) => {
  const nowhere = { key: '', baseUrl: '', proxy: null }
  for (const place of [{ baseUrl: address }, { proxy: address }]) {
    expect(hideSecrets(text, { ...nowhere, ...place })).toBe('no [key] here')
  }
})

test.each([
  ['https://gw.example/v1/0a1b2c3d4e5f60718293/SecretToken-4711-x/openai'],
  ['https://gw.example/SecretToken-4711-x?x=0a1b2c3d4e5f60718293'],
  ['https://gw.example/v1/0a1b2c3d4e5f60718293/SecretToken%2D4711-x/'],
])('random-looking parts of a path are redacted: %s', (baseUrl) => {
  const said = 'POST /v1/0a1b2c3d4e5f60718293/SecretToken-4711-x/openai: no SecretToken-4711-x'
  expect(hideSecrets(said, { key: '', baseUrl, proxy: null }).replaceAll('[key]', '*')).toMatch(
    /^POST \/v1\/\*\/\*\/openai: no \*$/,
  )
})

test.each([
  ['https://a.example/?api-version=2024-06-01', 'API version 2024-06-01 not supported'],
  ['https://a.example/?API-Version=2024-06-01-preview', 'no 2024-06-01-preview'],
  ['https://a.example/?deployment=gpt-4o-2024-08-06', 'no deployment gpt-4o-2024-08-06'],
  ['https://a.example/?model=gpt-4o-2024-08-06', 'no model gpt-4o-2024-08-06'],
  ['https://a.example/compatible-mode/completions', 'no compatible-mode, no completions'],
  ['https://a.example/openai/deployments/gpt-4o-2024-08-06', 'no gpt-4o-2024-08-06'],
  ['https://a.example/v1/models/gpt-4o-2024-08-06', 'no gpt-4o-2024-08-06'],
  ['https://a.example/models/meta-llama/Llama-3.1-8B-Instruct/v1', 'no Llama-3.1-8B-Instruct'],
  ['https://a.example/engines/gpt-4o-2024-08-06', 'no gpt-4o-2024-08-06'],
  ['https://a.example/serving-endpoints/databricks-llama-3-70b', 'no databricks-llama-3-70b'],
])('readable parts of an address are kept: %s', (baseUrl, text) => {
  expect(hideSecrets(text, { key: '', baseUrl, proxy: null })).toBe(text)
})

test('the longer of two secrets is redacted completely', () => {
  const key = 'abcdefgh|abcdefgh-ijklmnop'
  expect(hideSecrets('no abcdefgh-ijklmnop', { key, baseUrl: '', proxy: null })).toBe('no [key]')
})

test('text that is too short for a secret is kept', () => {
  const asked = { key: 'user', baseUrl: 'https://ann@a.example/v1?v=2', proxy: 'no address' }
  expect(hideSecrets('user ann 2 no address', asked)).toBe('user ann 2 no address')
})

test('makes one line of it, without control characters', () => {
  expect(redact(' a\r\n\tb\0\u202ec ')).toBe('a b c')
})

test('keeps at most 1 KB, and no partial character', () => {
  const short = redact('错'.repeat(2000))
  expect(Buffer.byteLength(short)).toBeLessThanOrEqual(1024)
  expect(short).toMatch(/^错+…$/)
})

test('takes little time for hostile text', () => {
  const before = process.threadCpuUsage()
  for (const text of ['a.', 'a', '*', '@', 'org-', '1.', '[:', 'sk-*']) redact(text.repeat(100_000))
  const { user, system } = process.threadCpuUsage(before)
  expect(user + system).toBeLessThan(1_000_000)
})
