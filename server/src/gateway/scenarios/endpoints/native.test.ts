import { describe, expect, test } from 'vitest'
import { chargeBasisSchema } from '@tollgate/contract'
import {
  answerAsAsked,
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  DONE,
  gatedStream,
} from '../../../../testing/fakes/scripted-upstream.ts'
import {
  answerNative,
  askNative,
  channelTo,
  CLAUDE,
  NATIVES,
  wholeStream,
} from '../../../../testing/worlds/native-scenario.ts'
import { ASKED, COST, lenient, setUp, STREAMED } from '../../../../testing/worlds/relay-scenario.ts'
import { two } from '../../../../testing/worlds/stream-failover-scenario.ts'
import { recomputeCost } from '../../../domain/price.ts'

describe.each(NATIVES)('a client and a channel of $name', (native) => {
  test.each([false, true])('bytes pass through and cost the same (stream: %s)', async (stream) => {
    const world = await setUp([channelTo(native, answerNative(native))])
    const response = await askNative(world, native, { stream })
    const expected = stream ? wholeStream(native).join('') : native.answer
    expect(await response.text()).toBe(expected)
    expect(response.headers.get('content-type')).toBe(
      stream ? 'text/event-stream' : 'application/json',
    )
    const [request] = world.upstream.requestsOf('p0')
    expect(request?.body.toString()).toBe(native.sent(stream))
    // The same answer, translated for a client of another dialect.
    await (await world.ask(stream ? STREAMED : ASKED)).text()
    const { logs } = await world.books()
    expect(logs).toMatchObject(
      [1, 2].map(() => ({
        prompt_tokens: 10,
        completion_tokens: 5,
        quota: COST,
        end_reason: 'finished',
      })),
    )
  })

  test('the end of a stream is sent after the charge, once', async () => {
    const { firstEvents: beginning, textEvents: say, ending } = native
    const [last = ''] = ending.filter((event) => event.includes(native.endMark))
    const before = ending.slice(0, ending.indexOf(last))
    const events = [...beginning, ...say('Hello'), ...before, last]
    const world = await setUp([channelTo(native, answerStream(events, 'hang'))], {
      limits: { tailMs: 50 },
    })
    const { body } = await askNative(world, native, { stream: true })
    let text = ''
    let heldAtEnd = -1
    for await (const piece of body ?? []) {
      text += Buffer.from(piece).toString()
      if (text.includes(last)) heldAtEnd = world.ledger.running()
    }
    expect(heldAtEnd).toBe(0)
    expect(text.split(native.endMark)).toHaveLength(2)
    expect(text.startsWith(events.join(''))).toBe(true)
    await world.expectLog({ quota: COST, end_reason: 'finished' })
  })

  test('a stream ends where its balance ends, and pays for the delivered output', async () => {
    const quota = 1000
    const talksOn: Behaviour = async (response) => {
      response.setMaxListeners(0)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of native.firstEvents) response.write(event)
      for (let word = 0; word < 20_000 && !response.destroyed; word++) {
        const isTaken = response.write(native.textEvents(' token').join(''))
        if (!isTaken) await new Promise((go) => response.once('drain', go).once('close', go))
      }
      response.end(native.ending.join(''))
    }
    const world = await setUp([channelTo(native, talksOn)], {
      ...lenient('no vendor has a model that writes so much'),
      quota,
      options: [['StreamHoldTokens', '256']],
    })
    const body = native.body(true).replace(':50', ':1000000')
    const text = await (await askNative(world, native, { stream: true, text: body })).text()
    expect(text).not.toContain(native.endMark)
    expect(text).toContain('The quota is used up')
    const { log, account } = await world.books()
    expect(log).toMatchObject({ end_reason: 'quota_used_up', outcome: 'settled', uncollected: 0 })
    expect(account.quota).toBeGreaterThanOrEqual(0)
    expect(account.quota).toBeLessThan(quota / 10)
    const said = native.textOf(text).split(' token').length - 1
    expect(log?.completion_tokens).toBeGreaterThanOrEqual(said * 0.9)
  })

  test('a client that disconnects during the stream pays the reported usage', async () => {
    const { script, letGo: resolve } = gatedStream(
      [...native.firstEvents, ...native.textEvents('Hello')].join(''),
      [...native.textEvents(' there'), ...native.ending],
    )
    const world = await setUp([channelTo(native, script)], {
      limits: { drainMs: 60_000 },
      upstreamLimits: { idleMs: 20_000 },
    })
    const client = world.askAndLeave(native.body(true), native.path(true))
    await client.firstByte()
    await client.leave()
    resolve()
    await world.expectLog({ quota: COST, end_reason: 'client_left' })
  })

  test.each([false, true])('after a failure another API answers (stream: %s)', async (stream) => {
    const broken = channelTo(native, answerError(500, {}))
    const world = await setUp([{ ...broken, priority: 1 }, { script: [answerAsAsked] }])
    const text = await (await askNative(world, native, { stream })).text()
    expect(text).toMatch(/"text":"Hello/)
    expect(text.split(native.endMark)).toHaveLength(2)
    expect(world.sent(0, 1)).toMatchObject({
      max_tokens: 50,
    })
    await world.expectLog({ quota: COST, channel: world.channels[1] })
  })
})

