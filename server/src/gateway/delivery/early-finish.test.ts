import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  answerStream,
  type Behaviour,
  chunk,
  DONE,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { inOrder, setUp, STREAMED } from '../../../testing/worlds/relay-scenario.ts'

/* Providers that send a finish reason before the end, with each event or with the first. */

const TAIL_MS = 100
const early = (content: string) => chunk({ content, finish: 'stop' })
const contentOf = (text: string) =>
  [...text.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content).join('')

const slowly =
  (events: readonly string[]): Behaviour =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [index, event] of events.entries()) {
      if (index > 1) await pause(3 * TAIL_MS)
      response.write(event)
    }
    response.end()
  }

test.each([
  ['with each event', [early('one '), early('two '), early('three')]],
  [
    'with the first',
    [chunk({ finish: 'stop' }), ...['one ', 'two ', 'three'].map((content) => chunk({ content }))],
  ],
])('a stream with one %s is read to its end', async (_where, events) => {
  const world = await setUp(slowly([...events, DONE]), { limits: { tailMs: TAIL_MS } })
  const text = await (await world.ask(STREAMED)).text()
  expect(contentOf(text)).toBe('one two three')
  expect(text.endsWith(DONE)).toBe(true)
  await world.expectLog({ end_reason: 'finished' })
})

test('a stream that is cut off is not presented as complete', async () => {
  const world = await setUp(answerStream([early('one '), early('two ')], 'cut'), {
    options: [['StreamRescueEnabled', 'false']],
  })
  const text = await (await world.ask(STREAMED)).text()
  expect(text).not.toContain('[DONE]')
  await world.expectLog({ end_reason: 'broken_stream' })
})

test('an error after the complete answer causes no retry', async () => {
  const error = 'data: {"error":{"message":"lost","code":"server_error"}}\n\n'
  const world = await setUp(
    inOrder(answerStream([...WHOLE_STREAM.slice(0, -2), error]), answerStream(WHOLE_STREAM)),
  )
  const text = await (await world.ask(STREAMED)).text()
  expect(text.match(/"finish_reason":"stop"/g)).toHaveLength(1)
  expect(text.endsWith(DONE)).toBe(true)
  expect(world.calls()).toEqual([1, 0])
  await world.expectLog({ end_reason: 'finished' })
})

test('empty events do not protect a silent stream from failover', async () => {
  const world = await setUp(
    inOrder(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk({ content: 'Hello' }))
      const timer = setInterval(() => response.write(chunk({ content: '' })), 50)
      response.on('close', () => clearInterval(timer))
    }, answerStream(WHOLE_STREAM)),
    { options: [['HedgeAfterSeconds', '0.3']] },
  )
  const text = await (await world.ask(STREAMED)).text()
  expect(contentOf(text)).toBe('Hello there')
  expect(world.calls()).toEqual([1, 1])
  await world.books()
})
