import OpenAI, { toFile } from 'openai'
import { describe, expect, test } from 'vitest'
import {
  answerJson,
  answerStream,
  type Behaviour,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { setUp, type Setup, type World } from '../../../../testing/worlds/relay-scenario.ts'

const path = '/v1/images/generations'
const MODEL = 'gpt-image-1'
const ASKED = {
  model: MODEL,
  prompt: 'a cat',
  stream: true,
  partial_images: 1,
  quality: 'low',
} as const
/** Base64 as large as an image, and larger than an event of a chat may be. */
const IMAGE = 'aW1n'.repeat(500_000)
const USAGE = { input_tokens: 50, output_tokens: 372, total_tokens: 422 }
const TOO_MUCH = { ...USAGE, output_tokens: 90_000 }
/** (50 + 372 × 8) × 2.5 */
const COST = 7565

const event = (json: { type: string; [name: string]: unknown }) =>
  `event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`
const partial = (kind = 'image_generation', b64_json = 'cGFydA==') =>
  event({ type: `${kind}.partial_image`, b64_json, partial_image_index: 0 })
const completed = (usage: object | null = USAGE, kind = 'image_generation') =>
  event({ type: `${kind}.completed`, b64_json: IMAGE, ...(usage === null ? {} : { usage }) })
const FAILURE = event({ type: 'error', error: { message: 'no', code: 'server_error' } })

const clientOf = ({ url, key }: World) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })

type Leaving = { n?: number; begin?: string; end?: string; drains?: 'true' | 'false' }

const open = (script: Behaviour[], setup: Setup = {}) =>
  setUp([{ script, models: MODEL }], { quota: 1_000_000, ...setup })

