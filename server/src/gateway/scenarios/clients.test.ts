import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  answerChat,
  answerError,
  answerJson,
  type Behaviour,
  chunk,
  DONE,
  USAGE,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { ASKED, COST, setUp, STREAMED, type World } from '../../../testing/worlds/relay-scenario.ts'

/** Node's diagnostics message for a connection accepted by any server of this process. */
const accepted = z.object({ socket: z.instanceof(Socket) })

test('connections to the upstream are reused, also after errors and streams', async () => {
  let endStream = () => {}
  const lingering: Behaviour = async (response, request) => {
    if (!request.body.includes('"stream":true')) return answerChat()(response, request)
    const { promise: wanted, resolve } = Promise.withResolvers<void>()
    endStream = resolve
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(WHOLE_STREAM.join(''))
    await wanted
    response.end()
  }
  const world = await setUp([answerError(400, { code: 'invalid_value' }), lingering])
  await (await world.ask()).text()
  for (let turn = 0; turn < 20; turn += 1) {
    await (await world.ask(turn % 2 === 0 ? ASKED : STREAMED)).text()
    endStream()
  }
  // The next request may start before the end of the last stream has arrived.
  expect(world.upstream.connectionCount()).toBeLessThanOrEqual(4)
})

test('an answer keeps its status and its bytes, and no header of the upstream', async () => {
  const text =
    '{"choices":[{"message":{"content":"a"}}] , "usage":{"prompt_tokens":1,"completion_tokens":1}}'
  const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'theirs' }
  const world = await setUp(answerJson(text, { status: 201, headers }))
  const response = await world.ask()
  expect(response.status).toBe(201)
  expect(await response.text()).toBe(text)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-oneapi-request-id')).toMatch(/^\d{23,31}$/)
  expect(response.headers.get('x-request-id')).toBe(response.headers.get('x-oneapi-request-id'))
})

describe('a slow client', () => {
  const BLOCK = chunk({ content: 'x'.repeat(64 * 1024) })
  const BLOCKS = 1000
  const RICH = 1_000_000_000

  /** Writes as fast as possible and counts the blocks. */
  function flood(blocks: number) {
    const sent = { blocks: 0 }
    const behaviour: Behaviour = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const closed = once(response, 'close')
      while (sent.blocks < blocks && !response.destroyed) {
        sent.blocks += 1
        if (!response.write(BLOCK)) {
          await Promise.race([once(response, 'drain'), closed])
        }
      }
      response.end(chunk({ finish: 'stop' }) + chunk({ usage: USAGE }) + DONE)
    }
    return { sent, behaviour }
  }

  async function openStream({ url, key }: World): Promise<IncomingMessage> {
    const request = httpRequest(`${url}/v1/chat/completions`, {
      method: 'POST',
      agent: false,
      headers: { authorization: key },
    })
    request.on('error', () => {})
    request.end(JSON.stringify(STREAMED))
    const [response]: IncomingMessage[] = await once(request, 'response')
    if (response === undefined) throw new Error('no response')
    return response
  }

  async function untilStill(sent: { blocks: number }): Promise<number> {
    let before = -1
    let polls = 0
    await waitUntil(async () => {
      polls = before === sent.blocks ? polls + 1 : 0
      before = sent.blocks
      return polls > 30
    })
    return sent.blocks
  }

  test('slows the upstream down and loses nothing', async () => {
    const { sent, behaviour } = flood(BLOCKS)
    const world = await setUp(behaviour, { quota: RICH, upstreamLimits: { idleMs: 800 } })
    const response = await openStream(world)
    expect(await untilStill(sent)).toBeLessThan(BLOCKS / 2)
    let bytes = 0
    let tail = ''
    for await (const part of response) {
      const data = Buffer.from(part)
      bytes += data.length
      tail = (tail + data.toString('latin1')).slice(-100)
    }
    expect(bytes).toBe(BLOCKS * BLOCK.length + chunk({ finish: 'stop' }).length + DONE.length)
    expect(tail.endsWith(DONE)).toBe(true)
    await world.expectLog({ end_reason: 'finished', quota: COST })
  })

  /** The most bytes the gateway buffered for a client, without the kernel's buffers. */
  function watchKept(world: World) {
    const kept = { bytesMost: 0 }
    const port = Number(new URL(world.url).port)
    const look = (message: unknown) => {
      const { socket } = accepted.parse(message)
      if (socket.localPort !== port) return
      const timer = setInterval(() => {
        kept.bytesMost = Math.max(kept.bytesMost, socket.writableLength)
      }, 1)
      socket.once('close', () => clearInterval(timer))
    }
    subscribe('net.server.socket', look)
    return { kept, stop: () => unsubscribe('net.server.socket', look) }
  }

  test('that reads nothing has little buffered for it while the provider waits', async () => {
    const { sent, behaviour } = flood(BLOCKS)
    const world = await setUp(behaviour, { quota: RICH })
    const { kept, stop } = watchKept(world)
    const response = await openStream(world)
    stop()
    expect(await untilStill(sent)).toBeLessThan(BLOCKS / 2)
    expect(kept.bytesMost).toBeGreaterThan(0)
    expect(kept.bytesMost).toBeLessThan(8 * BLOCK.length)
    response.destroy()
    await world.books()
  })

  test('that reads a little now and then has the time of the whole exchange', async () => {
    const { behaviour } = flood(Infinity)
    const world = await setUp(behaviour, { quota: RICH, upstreamLimits: { totalMs: 500 } })
    let tail = ''
    for await (const part of await openStream(world)) {
      tail = (tail + Buffer.from(part).toString('latin1')).slice(-500)
      await pause(2)
    }
    expect(tail).toContain('upstream_timeout')
    expect(tail).not.toContain('[DONE]')
    await world.expectLog({ outcome: 'settled', end_reason: 'deadline' })
  })

  test('that reads nothing is disconnected in time', async () => {
    const { behaviour } = flood(Infinity)
    const world = await setUp(behaviour, { quota: RICH, limits: { clientStallMs: 200 } })
    const response = await openStream(world)
    response.on('error', () => {})
    await world.expectLog({ end_reason: 'client_left', outcome: 'settled' })
    response.destroy()
    await waitUntil(async () => (await world.connectionCount()) === 0)
  })
})
