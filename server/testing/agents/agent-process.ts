import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Agent, Place } from './agents.ts'
import { DRAFT, FILE } from './play.ts'

const LIMIT_MS = 90_000
const OUTPUT_MAX = 100_000
/** An agent that is asked to stop may take this long. */
const STOP_MS = 3000

export async function prepareFolders(place: Place, agent: Agent): Promise<void> {
  await mkdir(place.work, { recursive: true })
  await writeFile(path.join(place.work, FILE), DRAFT)
  await mkdir(path.join(place.home, 'tmp'), { recursive: true })
  await writeFiles(place.home, agent.files(place))
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>) {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

type Ended = { readonly code: number | null; readonly output: string }

export const endedIn = (code: number | null): string[] => {
  if (code === 0) return []
  return [code === null ? `ended by force after ${LIMIT_MS} ms` : `exit code ${code}`]
}

type RunOptions = {
  readonly place: Place
  readonly agent: Agent
  readonly env?: Readonly<Record<string, string>>
  /** As by Ctrl+C. */
  readonly interrupt?: Promise<void>
  /** What the user types. */
  readonly typed?: string
}

/** In a process group of its own, without a variable of the caller. */
export async function run(
  [program = '', ...args]: readonly string[],
  { place, agent, env, interrupt, typed }: RunOptions,
): Promise<Ended> {
  const child = spawn(program, args, {
    cwd: place.work,
    env: {
      HOME: place.home,
      TMPDIR: path.join(place.home, 'tmp'),
      PATH: [path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
      TERM: 'dumb',
      LANG: 'C.UTF-8',
      NO_COLOR: '1',
      ...agent.env(place),
      ...env,
    },
    detached: true,
    stdio: [typed === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.on('error', () => {}).end(typed)
  let output = ''
  const collect = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-OUTPUT_MAX))
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject)
  child.once('exit', (code) => resolve(code))
  const ended = new AbortController()
  const killAfter = (ms: number) =>
    setTimeout(ms, null, ended).then(
      () => signalGroup(child, 'SIGKILL'),
      () => {},
    )
  void killAfter(LIMIT_MS)
  void interrupt?.then(() => {
    signalGroup(child, 'SIGINT')
    return killAfter(STOP_MS)
  })
  try {
    return { code: await promise, output }
  } finally {
    ended.abort()
    signalGroup(child, 'SIGKILL')
  }
}

/** Also reaches what the agent has left behind in its group. */
function signalGroup({ pid }: ChildProcess, signal: 'SIGINT' | 'SIGKILL') {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended.
  }
}
