import { describe, expect, test } from 'vitest'
import { codecOf, descriptorOf, detailInBoth, problemFromTransport } from '@tollgate/relay'
import { leadsInTurn, leadsTo } from '../../testing/fakes/dns-lookups.ts'
import { startHttpProxy, startSocksProxy, type TestProxy } from '../../testing/fakes/proxies.ts'
import {
  answerJson,
  chatAnswer,
  startScriptedUpstream,
} from '../../testing/fakes/scripted-upstream.ts'
import { atEnd } from '../../testing/harness/at-end.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import type { OutgoingDeps } from '../network/outgoing.ts'
import { fetchBalance } from './balance.ts'
import type { UpstreamCall } from './exchange.ts'
import { UPSTREAM_LIMITS } from './limits.ts'
import { fetchModelList } from './model-list.ts'
import { openProviderSession } from './open-session.ts'
import { probeChannel } from './probe.ts'
import { sendAndCollect } from './read-response.ts'
import { createUpstream, type Upstream } from './send.ts'
import { openTunnel } from './tunnel.ts'

const OPENAI = 1
const BAIDU = 15
const SPARK = 18
const CLOSEAI = 4

const METADATA = '169.254.169.254'
const GUARDED = problemFromTransport('address_guarded').detail
const PRIVATE = problemFromTransport('address_private').detail

const provider = openPerTest(() => startScriptedUpstream())

/** A connection that leads nowhere fails after this, with a reason no test expects. */
const LIMITS = { ...UPSTREAM_LIMITS, connectMs: 2000 }

function open(deps: OutgoingDeps = {}): Upstream {
  const upstream = createUpstream(LIMITS, deps)
  atEnd(upstream.close)
  return upstream
}

async function openProxy(start: () => Promise<TestProxy>): Promise<TestProxy> {
  const proxy = await start()
  atEnd(proxy.close)
  return proxy
}

const portOfProvider = () => new URL(provider.baseUrl('a')).port

/** The provider's URL with a host name. */
const named = (scheme = 'http') => `${scheme}://a.test:${portOfProvider()}/a`

async function ask(upstream: Upstream, call: Partial<UpstreamCall>) {
  const whole = { url: named(), headers: {}, body: Buffer.from('{}'), ...call }
  const answer = await sendAndCollect(upstream, whole, { signal: AbortSignal.timeout(10_000) })
  return typeof answer === 'string' ? answer : answer.status
}

const CALLS: [string, Partial<UpstreamCall>][] = [
  ['HTTP', { url: `http://${METADATA}/a` }],
  ['HTTP with another port', { url: `http://${METADATA}:8080/a` }],
  ['HTTPS', { url: `https://[::ffff:a9fe:a9fe]/a` }],
  ['WebSocket', { url: `ws://${METADATA}/a`, transport: 'websocket' }],
  ['WebSocket with TLS', { url: 'wss://0xa9fea9fe/a', transport: 'websocket' }],
]

test.each(CALLS)('%s connects to no metadata address', async (_, call) => {
  expect(await ask(open(), call)).toBe('address_guarded')
})

describe('a host name', () => {
  test.each<[string, Partial<UpstreamCall>]>([
    ['HTTP', {}],
    ['HTTPS', { url: 'https://a.test/a' }],
    ['WebSocket', { url: 'ws://a.test/a', transport: 'websocket' }],
    ['WebSocket with TLS', { url: 'wss://a.test/a', transport: 'websocket' }],
  ])('is connected to by %s only if its address is allowed', async (_, call) => {
    expect(await ask(open({ lookup: leadsTo(METADATA) }), call)).toBe('address_guarded')
    expect(await ask(open({ lookup: leadsTo('fe80::1') }), call)).toBe('address_guarded')
    const locked = open({ lookup: leadsTo('127.0.0.1'), allowsPrivate: () => false })
    expect(await ask(locked, call)).toBe('address_private')
  })

  test('that resolves to another address later is checked for every connection', async () => {
    const last = { connection: 'close' }
    provider.script('a', answerJson({}, { headers: last }))
    const { lookup, asked } = leadsInTurn(['127.0.0.1'], ['127.0.0.1'], [METADATA])
    const upstream = open({ lookup })
    const answers = [await ask(upstream, {}), await ask(upstream, {}), await ask(upstream, {})]
    expect(answers).toEqual([200, 200, 'address_guarded'])
    expect(asked).toEqual(['a.test', 'a.test', 'a.test'])
    expect(provider.requestsOf('a')).toHaveLength(2)
  })

  test('is not resolved again for a reused connection', async () => {
    provider.script('a', answerJson({}))
    const { lookup, asked } = leadsInTurn(['127.0.0.1'], [METADATA])
    const upstream = open({ lookup })
    expect([await ask(upstream, {}), await ask(upstream, {})]).toEqual([200, 200])
    expect(asked).toEqual(['a.test'])
  })
})

