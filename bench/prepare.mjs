// Prepares a run: programs, binaries, request bodies.
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join, parse } from 'node:path'
import { run } from './processes.mjs'

const PACKAGES = {
  gcc: ['gcc', 'libc6-dev'],
  'g++': ['g++'],
  nginx: ['nginx-light'],
  taskset: ['util-linux'],
}

const NODE_MAJOR_MIN = 24

function findProgram(name) {
  const folders = [...process.env.PATH.split(delimiter), '/usr/sbin', '/sbin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/**
 * The paths of the compilers and nginx. Installs missing programs, taskset included, if run as root
 * on Debian.
 */
export async function findPrograms() {
  const missing = Object.keys(PACKAGES).filter((name) => !findProgram(name))
  const packages = missing.flatMap((name) => PACKAGES[name])
  if (packages.length > 0) {
    if (process.getuid() !== 0 || !existsSync('/etc/debian_version')) {
      throw new Error(`${missing.join(', ')} not found: install ${packages.join(', ')}`)
    }
    // Run level 1 keeps the package from starting nginx as a service.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
    await run(['apt-get', 'update'], { timeoutMs: 120_000, env })
    const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages]
    await run(install, { timeoutMs: 300_000, env })
  }
  return { gcc: findProgram('gcc'), gpp: findProgram('g++'), nginx: findProgram('nginx') }
}

/** The pinned Node.js. `npm start` installs packages; the benchmark never does. */
export function findNode(root) {
  const pinned = join(root, 'node_modules/.bin/node')
  if (existsSync(pinned)) return pinned
  if (!existsSync(join(root, 'node_modules'))) throw new Error('no packages: run npm install first')
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN) return process.execPath
  throw new Error(`Node.js ${NODE_MAJOR_MIN} or newer is needed, this is ${process.version}`)
}

export async function buildServer({ node, root }) {
  await run([node, join(root, 'tools/build.mjs')], { timeoutMs: 120_000 })
}

export async function buildBinaries({ gcc, gpp, sources, folder }) {
  mkdirSync(folder, { recursive: true })
  const age = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0)
  const headers = ['cpu-bill.h', 'histogram.h', 'mock-streams.h']
  for (const file of ['mockup.c', 'loadgen.c', 'awake.c', 'bare-proxy.cpp']) {
    const { name, ext } = parse(file)
    const binary = join(folder, name)
    const inputs = [file, ...headers].map((input) => join(sources, input))
    if (inputs.every((input) => age(input) < age(binary))) continue
    const compiler = ext === '.c' ? [gcc] : [gpp, '-std=c++20']
    await run([...compiler, '-O2', '-Wall', '-Wextra', '-o', binary, inputs[0], '-lm'])
  }
}

const TEXT =
  'You are a careful assistant. Summarise the "quarterly" report\nfor the board, keep figures exact, and flag every assumption. '

/** A conversation of 2 KiB with the options last, as most SDKs send them. */
function chatBody(extra) {
  const turn = (role, skip) => ({ role, content: TEXT.repeat(8).slice(skip, skip + 850) })
  const messages = [
    { role: 'system', content: 'You are a helpful assistant.' },
    turn('user', 0),
    turn('assistant', 7),
  ]
  return JSON.stringify({ model: 'gpt-4o-mini', messages, temperature: 0.7, ...extra })
}

function streamBody(chunks, delayUs) {
  return chatBody({
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: chunks,
    metadata: { mock_delay_us: String(delayUs) },
  })
}

/** A long document in one message, with the options last. */
function largeBody() {
  const content = TEXT.repeat(Math.ceil(200_000 / TEXT.length)).slice(0, 200_000)
  const messages = [{ role: 'user', content }]
  return JSON.stringify({ model: 'gpt-4o-mini', messages, temperature: 0.7, max_tokens: 512 })
}

export function writeBodies(folder) {
  const bodies = {
    json: chatBody({ max_tokens: 512 }),
    'json-200k': largeBody(),
    'stream-50': streamBody(50, 5000),
    'stream-50-fast': streamBody(50, 1000),
    'stream-500': streamBody(500, 2000),
    'stream-500-fast': streamBody(500, 1000),
    'stream-slow': streamBody(50, 100_000),
  }
  for (const [name, body] of Object.entries(bodies)) {
    writeFileSync(join(folder, `${name}.json`), body)
  }
}
