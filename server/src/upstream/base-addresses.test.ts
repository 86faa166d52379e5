import { afterEach, beforeEach, expect, test } from 'vitest'
import { CALL_DETAILS, catalogue, type ProviderDescriptor, realtimeCall } from '@tollgate/relay'
import { takesQuery } from '@tollgate/relay/catalogue'
import { answerJson, startScriptedUpstream } from '../../testing/fakes/scripted-upstream.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { fetchBalance } from './balance.ts'
import { UPSTREAM_LIMITS } from './limits.ts'
import { fetchModelList } from './model-list.ts'
import { probeChannel } from './probe.ts'
import { createUpstream, type Upstream } from './send.ts'

const TENCENT = 23

/** The answer of an internal server to a GET of exactly this path. */
const SECRET = 'plantedSecret of the inner network'

let upstream: Upstream

const provider = openPerTest(() => startScriptedUpstream())
beforeEach(async () => {
  provider.script('secret', answerJson(SECRET, { headers: { 'content-type': 'text/plain' } }))
  upstream = createUpstream({ ...UPSTREAM_LIMITS, connectMs: 1000, firstByteMs: 1000 })
})

afterEach(async () => {
  upstream.close()
})

const keyFor = ({ keyFormat = 'sk-upstream' }: ProviderDescriptor) =>
  keyFormat
    .split('|')
    .map((part, index) => (index === 0 ? '1234567890' : part))
    .join('|')

/** Runs every call that only an administrator can trigger. */
async function askEverything(descriptor: ProviderDescriptor, base_url: string, config = '') {
  const { type, models } = descriptor
  const channel = { type, key: keyFor(descriptor), base_url, config, other: '', model_mapping: '' }
  const [model = ''] = models
  const asked = { upstream, model, siteUrl: '', siteName: '', now: Date.now }
  const balance = await fetchBalance({ upstream, channel, now: 0 })
  const list = await fetchModelList(upstream, channel, 0)
  const { message } = await probeChannel({ ...asked, channel })
  const reasons = [balance, list].flatMap((told) => ('reason' in told ? [told.reason] : []))
  return [...reasons, message]
}

const pathsAsked = () => provider.requestsOf('secret').map(({ path }) => path)

const byType = catalogue.map((descriptor) => [descriptor.type, descriptor] as const)

test.each(byType)(
  'a base URL that swallows the path is never called, for type %d',
  async (_, one) => {
    for (const ending of ['#', '?x=#', '#?', '/#/v1', '#{model}']) {
      const reasons = await askEverything(one, `${provider.baseUrl('secret')}${ending}`)
      expect(reasons).not.toEqual([])
      for (const reason of reasons) expect(reason).toMatch(/^The base URL of the channel must have/)
    }
    expect(pathsAsked()).toEqual([])
  },
)

test.each(byType)('a query is refused or put after the path, for type %d', async (type, one) => {
  const reasons = await askEverything(one, `${provider.baseUrl('secret')}?x=`)
  if (takesQuery(type)) {
    // Tencent has one path for everything, called by POST.
    const path = type === TENCENT ? '\\/' : '\\/[^?]*[a-z][^?]*'
    const asked = new RegExp(`^${path}\\?(?:.*&)?x=(?:&|$)`)
    for (const one of pathsAsked()) expect(one).toMatch(asked)
  } else {
    expect(pathsAsked()).toEqual([])
    for (const reason of reasons) expect(reason).toMatch(/must have no query/)
  }
  expect(reasons.join()).not.toContain('plantedSecret')
})

test('only OpenAI, custom channels and protocols without a default accept a query', () => {
  const taking = catalogue.filter(({ type }) => takesQuery(type)).map(({ type }) => type)
  expect(taking.toSorted((one, other) => one - other)).toEqual([
    1, 3, 8, 11, 14, 15, 16, 17, 18, 23, 24, 27, 30, 1001, 1002, 1003,
  ])
  expect(takesQuery(99)).toBe(false)
})

test('a base URL with a placeholder for the model is not called without a model', async () => {
  const custom = catalogue.find(({ type }) => type === 8)
  if (custom === undefined) throw new Error('there are no custom channels')
  await askEverything(custom, `${provider.baseUrl('secret')}/{model}/ask`)
  expect(pathsAsked()).toEqual([`/${custom.models[0] ?? ''}/ask`])
})

test('a proxy whose address swallows something is not called either', async () => {
  const [openai] = catalogue
  if (openai === undefined) throw new Error('there is no type')
  for (const ending of ['/#', '?x', '/a b', '/\\']) {
    const config = JSON.stringify({ proxy: provider.baseUrl('secret') + ending })
    const reasons = await askEverything(openai, 'https://a.example', config)
    for (const reason of reasons) expect(reason).toMatch(/^The proxy address of the channel/)
  }
  expect(provider.connectionCount()).toBe(0)
})

test('the address of a session has its path before the query', () => {
  const [descriptor] = catalogue
  if (descriptor === undefined) throw new Error('there is no type')
  const asked = { descriptor, other: '', key: 'k', model: 'm', isPreview: false }
  const urlOf = (baseUrl: string) => realtimeCall({ ...asked, baseUrl })?.url
  expect(urlOf('http://a.example/secret#')).toBe('ws://a.example/secret/v1/realtime?model=m')
  expect(urlOf('http://a.example/secret?x=')).toBe('ws://a.example/secret/v1/realtime?x=&model=m')
})

const addressless = catalogue.filter(({ baseUrl }) => baseUrl === '')

test.each(addressless)(
  'type $type without an address is not called at another one',
  async (one) => {
    const { type } = one
    const channel = { type, key: 'sk-planted', base_url: '', config: '' }
    expect(await fetchModelList(upstream, channel, 0)).toEqual({ type: 'unsupported' })
    const reasons = await askEverything(one, '')
    expect(reasons.at(-1)).toBe(CALL_DETAILS.noBaseUrl.en)
  },
)