describe('image streams', () => {
  test('are relayed event by event, and charged by the last event', async () => {
    const world = await open([answerStream([partial(), completed()])])
    const stream = await clientOf(world).images.generate({ ...ASKED, size: '1024x1024' })
    const types: string[] = []
    for await (const { type, b64_json } of stream) types.push(`${type} ${b64_json.length}`)
    expect(types).toEqual([
      'image_generation.partial_image 8',
      `image_generation.completed ${IMAGE.length}`,
    ])
    expect(world.sent()).toEqual({ ...ASKED, size: '1024x1024' })
    await world.expectLog({
      quota: COST,
      prompt_tokens: 50,
      completion_tokens: 372,
      usage_source: 'reported',
    })
  })

  const TWO = [partial(), completed(), partial(), completed()]
  // Holds twice (5 + 256) × 2 and 408 + 100 tokens at 8; at 2.5.
  const SUM = { quota: 2 * COST, prompt_tokens: 100, completion_tokens: 744, held: 2 * 11_465 }
  const BY_TABLE = { prompt_tokens: 2, completion_tokens: 508, usage_source: 'counted' }
  const AND_HALF = { completion_tokens: 1.5 * USAGE.output_tokens }
  test.each<[string, object, string[], object]>([
    ['by their last event', {}, [partial(), completed()], { quota: COST }],
    ['by the table, without a report', {}, [partial(), completed(null)], BY_TABLE],
    ['by the sum of the reports of several', { n: 2 }, TWO, SUM],
    ['for those delivered, if more were requested', { n: 3 }, [completed()], { quota: COST }],
    ['for an incomplete one at the end as well', { n: 3 }, [completed(), partial()], AND_HALF],
  ])('are relayed without other events, and charged %s', async (_how, more, events, charged) => {
    const options: Setup['options'] = [['PreConsumedQuota', '0']]
    const world = await open([answerStream(events)], { options })
    const answer = await world.ask({ ...ASKED, ...more }, { path })
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(await answer.text()).toBe(events.join(''))
    expect(world.sent()).toEqual({ ...ASKED, ...more })
    await world.expectLog({ end_reason: 'finished', ...charged })
  })

  test('hold the largest possible cost of the image and its partial images', async () => {
    // (5 + 256) × 2 and 408 + 100 tokens at 8; at 2.5.
    const quota = Math.ceil((261 * 2 + 508 * 8) * 2.5)
    const short = await open([answerStream([completed()])], { quota: quota - 1 })
    expect((await short.ask(ASKED, { path })).status).toBe(403)
    expect(short.upstream.requestsOf('p0')).toHaveLength(0)
    expect((await short.books()).account.quota).toBe(quota - 1)
  })

  test('an image edit can be streamed too', async () => {
    const events = [partial('image_edit'), completed(USAGE, 'image_edit')]
    const world = await open([answerStream(events)])
    const image = await toFile(Buffer.from('png'), 'a.png', { type: 'image/png' })
    const stream = await clientOf(world).images.edit({
      model: MODEL,
      prompt: 'a hat',
      image,
      stream: true,
    })
    const types: string[] = []
    for await (const { type } of stream) types.push(type)
    expect(types).toEqual(['image_edit.partial_image', 'image_edit.completed'])
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.body.toString()).toMatch(/name="stream"\r\n\r\ntrue\r\n/)
    await world.expectLog({ quota: COST })
  })

  const shown = (tokens: number) => ({
    quota: (2 + tokens * 8) * 2.5,
    prompt_tokens: 2,
    completion_tokens: tokens,
    usage_source: 'counted',
  })
  const THREES = { partial_images: 3 }
  const REPORTED = {
    prompt_tokens: 2 * USAGE.input_tokens,
    completion_tokens: 2.5 * USAGE.output_tokens,
  }
  test.each<[string, object, string[], object]>([
    ['half an image', {}, [partial()], shown(204 + 100)],
    ['a quarter of one', THREES, [partial()], shown(102 + 100)],
    ['three quarters of one', THREES, Array(3).fill(partial()), shown(306 + 300)],
    ['no more than was asked for', {}, [partial(), partial()], shown(204 + 100)],
    ['an image and half another', { n: 2 }, [completed(null), partial()], shown(408 + 304)],
    ['one that reports too much', { n: 2 }, [completed(TOO_MUCH), partial()], shown(408 + 304)],
    ['halves of two side by side', { n: 2 }, [partial(), partial()], shown(2 * 304)],
    ['what came before an error', {}, [partial(), FAILURE], shown(204 + 100)],
    ['one of two, as reported', { n: 2 }, [completed()], { quota: COST }],
    ['two and a half, as reported', { n: 3 }, [completed(), completed(), partial()], REPORTED],
  ])('that break off cost the shown images: %s', async (_what, more, events, charged) => {
    const world = await open([answerStream(events, 'cut')])
    const text = await (await world.ask({ ...ASKED, ...more }, { path })).text()
    expect(text.startsWith(events[0] ?? '')).toBe(true)
    expect(text).toContain('"error"')
    await world.expectLog({ end_reason: 'broken_stream', ...charged })
  })

  test.each<[string, object, string[]]>([
    ['without a picture', {}, [partial('image_generation', '')]],
    ['that names an image and has none', {}, [completed().replace(IMAGE, '')]],
    ['that was not requested', { partial_images: 0 }, [partial()]],
  ])('that break off after an event %s cost nothing', async (_what, more, events) => {
    const world = await open([answerStream(events, 'cut')])
    const text = await (await world.ask({ ...ASKED, ...more }, { path })).text()
    expect(text).toContain('"error"')
    await world.expectLog({ quota: 0, outcome: 'void' })
  })

  test('a stream that breaks off after its image is complete', async () => {
    const world = await open([answerStream([completed()], 'cut')])
    expect(await (await world.ask(ASKED, { path })).text()).toBe(completed())
    await world.expectLog({ quota: COST })
  })

  test('an error in place of an image costs nothing', async () => {
    const world = await open([answerStream([FAILURE])])
    expect((await world.ask(ASKED, { path })).status).toBeGreaterThanOrEqual(400)
    await world.expectLog({ quota: 0, outcome: 'void' })
  })

  test.each<[string, Leaving, object]>([
    ['the usage of the end', { end: completed() }, { quota: COST }],
    ['the most, where there is no end in time', {}, { completion_tokens: 508 }],
    ['the maximum, if it is not drained', { drains: 'false' }, { completion_tokens: 508 }],
    ['the most for two', { n: 2, begin: completed() }, { completion_tokens: 1016 }],
    ['what was shown, where it breaks off', { end: 'cut' }, { completion_tokens: 304 }],
  ])('a client that disconnects pays %s', async (_what, leaving, charged) => {
    const { n = 1, begin = partial(), end = null, drains = 'true' } = leaving
    const { promise: hasLeft, resolve } = Promise.withResolvers<void>()
    const slow: Behaviour = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(begin)
      await hasLeft
      if (end === 'cut') response.destroy()
      else if (end !== null) response.end(end)
    }
    const world = await open([slow], {
      options: [['DrainEnabled', drains]],
      limits: { fullDrainMs: end === null && drains === 'true' ? 100 : 20_000 },
      upstreamLimits: { idleMs: 20_000 },
    })
    const client = world.askAndLeave({ ...ASKED, n }, path)
    await client.firstByte()
    await client.leave()
    resolve()
    await world.expectLog({ end_reason: 'client_left', ...charged })
  })

  test('a provider that answers without streaming is relayed', async () => {
    const whole = { created: 1, data: [{ b64_json: 'aW1n' }], usage: USAGE }
    const world = await open([answerJson(whole)])
    expect(await (await world.ask(ASKED, { path })).json()).toEqual(whole)
    await world.expectLog({ quota: COST })
  })
})

test('a stream that was not requested is a failure', async () => {
  const world = await open([answerStream([completed()])])
  const answer = await world.ask({ model: MODEL, prompt: 'a cat' }, { path })
  expect(answer.status).toBeGreaterThanOrEqual(500)
  await world.expectLog({ quota: 0, outcome: 'void' })
})
