import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { memoryFolder } from '../harness/memory-folder.ts'
import { findFreePort } from '../harness/postgres.ts'
import { waitUntil } from '../harness/wait-until.ts'

const FOR_ALL = 0o755

/** The shell ends the pooler and removes its folder when its input closes. */
const KEEPER_SCRIPT = `
folder=$1
trap '' PIPE
trap 'rm -rf "$folder"' EXIT
exec 2>>"$folder/log"
/usr/sbin/pgbouncer $2 "$folder/pgbouncer.ini" >>"$folder/log" &
pooler=$!
echo ready
cat >/dev/null
kill -9 $pooler
`

/** PgBouncer in transaction mode, as Debian configures it otherwise; `more` are settings. */
export async function startPgbouncer(databaseUrl: string, more = '') {
  const { hostname, port, pathname, username } = new URL(databaseUrl)
  const folder = mkdtempSync(path.join(memoryFolder(), 'tollgate-pgbouncer-'))
  chmodSync(folder, FOR_ALL)
  const ownPort = await findFreePort()
  const settings = `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
${more}
`
  const user = username === '' ? 'postgres' : username
  const place = `* = host=${hostname} port=${port}`
  writeFileSync(
    path.join(folder, 'pgbouncer.ini'),
    settings.replace(place, `${place} user=${user}`),
  )
  // PgBouncer refuses to run as root.
  const asUser = process.getuid?.() === 0 ? '-u postgres' : ''
  const keeper = spawn('sh', ['-c', KEEPER_SCRIPT, 'sh', folder, asUser], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(keeper.stdout, 'data')
  await waitUntil(async () => isOpen(ownPort))
  return {
    url: `postgres://${user}@127.0.0.1:${ownPort}${pathname}`,
    close: async () => {
      keeper.stdin.end()
      await once(keeper, 'exit')
    },
  }
}

async function isOpen(port: number): Promise<boolean> {
  const { connect } = await import('node:net')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1')
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
