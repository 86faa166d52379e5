// Starts, pins and stops the processes of a run.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const STOP_MS = 5_000
const STDERR_MAX = 4_000
const running = new Set()

/**
 * The CPUs for gateway and load, and a second gateway CPU if there is one. Null if there is only
 * one CPU, and nothing is pinned.
 */
export function findCpus() {
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]
  const cpus = list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
  const [gateway, load, second] = cpus
  return load === undefined ? null : { gateway, load, ...(second !== undefined && { second }) }
}

function pinned(cpu, command) {
  return cpu === undefined ? command : ['taskset', '-c', String(cpu), ...command]
}

/** Each process leads its own process group, so that its workers end with it. */
export function start(command, { cpu, env } = {}) {
  const [program, ...args] = pinned(cpu, command)
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const started = { child, stderr: '' }
  child.stderr.on('data', (text) => {
    started.stderr = (started.stderr + text).slice(-STDERR_MAX)
  })
  child.on('error', (error) => {
    started.stderr += error.message
  })
  running.add(child)
  child.on('exit', () => running.delete(child))
  return started
}

/**
 * The hypervisor gives a halted virtual CPU to others, and a program that wakes there has to wait.
 * On one machine, 4 to 5 % of a half-busy CPU were stolen, but only 0.1 % of a CPU that never
 * halts.
 */
export function keepAwake(bin, cpus) {
  for (const cpu of Object.values(cpus)) start([join(bin, 'awake')], { cpu })
}

/** Runs a program to completion and returns its stdout; throws with its stderr. */
export async function run(command, { cpu, timeoutMs = 30_000, env = process.env } = {}) {
  const [program, ...args] = pinned(cpu, command)
  const { stdout } = await promisify(execFile)(program, args, { timeout: timeoutMs, env })
  return stdout
}

function signalGroup(child, signal) {
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

export async function stop({ child }) {
  if (!running.has(child) || child.pid === undefined) return
  const gone = once(child, 'exit')
  signalGroup(child, 'SIGTERM')
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_MS)
  await gone
  clearTimeout(timer)
}

export function killAll() {
  for (const child of running) if (child.pid !== undefined) signalGroup(child, 'SIGKILL')
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Polls until the status is 200; throws after ten seconds or when the process ends. */
export async function untilAnswering(started, url, request = {}) {
  const { child } = started
  for (let left = 200; left > 0 && child.exitCode === null; left -= 1) {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    )
    await response?.arrayBuffer()
    if (response?.status === 200) return
    await sleep(50)
  }
  throw new Error(`${child.spawnargs.join(' ')} does not answer on ${url}: ${started.stderr}`)
}
