import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findFreePort } from './postgres.ts'

const START_ATTEMPTS_MAX = 3

/**
 * The shell kills the server when its input closes, so the server ends with the test run even if
 * that is killed.
 */
const KEEPER_SCRIPT = `
folder=$1 port=$2
trap '' PIPE
redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --dir "$folder" &
server=$!
echo "pid $server"
cat >/dev/null
kill -9 $server
`

export type TestRedis = {
  url: string
  /** Kills the process with SIGKILL; its data is lost. */
  kill: () => Promise<void>
  /** Starts on the same port after a kill. */
  start: () => Promise<void>
  /** Accepts connections but answers nothing until `thaw`. */
  freeze: () => void
  thaw: () => void
  close: () => Promise<void>
}

export async function startRedis(attemptsLeft = START_ATTEMPTS_MAX): Promise<TestRedis> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-redis-'))
  const port = await findFreePort()
  let running = await launch(folder, port)
  if (running === null) {
    rmSync(folder, { recursive: true, force: true })
    // Another process took the free port.
    if (attemptsLeft > 1) return startRedis(attemptsLeft - 1)
    throw new Error('Redis for the tests did not start: install the package redis-server.')
  }
  const kill = async () => {
    const ended = running && once(running.child, 'close')
    running?.child.stdin.end()
    running = null
    await ended
  }
  const signal = (name: NodeJS.Signals) => running && process.kill(running.pid, name)
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    start: async () => {
      running = await launch(folder, port)
      if (running === null) throw new Error('Redis did not start again')
    },
    freeze: () => void signal('SIGSTOP'),
    thaw: () => void signal('SIGCONT'),
    close: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Running = { child: ChildProcessWithoutNullStreams; pid: number }

async function launch(folder: string, port: number): Promise<Running | null> {
  const child = spawn('/bin/sh', ['-c', KEEPER_SCRIPT, 'sh', folder, String(port)], {
    detached: true,
    env: { PATH: '/usr/bin:/bin' },
  })
  const { promise: ready, resolve } = Promise.withResolvers<number | null>()
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += String(chunk)
    const pid = /^pid (\d+)$/m.exec(said)?.[1]
    if (pid !== undefined && said.includes('Ready to accept connections')) resolve(Number(pid))
    if (said.includes('Address already in use')) resolve(null)
  })
  child.on('close', () => resolve(null))
  const pid = await ready
  if (pid !== null) return { child, pid }
  child.stdin.end()
  return null
}
