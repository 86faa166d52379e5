import { expect, onTestFinished, test } from 'vitest'
import { startHttpProxy, startSocksProxy } from '../../../testing/fakes/proxies.ts'
import { answerAsAsked } from '../../../testing/fakes/scripted-upstream.ts'
import { COST, setUp, STREAMED } from '../../../testing/worlds/relay-scenario.ts'

test.each([
  ['HTTP', startHttpProxy],
  ['SOCKS5', startSocksProxy],
])('a channel with a proxy is reached through it: %s', async (_name, start) => {
  const proxy = await start()
  onTestFinished(() => proxy.close())
  const withName = proxy.address.replace('://', '://name:pass%20word@')
  const config = JSON.stringify({ proxy: withName })
  const world = await setUp([{ script: [answerAsAsked], config }])
  expect((await world.ask()).status).toBe(200)
  const streamed = await world.ask(STREAMED)
  expect(await streamed.text()).toContain('[DONE]')
  const { host } = new URL(world.upstream.baseUrl('p0'))
  expect(proxy.targets).toContain(host)
  expect(proxy.names).toContain('name:pass word')
  const { logs } = await world.books()
  expect(logs.map(({ quota }) => quota)).toEqual([COST, COST])
})

test('an unreachable proxy is a failure of the channel, and is not bypassed', async () => {
  const config = JSON.stringify({ proxy: 'http://127.0.0.1:1' })
  const world = await setUp([{ script: [answerAsAsked], config }], {
    options: [['RetryTimes', '0']],
  })
  expect((await world.ask()).status).toBe(502)
  expect(world.upstream.requestsOf('p0')).toEqual([])
})
