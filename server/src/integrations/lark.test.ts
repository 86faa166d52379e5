import { expect, test } from 'vitest'
import { larkAuthorizeUrl } from './lark.ts'

test.each([
  ['https://open.feishu.cn', 'https://accounts.feishu.cn'],
  ['https://open.larksuite.com', 'https://accounts.larksuite.com'],
  ['https://open.lark.example', 'https://open.lark.example'],
])('a login by %s leads to %s', (address, page) => {
  const lark = { address, clientId: 'cli_1', clientSecret: 's', redirectUri: 'https://a.example' }
  const url = new URL(larkAuthorizeUrl(lark, { state: 'state', verifier: 'v'.repeat(43) }))
  expect(`${url.origin}${url.pathname}`).toBe(`${page}/open-apis/authen/v1/authorize`)
  expect(url.searchParams.get('client_id')).toBe('cli_1')
})
