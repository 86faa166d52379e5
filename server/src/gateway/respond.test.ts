import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { ASKED, books, COST, QUOTA, setUp, tearDown } from '../../testing/relay-scenario.ts'
import { answerChat } from '../../testing/scripted-upstream.ts'
import { waitUntil } from '../../testing/wait-until.ts'

afterEach(tearDown)

/** More than the buffers of a connection take. */
const ANSWER_BYTES = 32 * 1024 * 1024

test('a client that takes nothing of its answer is let go, and has paid for it', async () => {
  const world = await setUp([{ script: [answerChat('x'.repeat(ANSWER_BYTES))] }], {
    limits: { sendMs: 300 },
  })
  const { hostname, port } = new URL(world.url)
  const socket = connect(Number(port), hostname).pause()
  socket.on('error', () => {})
  try {
    await once(socket, 'connect')
    const body = JSON.stringify(ASKED)
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: ${world.key}\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    )
    await waitUntil(async () => world.upstream.requestsOf('p0').length === 1)
    await waitUntil(async () => (await world.connectionCount()) === 0)
    const { log, logs, account } = await books(world)
    expect(logs).toHaveLength(1)
    expect(log).toMatchObject({ end_reason: 'finished', outcome: 'settled', quota: COST })
    expect(account.quota).toBe(QUOTA - COST)
  } finally {
    socket.destroy()
  }
})