/** "Hello there" and the rest of the answer, from a channel of OpenAI's. */
const other = answerStream([
  ...['Hel', 'lo the', 're, how', ' are you?'].map((content) => chunk({ content })),
  chunk({ finish: 'stop' }),
  DONE,
])

describe.each(NATIVES)('a stream of $name that breaks off', (native) => {
  const { firstEvents: beginning, textEvents: say, special, endMark } = native
  const twoOf = (first: string[], second: Behaviour) => {
    const [broken, ...others] = two(answerStream(first, 'cut'), second)
    if (broken === undefined) throw new Error('there are two')
    return [{ ...broken, ...channelTo(native), script: broken.script }, ...others]
  }

  test('continues from a channel with another protocol, in the same stream', async () => {
    const world = await setUp(twoOf([...beginning, ...say('Hello', ' there')], other))
    const text = await (await askNative(world, native, { stream: true })).text()
    expect(native.textOf(text)).toBe('Hello there, how are you?')
    expect(text.split(endMark)).toHaveLength(2)
    expect(text.split('content_block_start')).toHaveLength(native === CLAUDE ? 3 : 1)
    const { log } = await world.books()
    expect(log).toMatchObject({ end_reason: 'finished', channel: world.channels[1] })
    const basis = chargeBasisSchema.parse(JSON.parse(log?.basis ?? ''))
    const { prompt, helloThere } = native.cut
    expect(basis).toMatchObject({ prompt_tokens: prompt, completion_tokens: helloThere + 5 })
    expect(recomputeCost(basis)).toBe(log?.quota)
  })

  test('continues from another channel with the same protocol', async () => {
    const again = answerStream([
      ...beginning,
      ...say('Hello there, how', ' are you?'),
      ...native.ending,
    ])
    const broken = { ...channelTo(native, answerStream([...beginning, ...say('Hello')], 'cut')) }
    const world = await setUp([{ ...broken, priority: 1 }, channelTo(native, again)])
    const text = await (await askNative(world, native, { stream: true })).text()
    expect(native.textOf(text)).toBe('Hello there, how are you?')
    expect(text.split(endMark)).toHaveLength(2)
    await world.books()
  })

  test('ends with an error if no channel can continue it', async () => {
    const world = await setUp(twoOf([...beginning, ...say('Hello'), special], other))
    const text = await (await askNative(world, native, { stream: true })).text()
    expect(text.startsWith([...beginning, ...say('Hello'), special].join(''))).toBe(true)
    expect(text).toMatch(/"error":\{[^}]*"message":"The upstream provider failed/)
    expect(text).not.toContain(endMark)
    expect(world.calls()).toEqual([1, 0])
    await world.expectLog({ end_reason: 'broken_stream' })
  })

  test('is complete if only its end is missing, and reports the counted usage', async () => {
    const events = [...beginning, ...say('Hello', ' there'), ...native.endingUncounted]
    const uncounted = events.map((event) =>
      event.replace(/,"usage":\{[^}]*\}/, '').replace(/"usageMetadata":\{[^}]*\},/, ''),
    )
    const world = await setUp([channelTo(native, answerStream(uncounted, 'cut'))])
    const text = await (await askNative(world, native, { stream: true })).text()
    await world.expectLog({ end_reason: 'finished', completion_tokens: native.counted.helloThere })
    const told = /.*"(?:output_tokens|candidatesTokenCount)":(\d+)/s.exec(text)?.[1]
    expect(Number(told)).toBe(native.counted.helloThere)
    expect(text.match(/"type":"message_stop"/g) ?? []).toHaveLength(native === CLAUDE ? 1 : 0)
  })
})
