import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:http2'
import path from 'node:path'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { checkBooks } from '../chaos/checks.ts'
import { startTickingStreams } from '../fakes/ticking-streams.ts'
import { findFreePort } from '../harness/postgres.ts'
import { openTestTls } from '../harness/tls.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { atEnd, newFolder, openNodeWorld } from './node-world.ts'

const EXAMPLE = path.join(import.meta.dirname, '../../../deploy/proxies/nginx.conf')
const TICK_MS = 50

/** Runs nginx with the example; only addresses and files differ. */
async function startNginx(target: string): Promise<string> {
  const folder = await newFolder()
  const at = (name: string) => path.join(folder, name)
  const { key, cert } = await openTestTls()
  await writeFile(at('key'), key)
  await writeFile(at('cert'), cert)
  const port = await findFreePort()
  const example = (await readFile(EXAMPLE, 'utf8'))
    .replace('server 127.0.0.1:3000', `server ${new URL(target).host}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace(/(?<=ssl_certificate ).*(?=;)/, at('cert'))
    .replace(/(?<=ssl_certificate_key ).*(?=;)/, at('key'))
  await writeFile(at('example.conf'), example)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${at(name)};`)
    .join(' ')
  await writeFile(
    at('nginx.conf'),
    `daemon off; pid ${at('pid')}; error_log stderr; events {}
    http { access_log off; ${temporary} include ${at('example.conf')}; }`,
  )
  const nginx = spawn('/usr/sbin/nginx', ['-c', at('nginx.conf')], { stdio: 'ignore' })
  const ended = once(nginx, 'exit')
  atEnd(async () => {
    nginx.kill('SIGTERM')
    await ended
  })
  const url = `https://127.0.0.1:${port}`
  await waitUntil(async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok === true)
  return url
}

test('the example of nginx passes HTTP/2, streams event by event, WebSocket and the host name', async () => {
  const world = await openNodeWorld()
  const provider = await startTickingStreams(TICK_MS)
  atEnd(() => provider.close())
  const { kysely } = world.database
  await kysely.updateTable('channels').set({ base_url: provider.baseUrl }).execute()
  await world.setOption('ResponsesSocketEnabled', 'true')
  const server = await world.startNode({ TRUSTED_PROXIES: '127.0.0.1' })
  const url = await startNginx(server.url)
  const { ca } = await openTestTls()

  const session = connect(url, { ca })
  const stream = session.request({
    ':method': 'POST',
    ':path': '/v1/chat/completions',
    authorization: `Bearer ${world.key}`,
    'content-type': 'application/json',
  })
  const messages = [{ role: 'user', content: 'hi' }]
  stream.end(JSON.stringify({ model: 'gpt-4o-mini', messages, stream: true, max_tokens: 100 }))
  const parts: string[] = []
  stream.setEncoding('utf8').on('data', (part: string) => parts.push(part))
  await waitUntil(async () => parts.length >= 3)
  expect(provider.open()).toBe(1)
  provider.finish()
  await once(stream, 'end')
  session.close()
  expect(parts.join('')).toMatch(/data: \[DONE\]\n\n$/)

  // A call from another page would be refused.
  const { host } = new URL(url)
  const register = await fetch(`${url}/api/user/register`, {
    method: 'POST',
    headers: { origin: `https://${host}`, 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'somebody', password: 'a long password' }),
  })
  expect(await register.json()).toMatchObject({ success: true })

  const headers = { authorization: `Bearer ${world.key}` }
  const socket = new WebSocket(`wss://${host}/v1/responses`, { headers, ca })
  await once(socket, 'open')
  socket.terminate()

  expect(await server.stop('SIGTERM')).toBe(0)
  const rows = kysely.selectFrom('logs').select(['outcome', 'completion_tokens'])
  expect(await rows.where('request_id', 'is not', null).execute()).toEqual([
    { outcome: 'settled', completion_tokens: 11 },
  ])
  expect(await checkBooks(world.database)).toEqual([])
})
