import { expect, test } from 'vitest'
import {
  answerAsAsked,
  answerError,
  answerStream,
  type Behaviour,
} from '../../../testing/fakes/scripted-upstream.ts'
import {
  answerNative,
  askNative,
  channelTo,
  CLAUDE,
  GEMINI,
} from '../../../testing/worlds/native-scenario.ts'
import { COST, expectJson, type Setup, setUp } from '../../../testing/worlds/relay-scenario.ts'

const openai = { script: [answerAsAsked], priority: 9 }
const claude = (...script: Behaviour[]) => channelTo(CLAUDE, ...script)
const gemini = (...script: Behaviour[]) => channelTo(GEMINI, ...script)

/** Only Google supports this request. */
const SEARCH = GEMINI.body(false).replace('"contents"', '"tools":[{"googleSearch":{}}], "contents"')
/** Other providers can serve this request without the search. */
const CLAUDE_SEARCH = CLAUDE.body(false).replace(
  '"messages"',
  '"tools":[{"type":"web_search_20250305","name":"web_search"}], "messages"',
)
const ALLOWED: Setup = { options: [['UnpricedFeaturesEnabled', 'true']] }
const RICH: Setup = { ...ALLOWED, quota: 1_000_000 }

test('a request that only one dialect can express goes to a channel of that dialect', async () => {
  const world = await setUp([openai, gemini(answerNative(GEMINI))], RICH)
  const response = await askNative(world, GEMINI, { text: SEARCH })
  expect(await response.text()).toBe(GEMINI.answer)
  expect(world.calls()).toEqual([0, 1])
  expect(world.upstream.requestsOf('p1')[0]?.body.toString()).toBe(SEARCH)
  await world.books()
})

test('also if the channel belongs to a later group of the user', async () => {
  const providers = [openai, { ...gemini(answerNative(GEMINI)), group: 'vip' }]
  const world = await setUp(providers, { ...RICH, user: { group: 'default,vip' } })
  expect(await (await askNative(world, GEMINI, { text: SEARCH })).text()).toBe(GEMINI.answer)
  expect(world.calls()).toEqual([0, 1])
  await world.books()
})

test('and is refused if there is no such channel, or the key names another', async () => {
  const world = await setUp([openai], { ...RICH, user: { role: 10 } })
  for (const key of [world.key, `${world.key}-${world.channels[0]}`]) {
    await expectJson(askNative({ ...world, key }, GEMINI, { text: SEARCH }), 400, {
      error: { code: 400, message: expect.stringContaining('tools.0.googleSearch') },
    })
  }
  const { logs } = await world.books()
  expect([world.calls(), logs]).toEqual([[0], []])
})

test('a native stream that breaks off is not continued in another dialect', async () => {
  const broken = answerStream(GEMINI.textEvents('Hello', ' there'), 'cut')
  const world = await setUp(
    [{ ...gemini(broken), priority: 1 }, gemini(answerNative(GEMINI)), openai],
    RICH,
  )
  const text = await (await askNative(world, GEMINI, { text: SEARCH, stream: true })).text()
  expect(text).toMatch(/"error":\{/)
  expect(world.calls()).toEqual([1, 0, 0])
  await world.expectLog({ end_reason: 'broken_stream' })
})

test('a request goes first to channels that support all of it, then to the others', async () => {
  const world = await setUp([openai, claude(answerError(500, {}))], {
    ...RICH,
    options: [
      ['RetryTimes', '2'],
      ['UnpricedFeaturesEnabled', 'true'],
    ],
  })
  const response = await askNative(world, CLAUDE, { text: CLAUDE_SEARCH })
  expect(await response.text()).toContain('"text":"Hello there"')
  expect(world.calls()).toEqual([1, 2])
  await world.expectLog({ channel: world.channels[0], quota: COST })
})

test("a request that all channels support follows the operator's priorities", async () => {
  const world = await setUp([openai, gemini(answerNative(GEMINI))])
  const plain = GEMINI.body(false).replace(/"serial".*(?="contents")/, '')
  await (await askNative(world, GEMINI, { text: plain })).text()
  expect(world.calls()).toEqual([1, 0])
  await world.books()
})

test("possible results of a provider's own tools are included in the hold", async () => {
  const world = await setUp([claude(answerNative(CLAUDE)), gemini(answerNative(GEMINI))], {
    ...ALLOWED,
    quota: 20_000,
  })
  const answers = [
    await askNative(world, CLAUDE, { text: CLAUDE_SEARCH }),
    await askNative(world, GEMINI, { text: SEARCH }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([402, 402])
  expect(world.calls()).toEqual([0, 0])
  expect((await world.books()).account).toMatchObject({ quota: 20_000, used_quota: 0 })
})

test('without a client limit, a small balance sets the limit, and Google receives it', async () => {
  const world = await setUp([gemini(answerNative(GEMINI))], { quota: 300 })
  const text = '{"contents":[{"parts":[{"text":"hi"}]}], "labels":{"a":1.0}}'
  expect((await askNative(world, GEMINI, { text })).status).toBe(200)
  const sent = world.upstream.requestsOf('p0')[0]?.body.toString() ?? ''
  const limit = /"maxOutputTokens":(\d+)/.exec(sent)?.[1]
  expect(sent).toBe(text.replace(/\}$/, `,"generationConfig":{"maxOutputTokens":${limit}}}`))
  expect(Number(limit)).toBeGreaterThan(256)
  const { log } = await world.books()
  expect(log?.quota).toBe(COST)
  expect(log?.basis).toContain('"held":300')
})
