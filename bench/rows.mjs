// The rows of the table: how each gateway is started in front of the mock.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MALLOC_VARIABLES, SERVER_FLAGS } from '../tools/launcher/node-flags.mjs'
import { start, stop, untilAnswering } from './processes.mjs'

const MODEL = 'gpt-4o-mini'
const BOOKED_TRIES = 50
const TENANTS = 50
const TOKENS_PER_TENANT = 4
/** High enough never to be reached; each limit is checked all the same. */
const LIMIT = 1_000_000_000
const TOKEN_QUOTA = 1_000_000_000_000

/** `start(setup)` returns `{ gateway, key, checkBooks }`; `key` and `checkBooks` are optional. */
export const ROWS = [
  { name: 'nginx', start: startNginx },
  { name: 'proxy bare', start: startProxy },
  { name: 'gateway bare', start: startBare },
  { name: 'gateway, everything on', start: startServer, needsServer: true },
]

/** Waits until the gateway of a row answers a chat. */
export const untilChatting = (gateway, { port, key }) =>
  untilAnswering(gateway, `http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}',
  })

async function startNginx({ here, folder, nginx, port, mockPort, cpu }) {
  const text = readFileSync(join(here, 'nginx.conf'), 'utf8')
    .replaceAll('@FOLDER@', folder)
    .replaceAll('@PORT@', String(port))
    .replaceAll('@MOCK_PORT@', String(mockPort))
  const config = join(folder, 'nginx.conf')
  writeFileSync(config, text)
  return { gateway: start([nginx, '-c', config, '-p', folder], { cpu }) }
}

async function startProxy({ bin, port, mockPort, cpu }) {
  return { gateway: start([join(bin, 'bare-proxy'), String(port), String(mockPort)], { cpu }) }
}

async function startBare({ here, node, port, mockPort, cpu }) {
  const env = { PORT: String(port), UPSTREAM: `http://127.0.0.1:${mockPort}` }
  return { gateway: start([node, join(here, 'bare-gateway.ts')], { cpu, env }) }
}

/** Starts the built server on a data folder, as `npm start` does; other `flags` can be given. */
export function startServerAt(server) {
  const {
    root,
    node,
    dataFolder,
    port,
    cpu,
    databaseUrl,
    workers = 1,
    flags = SERVER_FLAGS,
    variables,
  } = server
  const env = {
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_DIR: dataFolder,
    LOG_LEVEL: 'warn',
    ...MALLOC_VARIABLES,
    ...variables,
  }
  if (databaseUrl) env.DATABASE_URL = databaseUrl
  if (workers > 1) env.WORKERS = String(workers)
  const command = [node, ...flags, join(root, 'server/dist/main.js')]
  return start(command, { cpu, env })
}

async function startServer({ folder, mockPort, ...rest }) {
  const { port } = rest
  const dataFolder = join(folder, 'data')
  mkdirSync(dataFolder)
  const gateway = startServerAt({ ...rest, dataFolder })
  try {
    const call = await signIn(gateway, `http://127.0.0.1:${port}`)
    await call('PUT', '/api/option/', { key: 'GlobalApiRateLimit', value: '0' })
    await setLimits(call)
    await addChannel(call, mockPort)
    const key = await addToken(call)
    const keysFile = join(folder, 'keys')
    writeFileSync(keysFile, (await addTenants(call, `http://127.0.0.1:${port}`)).join('\n'))
    const checkBooks = (answers) => checkBooked(call, answers)
    return { gateway, key, keysFile, checkBooks }
  } catch (error) {
    await stop(gateway)
    throw error
  }
}

async function setLimits(call) {
  for (const measure of ['RequestsPerMinute', 'TokensPerMinute', 'ConcurrentRequests']) {
    for (const scope of ['User', 'Token', 'Group']) {
      const value = scope === 'Group' ? JSON.stringify({ default: LIMIT }) : String(LIMIT)
      await call('PUT', '/api/option/', { key: `${scope}${measure}`, value })
    }
  }
}

export const addChannel = (call, mockPort) =>
  call('POST', '/api/channel/', {
    type: 8,
    name: 'bench',
    key: 'sk-upstream-0123456789',
    base_url: `http://127.0.0.1:${mockPort}`,
    models: MODEL,
    group: 'default',
  })

export async function addToken(call) {
  const limits = { unlimited_quota: false, expired_time: -1, remain_quota: TOKEN_QUOTA }
  const { key } = await call('POST', '/api/token/', { name: 'bench', ...limits })
  return `sk-${key.replace(/^sk-/, '')}`
}

async function addTenants(call, address) {
  const keys = []
  for (let i = 0; i < TENANTS; i += 1) {
    keys.push(
      ...(await addTenant(call, address, { name: `tenant${i}`, tokens: TOKENS_PER_TENANT })),
    )
  }
  return keys
}

/** Adds a user with a balance; returns the keys of their tokens. */
export async function addTenant(call, address, { name, tokens }) {
  const account = { username: name, password: 'bench-password' }
  await call('POST', '/api/user/', { ...account, display_name: name })
  const own = await signInAs(address, account)
  const { id } = await own('GET', '/api/user/self')
  await call('POST', '/api/topup', { user_id: id, quota: 1_000_000_000_000, remark: '' })
  const keys = []
  for (let i = 0; i < tokens; i += 1) keys.push(await addToken(own))
  return keys
}

/** Logs in as root; returns a function that calls the control plane. */
export async function signIn(gateway, address) {
  await untilAnswering(gateway, `${address}/api/status`)
  return signInAs(address, { username: 'root', password: '123456' })
}

export async function signInAs(address, account) {
  let cookie = ''
  const call = async (method, path, body) => {
    const response = await fetch(address + path, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      signal: AbortSignal.timeout(10_000),
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    if (!answer.success) throw new Error(`${method} ${path}: ${answer.message}`)
    cookie ||= response.headers
      .getSetCookie()
      .map((text) => text.split(';')[0])
      .join('; ')
    return answer.data
  }
  await call('POST', '/api/user/login', account)
  return call
}

/** Proves that the measured requests were charged: at least one charged request per answer. */
async function checkBooked(call, answers) {
  const sum = (users, field) => users.reduce((total, user) => total + user[field], 0)
  let users
  for (let left = BOOKED_TRIES; left > 0; left -= 1) {
    users = await call('GET', '/api/user/?size=100')
    if (sum(users, 'request_count') >= answers && sum(users, 'used_quota') > 0) break
    await sleep(100)
  }
  return { booked: sum(users, 'request_count'), charged: sum(users, 'used_quota') }
}
