import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { findFreePort } from '../harness/postgres.ts'
import { openTestTls } from '../harness/tls.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { atEnd, newFolder } from './node-world.ts'

const EXAMPLES = path.join(import.meta.dirname, '../../../deploy/proxies')

type Folder = { at: (name: string) => string; port: number }
type Program = { file: string; args: string[]; env?: Record<string, string> }

/** Runs nginx with the example; only addresses and files differ. */
async function prepareNginx(target: string, { at, port }: Folder): Promise<Program> {
  const example = (await readFile(path.join(EXAMPLES, 'nginx.conf'), 'utf8'))
    .replace('server 127.0.0.1:3000', `server ${new URL(target).host}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('listen [::]:443', `listen [::1]:${port}`)
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
  return { file: '/usr/sbin/nginx', args: ['-c', at('nginx.conf')] }
}

/** Runs Caddy with the example; only addresses and files differ. */
async function prepareCaddy(target: string, { at, port }: Folder): Promise<Program> {
  const site = `https://127.0.0.1:${port}, https://[::1]:${port} {\n\tbind 127.0.0.1 ::1\n\ttls ${at('cert')} ${at('key')}`
  const example = (await readFile(path.join(EXAMPLES, 'Caddyfile'), 'utf8'))
    .replace('gateway.example {', site)
    .replace('127.0.0.1:3000', new URL(target).host)
  const options = '{\n\tadmin off\n\tauto_https disable_redirects\n}\n'
  await writeFile(at('Caddyfile'), options + example)
  const args = ['run', '--adapter', 'caddyfile', '--config', at('Caddyfile')]
  return { file: '/usr/bin/caddy', args, env: { HOME: at('home') } }
}

const PREPARE = { nginx: prepareNginx, Caddy: prepareCaddy }

export const EXAMPLE_PROXIES = ['nginx', 'Caddy'] as const

/** Starts a proxy as `deploy/proxies` configures it, in front of `target`; returns its address. */
export async function startExampleProxy(
  name: (typeof EXAMPLE_PROXIES)[number],
  target: string,
): Promise<string> {
  const folder = await newFolder()
  const at = (file: string) => path.join(folder, file)
  const { key, cert } = await openTestTls()
  await writeFile(at('key'), key)
  await writeFile(at('cert'), cert)
  const port = await findFreePort()
  const { file, args, env } = await PREPARE[name](target, { at, port })
  const proxy = spawn(file, args, { env: { ...process.env, ...env }, stdio: 'ignore' })
  const ended = once(proxy, 'exit')
  atEnd(async () => {
    // A killed nginx would leave its workers.
    proxy.kill(name === 'nginx' ? 'SIGTERM' : 'SIGKILL')
    await ended
  })
  const url = `https://127.0.0.1:${port}`
  await waitUntil(async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok === true)
  return url
}
