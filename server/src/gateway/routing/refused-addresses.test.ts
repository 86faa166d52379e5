import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { leadsInTurn, leadsTo } from '../../../testing/fakes/dns-lookups.ts'
import { startHttpProxy, startSocksProxy } from '../../../testing/fakes/proxies.ts'
import {
  answerAsAsked,
  answerRaw,
  startScriptedUpstream,
} from '../../../testing/fakes/scripted-upstream.ts'
import { openRealtime, setUpRealtime, withKey } from '../../../testing/worlds/realtime-scenario.ts'
import { COST, setUp, STREAMED } from '../../../testing/worlds/relay-scenario.ts'

const attemptsIn = (text = '[]') => z.array(z.looseObject({})).parse(JSON.parse(text))

const METADATA = '169.254.169.254'
const NO_RETRIES: ['RetryTimes', string][] = [['RetryTimes', '0']]
const other = { script: [answerAsAsked], priority: -1 }

test.each([
  ['a metadata address', { base_url: `http://${METADATA}` }, /link-local, cloud metadata/],
  ['its name', { base_url: 'http://a.test' }, /link-local, cloud metadata/],
  [
    'such a proxy',
    { config: JSON.stringify({ proxy: `socks5://${METADATA}` }) },
    /link-local, cloud metadata/,
  ],
  ['a base that swallows the path', { base_url: 'http://a.test/x#' }, /must have no "#"/],
])('a channel with %s fails, and the next one answers', async (_, bad, reason) => {
  const given = { script: [answerAsAsked], ...bad }
  const world = await setUp([given, other], { lookup: leadsTo(METADATA) })
  const answers = [await world.ask(), await world.ask(STREAMED)]
  for (const answer of answers) expect(answer.status).toBe(200)
  expect(await answers[1]?.text()).toContain('[DONE]')
  expect(world.calls()[0]).toBe(0)
  const { log } = await world.books()
  // Not retried: the first attempt fails at once, and the second uses the other channel.
  const [first, second] = attemptsIn(log?.attempts)
  expect(first).toMatchObject({
    channel: world.channels[0],
    reason: expect.stringMatching(reason),
  })
  expect(second).toMatchObject({ channel: world.channels[1], status: 200 })
})

test('without another channel, the client learns only that the channel failed', async () => {
  const base_url = `http://${METADATA}`
  const world = await setUp([{ script: [], base_url }], { options: NO_RETRIES })
  const answer = await world.ask()
  const text = await answer.text()
  expect(answer.status).toBe(502)
  expect(text).toContain('The upstream provider failed.')
  expect(text).not.toMatch(/metadata|169\.254/)
})

test('a host name that resolves to a private address on a later connection is refused', async () => {
  const provider = await startScriptedUpstream()
  provider.script(
    'a',
    answerRaw('HTTP/1.1 500 Oops\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
  )
  const { port } = new URL(provider.baseUrl('a'))
  const { lookup } = leadsInTurn(['127.0.0.1'], [METADATA])
  const given = { script: [], base_url: `http://changing.test:${port}/a` }
  const world = await setUp([given], { lookup, options: NO_RETRIES })
  expect([(await world.ask()).status, (await world.ask()).status]).toEqual([502, 502])
  expect(provider.requestsOf('a')).toHaveLength(1)
  const { log } = await world.books()
  expect(log?.attempts).toMatch(/link-local, cloud metadata/)
  await provider.close()
})

test('forbidding private networks takes effect with the next request', async () => {
  const world = await setUp(answerAsAsked, { options: NO_RETRIES })
  expect((await world.ask()).status).toBe(200)
  await world.setOption('ChannelPrivateNetworksEnabled', 'false')
  expect((await world.ask()).status).toBe(502)
  expect(world.calls()).toEqual([1])
  const { log } = await world.books()
  expect(log?.attempts).toMatch(/private network, which the option ChannelPrivateNetworksEnabled/)
  await world.setOption('ChannelPrivateNetworksEnabled', 'true')
  expect((await world.ask()).status).toBe(200)
})

test.each([
  ['a metadata address', { base_url: `http://${METADATA}` }, 'link-local, cloud metadata'],
  ['its name', { base_url: 'http://a.test' }, 'link-local, cloud metadata'],
  ['a private network', {}, 'private network, which the option'],
  ['such a proxy', { config: `{"proxy":"http://${METADATA}"}` }, 'link-local, cloud metadata'],
  ['a base that swallows the path', { base_url: 'http://a.test/x#' }, 'must have no "#"'],
])('no session is opened at %s', async (_, bad, reason) => {
  const isLocked = reason.startsWith('private')
  const world = await setUpRealtime([[]], {
    lookup: leadsTo(METADATA),
    providers: [bad],
    options: [...NO_RETRIES, ['ChannelPrivateNetworksEnabled', String(!isLocked)]],
  })
  const answered = await openRealtime(world, withKey(world.key))
  expect(answered.status).not.toBe(101)
  expect(world.provider.sessionsOf('p0')).toEqual([])
  const { log } = await world.books()
  expect(log?.attempts).toContain(JSON.stringify(reason).slice(1, -1))
})

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
  expect(await world.charges()).toEqual([COST, COST])
})

test('an unreachable proxy is a failure of the channel, and is not bypassed', async () => {
  const config = JSON.stringify({ proxy: 'http://127.0.0.1:1' })
  const world = await setUp([{ script: [answerAsAsked], config }], {
    options: [['RetryTimes', '0']],
  })
  expect((await world.ask()).status).toBe(502)
  expect(world.upstream.requestsOf('p0')).toEqual([])
})
