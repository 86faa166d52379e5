import { describe, expect, onTestFinished, test } from 'vitest'
import { openRawClient, type RawClient } from '../../testing/harness/raw-client.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import { type ControlPlane, openControlPlane } from '../../testing/worlds/control-plane.ts'

const BODY_MS = 200
const LOGIN = '{"username":"nobody","password":"x"}'

async function connect(bodyMs: number): Promise<RawClient & { plane: ControlPlane }> {
  const plane = await openControlPlane('sqlite', { bodyMs })
  onTestFinished(() => plane.close())
  return { ...openRawClient({ url: await plane.listen() }), plane }
}

const post = (path: string, framing: string, ...more: string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: x', framing, ...more, '\r\n'].join('\r\n')

describe('a body under /api', () => {
  test.each([
    ['of an endpoint', '/api/user/login', `Content-Length: ${LOGIN.length}`],
    ['of an endpoint, in chunks', '/api/user/login', 'Transfer-Encoding: chunked'],
    ['of no endpoint', '/nowhere', `Content-Length: ${LOGIN.length}`],
  ])('%s that stalls is refused in time', async (_what, path, framing) => {
    const { socket, received: said, closed, plane: opened } = await connect(BODY_MS)
    socket.write(post(path, framing) + (framing.startsWith('T') ? '1\r\n{\r\n' : '{'))
    await closed
    expect(said()).toBe('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
    expect(opened.logLines.join('')).not.toContain('"level":50')
  })

  test('that arrives in time is read, and its connection stays open', async () => {
    const { socket, waitFor: hears, received: said } = await connect(BODY_MS)
    const send = () =>
      socket.write(post('/api/user/login', `Content-Length: ${LOGIN.length}`) + LOGIN)
    send()
    await hears('Wrong username or password')
    await new Promise((resolve) => setTimeout(resolve, 2 * BODY_MS))
    send()
    await waitUntil(async () => said().split('Wrong username or password').length === 3)
    expect(said()).not.toContain(' 408 ')
  })

  test.each([
    ['of a known length', 'Content-Length: 1000', '{'],
    ['in chunks', 'Transfer-Encoding: chunked', '1\r\n{\r\n'],
  ])('%s that its sender aborts is not logged as an error', async (_what, framing, begun) => {
    const { socket, closed, plane: opened } = await connect(60_000)
    socket.write(post('/api/user/login', framing) + begun)
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.resetAndDestroy()
    await closed
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(opened.logLines.join('')).not.toContain('"level":50')
  })
})
