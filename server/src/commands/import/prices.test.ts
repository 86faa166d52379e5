import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import { openImportWorld, SECRET_KEY } from '../../../testing/import/import-world.ts'
import { openPeer, type PeerDatabase } from '../../../testing/import/peer-database.ts'
import { NEW_API, ONE_HUB } from '../../../testing/import/peer-tables.ts'
import { deriveSecrets } from '../../secrets.ts'
import { openSettings } from '../../settings/settings.ts'

let peer: PeerDatabase

const world = openPerTest(() => openImportWorld('sqlite'))
afterEach(async () => {
  await peer.close()
})

const settingsAfter = () =>
  world.within(async (database) => {
    const log = pino({ level: 'silent' })
    const settings = await openSettings({ database, secrets: deriveSecrets(SECRET_KEY), log })
    return settings.current()
  })

test('New API: prices by tokens, by the call and by length of the prompt', async () => {
  peer = await openPeer('sqlite', NEW_API)
  const options = {
    ModelRatio: '{"acme-1":"1e-05","acme-tiered":9}',
    CompletionRatio: '{"acme-1":1.3333333333333333}',
    CreateCacheRatio: '{"acme-1":1.25}',
    AudioRatio: '{"acme-1":10}',
    AudioCompletionRatio: '{"acme-1":2}',
    ModelPrice: '{"acme-image":0.04}',
    'billing_setting.billing_mode': '{"acme-tiered":"tiered_expr","acme-odd":"tiered_expr"}',
    'billing_setting.billing_expr': JSON.stringify({
      'acme-tiered': 'len <= 1000 ? tier("a", p * 3 + c * 15) : tier("b", p * 6 + c * 30)',
      'acme-odd': 'p * 2',
    }),
  }
  await peer.insert({ options: Object.entries(options).map(([key, value]) => ({ key, value })) })
  const lines = await world.importFrom([peer.from])
  expect(lines).toContain('Price expressions left out (1)')
  expect(lines).toContain('  acme-odd: p * 2')
  const settings = await settingsAfter()
  expect(settings).toMatchObject({
    ModelRatio: { 'acme-1': 1e-5 },
    CompletionRatio: { 'acme-1': 1.333333333 },
    CacheWriteRatio: { 'acme-1': 1.25 },
    AudioCompletionRatio: { 'acme-1': 20 },
    ModelPrice: { 'acme-image': 0.04 },
    DefaultModelRatio: null,
  })
  expect(settings.prices.get('acme-tiered')).toMatchObject({
    model_ratio: 1.5,
    completion_ratio: 5,
    long_prompts: [{ above: 1000, input: 2, output: 2 }],
  })
  const again = await world.importFrom([peer.from])
  expect(again[0]).toBe('options: 8 same, 2 left out')
})

test('one-hub: absolute prices of output, prices of calls, groups and their limits', async () => {
  peer = await openPeer('sqlite', ONE_HUB)
  const price = { channel_type: 1, extra_ratios: null, long_context: null }
  await peer.insert({
    user_groups: [
      { symbol: 'default', name: 'Default', ratio: 1, api_rate: 600 },
      { symbol: 'gold', name: 'Gold', ratio: 0.5, api_rate: 0 },
    ],
    prices: [
      {
        ...price,
        model: 'acme-1',
        type: 'tokens',
        input: 2,
        output: 6,
        extra_ratios: '{"cached_tokens":0.1}',
      },
      { ...price, model: 'acme-call', type: 'times', input: 20, output: 0 },
      { ...price, model: 'acme-*', type: 'tokens', input: 1, output: 1 },
      {
        ...price,
        model: 'acme-long',
        type: 'tokens',
        input: 1,
        output: 4,
        long_context: '{"threshold":5000,"input_ratio":2,"output_ratio":1.5}',
      },
    ],
  })
  expect(await world.importFrom([peer.from])).toContain('Prices by pattern left out (1)')
  const settings = await settingsAfter()
  expect(settings).toMatchObject({
    GroupRatio: { default: 1, gold: 0.5 },
    GroupRequestsPerMinute: { default: 600 },
    ModelRatio: { 'acme-1': 2 },
    CompletionRatio: { 'acme-1': 3 },
    CacheRatio: { 'acme-1': 0.1 },
    ModelPrice: { 'acme-call': 0.04 },
  })
  expect(settings.prices.get('acme-long')).toMatchObject({
    model_ratio: 1,
    completion_ratio: 4,
    long_prompts: [{ above: 5000, input: 2, output: 1.5 }],
  })
})
