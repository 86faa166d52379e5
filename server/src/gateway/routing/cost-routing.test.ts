import { describe, expect, test } from 'vitest'
import { answerChat, answerError } from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { outboxOf } from '../../../testing/worlds/outbox.ts'
import {
  ASKED,
  expectJson,
  MODEL,
  type Provider,
  setUp,
  type Setup,
} from '../../../testing/worlds/relay-scenario.ts'
import { changeRow } from '../../../testing/worlds/rows.ts'

type Options = NonNullable<Setup['options']>

const NEVER_AT_LOSS: Options[number] = ['NeverSellAtLoss', 'true']
const CHEAPEST_FIRST: Options[number] = ['CheapestChannelFirst', 'true']
/** Sells at the list price. */
const AT_LIST: Options[number] = ['ModelRatio', JSON.stringify({ [MODEL]: 0.075 })]

const costing = (cost: object, more: Partial<Provider> = {}): Provider => ({
  script: Array.from({ length: 50 }, () => answerChat()),
  config: JSON.stringify({ cost }),
  ...more,
})

describe('never routing at a loss', () => {
  test('a channel that costs more than the group pays is skipped, whatever its priority', async () => {
    const providers = [costing({ factor: 1.5 }, { priority: 9 }), costing({ factor: 0.9 })]
    const world = await setUp(providers, { options: [NEVER_AT_LOSS, AT_LIST] })
    expect((await world.ask(ASKED)).status).toBe(200)
    expect(world.calls()).toEqual([0, 1])
    await world.setOption('GroupRatio', '{"default": 1.5}')
    expect((await world.ask(ASKED)).status).toBe(200)
    expect(world.calls()).toEqual([1, 1])
    await world.books()
  })

  test('the error says so if no channel is left, and nothing is charged', async () => {
    const world = await setUp([costing({ factor: 2 })], { options: [NEVER_AT_LOSS, AT_LIST] })
    await expectJson(world.ask(ASKED), 503, {
      error: { code: 'no_channel_at_price', param: 'model' },
    })
    expect(world.calls()).toEqual([0])
  })

  test('a channel of unknown cost is not skipped, nor any while the option is off', async () => {
    const unknown = { script: [answerChat()], mapping: 'nowhere-listed', models: 'house-model' }
    const world = await setUp([unknown, costing({ factor: 2 })], {
      options: [NEVER_AT_LOSS, ['ModelRatio', '{"house-model": 1}']],
    })
    const body = { ...ASKED, model: 'house-model' }
    expect((await world.ask(body)).status).toBe(200)
    await world.setOption('NeverSellAtLoss', 'false')
    expect((await world.ask(ASKED)).status).toBe(200)
  })
})

describe('the cheapest channel first', () => {
  test('within a priority, and the next cheapest after a failure', async () => {
    const failing = { script: [answerError(500, {})] }
    const providers = [costing({}), costing({ factor: 0.8 }), costing({ factor: 0.5 }, failing)]
    const world = await setUp(providers, { options: [CHEAPEST_FIRST], random: () => 0 })
    expect((await world.ask(ASKED)).status).toBe(200)
    expect(world.calls()).toEqual([0, 1, 1])
    await world.expectLog({ channel: world.channels[1] })
  })

  test('a higher priority comes first, whatever it costs', async () => {
    const world = await setUp([costing({ factor: 3 }, { priority: 1 }), costing({ factor: 0.1 })], {
      options: [CHEAPEST_FIRST],
    })
    expect((await world.ask(ASKED)).status).toBe(200)
    expect(world.calls()).toEqual([1, 0])
  })

  test('a changed cost applies to the next request', async () => {
    const world = await setUp([costing({ factor: 0.5 }), costing({ factor: 0.8 })], {
      options: [CHEAPEST_FIRST],
    })
    expect((await world.ask(ASKED)).status).toBe(200)
    const [id = 0] = world.channels
    const config = '{"cost":{"factor":0.9}}'
    await changeRow(world, 'channels', id, { config })
    await waitUntil(async () => {
      await (await world.ask(ASKED)).text()
      return world.calls()[1] === 1
    })
  })
})

describe('requests sold below cost', () => {
  test('alert once a day for each model and channel', async () => {
    const world = await setUp([costing({ factor: 4 })], { options: [AT_LIST] })
    for (let count = 0; count < 3; count++) {
      expect((await world.ask(ASKED)).status).toBe(200)
      await world.books()
    }
    expect(await outboxOf(world)).toMatchObject([
      {
        type: 'price-alert',
        event: 'sold_at_loss',
        name: MODEL,
        // 10 tokens in, 5 out: 1.5 + 3 thousandths of a cent, and four times that.
        detail: expect.stringMatching(
          /^Channel "\S+" \(#\d+\): the provider charges \$0\.000018 for one request, and the caller paid \$0\.00\d+ for it\.$/,
        ),
        detail_zh: expect.stringMatching(
          /^渠道“\S+”（#\d+）：服务商对一次请求收费 \$0\.000018，而用户仅支付 \$0\.00\d+。$/,
        ),
      },
    ])
  })

  test('a charge that equals the cost is no loss', async () => {
    // 20 + 4 × 425 tokens at 0.075 are 129 units, whose value in dollars is rounded down.
    const usage = { prompt_tokens: 20, completion_tokens: 425, total_tokens: 445 }
    const script = [answerChat('word '.repeat(425), usage)]
    const world = await setUp([costing({ factor: 1 }, { script })], { options: [AT_LIST] })
    const prompt = 'word '.repeat(20)
    const answer = await world.ask({ ...ASKED, messages: [{ role: 'user', content: prompt }] })
    expect(answer.status).toBe(200)
    await world.expectLog({ quota: 129, provider_cost: 258_000 })
    expect(await outboxOf(world)).toEqual([])
  })
})
