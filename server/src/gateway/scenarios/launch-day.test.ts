import { expect, test } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { answerJson } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { outboxOf } from '../../../testing/worlds/outbox.ts'
import { setUp, type Setup, type World } from '../../../testing/worlds/relay-scenario.ts'
import { applyFeed, listFeedChanges } from '../../settings/price-feeds/feed-changes.ts'
import { pullFeed } from '../../settings/price-feeds/pull-feed.ts'
import { findFeed, insertFeed } from '../../store/price-feeds.ts'
import { WRITE_AFTER_MS } from '../billing/unpriced-models.ts'

const MODEL = 'gpt-9-sol'
const QUOTA = 4_000_000
const NOW = Date.parse('2026-11-27T08:00:00Z')

const usage = {
  prompt_tokens: 3000,
  completion_tokens: 100,
  total_tokens: 3100,
  prompt_tokens_details: { cached_tokens: 1000 },
}
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' } }]
const messages = [{ role: 'user', content: 'word '.repeat(3000) }]

/** LiteLLM's map on the day on which it gets the model. */
const LIST = {
  [MODEL]: {
    litellm_provider: 'openai',
    input_cost_per_token: 3e-6,
    output_cost_per_token: 1.2e-5,
    cache_read_input_token_cost: 3e-7,
  },
}

const DRAFT = {
  name: 'LiteLLM',
  kind: 'litellm',
  url: 'https://prices.example/list.json',
  key_group: 'default',
  every_hours: 24,
  auto_vendors: '',
  alert_percent: 20,
  stale_days: 7,
  created_at: NOW / 1000,
}

const feedDeps = ({ database, settings }: World) => ({
  database,
  settings,
  now: () => NOW,
  fetchJson: async () => ({ status: 200, json: LIST }),
})

async function pull(world: World) {
  const deps = feedDeps(world)
  const feedNow = async (id: number) => {
    const feed = await findFeed(world.database.kysely, id)
    if (feed === undefined) throw new Error('no feed')
    return feed
  }
  const id = await world.database.change((tx) => insertFeed(tx, DRAFT))
  await pullFeed(deps, await feedNow(id), { isScheduled: true })
  return feedNow(id)
}

const unpricedIn = ({ database }: World) =>
  database.kysely.selectFrom('unpriced_models').selectAll().execute()

test.each(DATABASES)('on %s a new model is rejected, found in a feed and sold', async (kind) => {
  const channel = { models: MODEL, script: [answerJson({ choices, usage })] }
  const clock = FakeClock.withSockets()
  const options: Setup['options'] = [['DefaultModelRatio', 'null']]
  const world = await setUp([channel], { kind, clock, quota: QUOTA, options })
  const chat = { model: MODEL, messages, max_completion_tokens: 200 }

  for (const rejected of [await world.ask(chat), await world.ask(chat)]) {
    expect(rejected.status).toBe(400)
    expect(await rejected.json()).toMatchObject({
      error: { code: 'model_price_unset', param: 'model' },
    })
  }
  await clock.passOnceWaited(WRITE_AFTER_MS)
  await waitUntil(async () => (await unpricedIn(world)).length > 0)
  expect(await unpricedIn(world)).toMatchObject([{ model: MODEL, charged: 0, rejected: 2 }])
  const rejection = { type: 'price-alert', event: 'unpriced_rejected', name: MODEL }
  expect(await outboxOf(world)).toMatchObject([rejection])

  const feed = await pull(world)
  const { changes } = await listFeedChanges(feedDeps(world), feed)
  expect(changes).toMatchObject([
    {
      model: MODEL,
      kind: 'new',
      before: null,
      after: { input: 3, output: 12, cached: 0.3 },
      isOffered: true,
    },
  ])
  expect(await outboxOf(world)).toMatchObject([rejection, { event: 'feed_changed' }])
  expect((await world.ask(chat)).status).toBe(400)
  await world.database.change((tx) => applyFeed(tx, feed, { models: [MODEL], now: NOW / 1000 }))

  expect((await world.ask(chat)).status).toBe(200)
  const cost = Math.ceil(((2000 * 3 + 1000 * 0.3 + 100 * 12) / 1e6) * 500_000)
  await world.expectLog({
    quota: cost,
    price_model: MODEL,
    price_version: 'feed:LiteLLM 2026-11-27',
  })
})

test.each(DATABASES)("on %s an own ratio overrides the feed's price", async (kind) => {
  const channel = { models: MODEL, script: [answerJson({ choices, usage })] }
  const world = await setUp([channel], { kind, quota: QUOTA })
  const feed = await pull(world)
  await world.database.change((tx) => applyFeed(tx, feed, { models: [MODEL], now: NOW / 1000 }))
  await world.setOption('ModelRatio', JSON.stringify({ [MODEL]: 5 }))
  const chat = { model: MODEL, messages, max_completion_tokens: 200 }
  expect((await world.ask(chat)).status).toBe(200)
  const cost = Math.ceil(((2000 * 10 + 1000 * 1 + 100 * 40) / 1e6) * 500_000)
  const { log, account } = await world.books()
  expect(account).toMatchObject({ quota: QUOTA - cost })
  expect(JSON.parse(log?.basis ?? '')).toMatchObject({
    price_version: 'feed:LiteLLM 2026-11-27+options',
  })
})

test.each(DATABASES)('on %s requests at the default ratio are counted', async (kind) => {
  const answer = answerJson({ choices, usage })
  const clock = FakeClock.withSockets()
  const provider = { models: MODEL, script: [answer, answer, answer] }
  const world = await setUp([provider], { kind, clock, quota: QUOTA })
  const chat = { model: MODEL, messages, max_completion_tokens: 200 }
  expect((await world.ask(chat)).status).toBe(200)
  expect((await world.ask(chat)).status).toBe(200)
  await clock.passOnceWaited(WRITE_AFTER_MS)
  await waitUntil(async () => (await unpricedIn(world)).length > 0)
  expect(await unpricedIn(world)).toMatchObject([{ model: MODEL, charged: 2, rejected: 0 }])
  expect((await world.ask(chat)).status).toBe(200)
  await clock.passOnceWaited(WRITE_AFTER_MS)
  await waitUntil(async () => (await unpricedIn(world))[0]?.charged === 3)
  expect(await outboxOf(world)).toMatchObject([{ event: 'unpriced_charged', name: MODEL }])
})
