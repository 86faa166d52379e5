import { once } from 'node:events'
import { type ClientHttp2Session, connect } from 'node:http2'
import { text } from 'node:stream/consumers'
import tls from 'node:tls'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { checkBooks } from '../chaos/checks.ts'
import { startTickingStreams } from '../fakes/ticking-streams.ts'
import { openTestTls } from '../harness/tls.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { EXAMPLE_PROXIES, startExampleProxy } from './example-proxies.ts'
import { atEnd, openNodeWorld } from './node-world.ts'

/** The proxies are at 127.0.0.1, so the addresses of clients must differ from theirs. */
const [CLIENT, STRANGER] = ['127.0.0.2', '127.0.0.3']
const BASE_PATH = '/gate'
/** Above what proxies take unless they are configured. */
const LARGE_BYTES = 3_000_000

async function connectFrom(localAddress: string, url: string): Promise<ClientHttp2Session> {
  const { ca } = await openTestTls()
  const { hostname, port } = new URL(url)
  const to = { host: hostname, port: Number(port), localAddress, ca, ALPNProtocols: ['h2'] }
  const session = connect(url, { createConnection: () => tls.connect(to) })
  atEnd(() => session.destroy())
  return session
}

const chatAbout = (content: string) => {
  const messages = [{ role: 'user', content }]
  return JSON.stringify({ model: 'gpt-4o-mini', messages, stream: true, max_tokens: 100 })
}
const CHAT = chatAbout('hi')

function askForChat(session: ClientHttp2Session, path: string, key: string, more: object = {}) {
  const stream = session.request({
    ':method': 'POST',
    ':path': `${path}/v1/chat/completions`,
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...more,
  })
  return stream.setEncoding('utf8')
}

test.each(EXAMPLE_PROXIES)(
  'the example of %s passes HTTP/2, streams event by event, WebSocket, addresses, large bodies, a path and the end of a client',
  async (name) => {
    const world = await openNodeWorld()
    const provider = await startTickingStreams()
    atEnd(() => provider.close())
    const { kysely } = world.database
    await kysely.updateTable('channels').set({ base_url: provider.baseUrl }).execute()
    await kysely.updateTable('tokens').set({ subnet: CLIENT }).execute()
    await world.setOption('ResponsesSocketEnabled', 'true')
    await world.setOption('DrainEnabled', 'false')
    const server = await world.startNode({ TRUSTED_PROXIES: '127.0.0.1', BASE_PATH })
    const url = await startExampleProxy(name, server.url)
    const session = await connectFrom(CLIENT, url)

    const abandoned = askForChat(session, BASE_PATH, world.key).end(CHAT)
    await once(abandoned, 'data')
    expect(provider.open()).toBe(1)
    abandoned.close()
    await waitUntil(async () => provider.open() === 0)

    const stream = askForChat(session, BASE_PATH, world.key).end(CHAT)
    let received = ''
    stream.on('data', (part: string) => (received += part))
    for (const words of [1, 2, 3]) {
      await waitUntil(async () => received.split('word').length - 1 === words)
      provider.tick()
    }
    provider.finish()
    await once(stream, 'end')
    expect(received).toMatch(/data: \[DONE\]\n\n$/)

    const large = askForChat(session, '', world.key).end(chatAbout('word '.repeat(LARGE_BYTES / 5)))
    expect(await text(large)).toMatch(/data: \[DONE\]\n\n$/)

    const overIpv6 = await fetch(`${url.replace('127.0.0.1', '[::1]')}${BASE_PATH}/readyz`)
    expect(overIpv6.status).toBe(200)

    const stranger = await connectFrom(STRANGER, url)
    const forged = askForChat(stranger, BASE_PATH, world.key, { 'x-forwarded-for': CLIENT })
    expect(await text(forged.end(CHAT))).toContain(`not from ${STRANGER}`)

    // A call from another page would be refused.
    const { host } = new URL(url)
    const somebody = JSON.stringify({ username: 'somebody', password: 'a long password' })
    const post = (verb: string, headers: Record<string, string>) =>
      fetch(`${url}${BASE_PATH}/api/user/${verb}`, { method: 'POST', body: somebody, headers })
    const register = await post('register', { origin: `https://${host}` })
    expect(await register.json()).toMatchObject({ success: true })
    const login = await post('login', {})
    expect(login.headers.getSetCookie().join()).toContain('; Secure')

    const headers = { authorization: `Bearer ${world.key}` }
    const { ca } = await openTestTls()
    const at = `wss://${host}${BASE_PATH}/v1/responses`
    const socket = new WebSocket(at, { headers, ca, localAddress: CLIENT })
    await once(socket, 'open')
    socket.terminate()

    session.destroy()
    expect(await server.stop('SIGTERM')).toBe(0)
    const rows = kysely.selectFrom('logs').select(['end_reason', 'completion_tokens'])
    expect(await rows.where('request_id', 'is not', null).orderBy('end_reason').execute()).toEqual([
      { end_reason: 'address_not_allowed', completion_tokens: 0 },
      { end_reason: 'client_left', completion_tokens: 2 },
      { end_reason: 'finished', completion_tokens: 11 },
      { end_reason: 'finished', completion_tokens: 11 },
    ])
    expect(await checkBooks(world.database)).toEqual([])
  },
)