describe.each<[string, () => Promise<TestProxy>]>([
  ['an HTTP', startHttpProxy],
  ['a SOCKS5', startSocksProxy],
])('through %s proxy', (_, start) => {
  test.each(CALLS)('%s connects to no metadata address', async (_name, call) => {
    const proxy = await openProxy(start)
    expect(await ask(open(), { ...call, proxy: proxy.address })).toBe('address_guarded')
    expect(proxy.targets).toEqual([])
  })

  test('a name is passed on unchanged, for the proxy to resolve', async () => {
    const proxy = await openProxy(start)
    provider.script('a', answerJson({}))
    const upstream = open({ lookup: leadsTo(METADATA) })
    const url = `http://localhost:${portOfProvider()}/a`
    expect(await ask(upstream, { url, proxy: proxy.address })).toBe(200)
    expect(proxy.targets).toEqual([`localhost:${portOfProvider()}`])
  })

  test('the proxy itself is at no such address', async () => {
    const proxy = await openProxy(start)
    const { protocol, port } = new URL(proxy.address)
    const url = provider.baseUrl('a')
    for (const host of [METADATA, '2852039166', '[::ffff:a9fe:a9fe]', '[fe80::1]', '0.0.0.0']) {
      const way = `${protocol}//${host}:${port}`
      expect(await ask(open(), { url, proxy: way }), host).toBe('address_guarded')
    }
    const byName = `${protocol}//proxy.test:${port}`
    const upstream = open({ lookup: leadsTo(METADATA) })
    expect(await ask(upstream, { url, proxy: byName })).toBe('address_guarded')
    expect(await ask(upstream, { url: `${url}/ws`, proxy: byName, transport: 'websocket' })).toBe(
      'address_guarded',
    )
    expect(proxy.targets).toEqual([])
  })

  test('neither end is in a private network while that is forbidden', async () => {
    const proxy = await openProxy(start)
    const locked = { allowsPrivate: () => false }
    const url = 'http://a.example/a'
    expect(await ask(open(locked), { url, proxy: proxy.address })).toBe('address_private')
    const privateNetworks = ['127.0.0.1']
    const listed = open({ ...locked, privateNetworks })
    for (const target of ['http://10.0.0.1/', 'http://[fd12::1]/']) {
      expect(await ask(listed, { url: target, proxy: proxy.address })).toBe('address_private')
    }
    expect(proxy.targets).toEqual([])
  })
})

test('a tunnel that was given no rules is guarded too', async () => {
  const proxy = await openProxy(startHttpProxy)
  const tunnel = openTunnel({ proxy: proxy.address, address: `http://${METADATA}` }, 1000)
  await expect(tunnel).rejects.toThrow('guarded')
})

test('a session connects to no such address', async () => {
  const session = {
    headers: {},
    channelSecrets: { key: '', baseUrl: '', proxy: null },
    tunnel: null,
  }
  const limits = {
    ...LIMITS,
    frameBytesMax: 1000,
    greetingMs: 1000,
    bufferedBytesMax: 1000,
    stallMs: 1000,
    pingMs: 1000,
    closeMs: 1000,
  }
  const { outgoing } = open({ lookup: leadsTo(METADATA) })
  for (const host of ['a.test', METADATA]) {
    const url = `ws://${host}:${portOfProvider()}/`
    const opening = await openProviderSession({ ...session, url }, limits, { outgoing })
    expect(opening).toMatchObject({ type: 'failed', status: 0, problem: { detail: GUARDED } })
  }
})

