import { connect, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { CHANNEL_STATUS } from '@tollgate/contract'
import { descriptorOf } from '@tollgate/relay'
import type { Database } from '../../store/database.ts'
import { reasonOf } from '../open-for-command.ts'
import { type Finding, ok, warning } from './finding.ts'

const TIMEOUT_MS = 5000
const HTTP_PORT = 80
const HTTPS_PORT = 443

/**
 * Whether the enabled channels' servers accept connections. Nothing is sent. A channel with
 * a proxy of its own may be reachable nevertheless.
 */
export async function checkProviders({ kysely }: Database): Promise<Finding[]> {
  const channels = await kysely
    .selectFrom('channels')
    .select(['id', 'type', 'base_url'])
    .where('status', '=', CHANNEL_STATUS.enabled)
    .execute()
  const origins = new Map<string, number[]>()
  for (const { id, type, base_url } of channels) {
    const address = base_url || descriptorOf(type)?.baseUrl || ''
    const origin = URL.parse(address)?.origin
    if (origin !== undefined) origins.set(origin, [...(origins.get(origin) ?? []), id])
  }
  return Promise.all([...origins].map(([origin, ids]) => reach(origin, ids)))
}

async function reach(origin: string, ids: readonly number[]): Promise<Finding> {
  const channels = `channels ${ids.join(', ')}`
  try {
    await openConnection(new URL(origin))
    return ok(`${origin} accepts connections (${channels})`)
  } catch (error) {
    return warning(`${origin} cannot be reached (${channels}): ${reasonOf(error)}`)
  }
}

/** Also checks the certificate. */
function openConnection({ protocol, hostname, port }: URL): Promise<void> {
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const address = { host, port: Number(port) || (isSecure ? HTTPS_PORT : HTTP_PORT) }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = isSecure
    ? connectTls({ ...address, servername: isIP(host) === 0 ? host : '' }, resolve)
    : connect(address, resolve)
  socket.once('error', reject)
  socket.setTimeout(TIMEOUT_MS, () => reject(new Error(`no answer in ${TIMEOUT_MS} ms`)))
  return promise.finally(() => socket.destroy())
}
