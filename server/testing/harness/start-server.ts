import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { V8_FLAGS } from './v8-flags.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
/** Shorter than a test's time limit, so that no process outlives its test. */
const START_TIMEOUT_MS = 20_000

export type RunningServer = {
  /** For example `http://localhost:41234`, without a trailing slash. */
  url: string
  output: () => string
  process: ChildProcess
  /**
   * Sends the signal and resolves with the exit code, or with null if the signal ended the process.
   */
  stop: (signal?: 'SIGTERM' | 'SIGINT' | 'SIGKILL') => Promise<number | null>
}

type Variables = Record<string, string>

function run(variables: Variables, main = process.env['TEST_SERVER'] ?? MAIN) {
  const child = spawn(process.execPath, [...V8_FLAGS, main], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (chunk: Buffer) => (output += chunk.toString())
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const exited = once(child, 'exit').then(() => child.exitCode)
  return { child, exited, output: () => output }
}

/**
 * Starts the real server in its own process, on a free port. `main` is the entry point; by
 * default the server that the tests have built, else the sources.
 */
export async function startServer(
  variables: Variables,
  main?: string,
  timeoutMs = START_TIMEOUT_MS,
): Promise<RunningServer> {
  const { child, exited, output } = run(variables, main)
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`the server did not start:\n${output()}`))
    }, timeoutMs)
    const look = () => {
      const found = /listening on (http:\/\/\S+)/.exec(output())?.[1]
      if (found === undefined) return
      clearTimeout(timer)
      resolve(found)
    }
    child.stdout.on('data', look)
    child.once('exit', () => {
      clearTimeout(timer)
      reject(new Error(`the server ended:\n${output()}`))
    })
  })
  return {
    url,
    output,
    process: child,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      return exited
    },
  }
}

/** For starts that are expected to fail, or that `meanwhile` stops. */
export async function runServerToItsEnd(
  variables: Variables,
  meanwhile?: (stop: (signal?: 'SIGTERM' | 'SIGKILL') => void) => Promise<void>,
) {
  const { child, exited, output } = run(variables)
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
  await meanwhile?.((signal = 'SIGTERM') => void child.kill(signal))
  const code = await exited
  clearTimeout(timer)
  return { code, output: output() }
}

/** Sends SIGKILL `afterMs` after the start, whatever state the server is in. */
export async function killWhileStarting(variables: Variables, afterMs: number, main?: string) {
  const { child, exited } = run(variables, main)
  const killing = setTimeout(() => child.kill('SIGKILL'), afterMs)
  await exited
  clearTimeout(killing)
}