describe('when private networks are forbidden', () => {
  const openSwitched = () => {
    const option = { allowsPrivate: true }
    return { option, upstream: open({ allowsPrivate: () => option.allowsPrivate }) }
  }

  test('idle connections are closed, and new ones are refused', async () => {
    provider.script('a', answerJson({}))
    const { option, upstream } = openSwitched()
    const url = provider.baseUrl('a')
    expect([await ask(upstream, { url }), await ask(upstream, { url })]).toEqual([200, 200])
    expect(provider.connectionCount()).toBe(1)
    option.allowsPrivate = false
    expect(await ask(upstream, { url })).toBe('address_private')
    expect(provider.requestsOf('a')).toHaveLength(2)
    option.allowsPrivate = true
    expect(await ask(upstream, { url })).toBe(200)
    expect(provider.connectionCount()).toBe(2)
  })

  test('a running answer is completed, and its connection is not reused', async () => {
    let goOn = () => {}
    provider.script('a', async (response) => {
      response.writeHead(200).write('begun ')
      await new Promise<void>((resolve) => (goOn = resolve))
      response.end('and ended')
    })
    const { option, upstream } = openSwitched()
    const url = provider.baseUrl('a')
    let text = ''
    const { promise, resolve } = Promise.withResolvers<string>()
    upstream.send(
      { url, headers: {}, body: null },
      {
        head: () => {},
        data: (chunk) => (text += String(chunk)),
        end: () => resolve('end'),
        fail: resolve,
      },
    )
    await waitUntil(async () => text === 'begun ')
    option.allowsPrivate = false
    expect(await ask(upstream, { url })).toBe('address_private')
    goOn()
    expect(await promise).toBe('end')
    expect(text).toBe('begun and ended')
    option.allowsPrivate = true
    provider.script('a', answerJson({}))
    expect(await ask(upstream, { url })).toBe(200)
    expect(provider.connectionCount()).toBe(2)
  })
})

describe('a call for a channel reports why nothing was sent:', () => {
  const place = (base_url: string, type = CLOSEAI) => ({
    type,
    key: type === SPARK ? 'id|secret|key' : 'sk-upstream',
    base_url,
    config: '',
    other: '',
    model_mapping: '',
  })
  const now = Date.now

  const reasons = async (upstream: Upstream, base_url: string) => {
    const asked = { upstream, model: 'gpt-4o-mini', siteUrl: '', siteName: '', now }
    const test = await probeChannel({ ...asked, channel: place(base_url, OPENAI) })
    const spark = await probeChannel({
      ...asked,
      model: 'SparkDesk',
      channel: place(base_url, SPARK),
    })
    const balance = await fetchBalance({ upstream, channel: place(base_url), now: now() })
    const models = await fetchModelList(upstream, place(base_url), now())
    const told = [balance, models].map((result) => 'reason' in result && result.reason)
    return [test.message, spark.message, ...told]
  }

  test.each([
    ['a metadata address', {}, `http://${METADATA}`, GUARDED],
    ['a name of one', { lookup: leadsTo(METADATA) }, 'http://a.test', GUARDED],
    ['a private network', { allowsPrivate: () => false }, 'http://10.0.0.1', PRIVATE],
  ])('%s', async (_, deps, base, reason) => {
    expect(await reasons(open(deps), base)).toEqual([reason, reason, reason, reason])
    expect(detailInBoth(reason).zh).toMatch(/^该渠道或其代理服务器指向/)
  })

  test('a key is not exchanged for a token there either', async () => {
    const descriptor = descriptorOf(BAIDU)
    const exchange = descriptor && codecOf(descriptor)?.tokenExchange
    if (exchange === undefined) throw new Error('Baidu changes no keys')
    const asked = { baseUrl: `http://${METADATA}`, key: 'id|secret', proxy: null }
    const exchanging = Promise.resolve(open().exchangeKey(exchange, asked))
    await expect(exchanging).rejects.toMatchObject({ problem: { detail: GUARDED } })
  })
})

test('a redirect is an answer and is not followed', async () => {
  const location = `${provider.baseUrl('b')}/secret`
  for (const status of [301, 302, 303, 307, 308]) {
    provider.script('a', answerJson(chatAnswer(), { status, headers: { location } }))
    expect(await ask(open(), { url: provider.baseUrl('a') })).toBe(status)
  }
  const url = provider.baseUrl('a').replace('http', 'ws')
  expect(await ask(open(), { url, transport: 'websocket' })).toBe(308)
  expect(provider.requestsOf('b')).toEqual([])
})
