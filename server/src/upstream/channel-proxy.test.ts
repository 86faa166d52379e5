import { expect, test } from 'vitest'
import { proxyOf } from './channel-proxy.ts'

test.each([
  ['{"proxy":"http://proxy.test:8080"}', 'http://proxy.test:8080'],
  ['{"proxy":"socks5h://u:p@proxy.test:1080"}', 'socks5://u:p@proxy.test:1080'],
  ['{"proxy":""}', null],
  ['{"proxy":7}', null],
  ['{"region":"x"}', null],
  ['', null],
  ['no JSON', null],
])('%s has the proxy %s', (config, proxy) => {
  expect(proxyOf(config)).toBe(proxy)
})
