import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Agent, Place } from './agents.ts'
import type { DoubleServer } from './double-server.ts'
import { ANSWER, DRAFT, FILE, FINAL, replyTo, TASK } from './play.ts'
import { openRecorder, type Sent } from './recorder.ts'
import { type AgentWorld, PRICE } from './world.ts'

const LIMIT_MS = 90_000
const OUTPUT_MAX = 100_000

export type AgentRun = {
  readonly agent: Agent
  readonly double: DoubleServer['double']
  /** Empty if everything is as it should be. */
  readonly faults: readonly string[]
  /** Rules of the vendor that the requests have broken. */
  readonly refused: readonly string[]
  readonly sent: readonly Sent[]
  readonly place: Place
  readonly output: string
  readonly seconds: number
}

/** One agent against one double: it reads a file, edits it and answers. */
export async function runAgent(
  world: AgentWorld,
  { agent, double, packages }: { agent: Agent; double: DoubleServer; packages: string },
): Promise<AgentRun> {
  const startedAt = performance.now()
  const folder = await mkdtemp(path.join(tmpdir(), 'tollgate-agent-'))
  const token = `${agent.name} ${double.double.name}`.slice(0, 30)
  const recorder = await openRecorder(world.url)
  try {
    const place: Place = {
      url: recorder.url,
      key: await world.createToken(token),
      model: double.double.model,
      home: path.join(folder, 'home'),
      work: path.join(folder, 'work'),
      packages,
    }
    await prepareFolders(place, agent)
    const { callId } = double.double
    double.begin((asked) => replyTo(asked, { script: agent.script, work: place.work, callId }))
    if (agent.prepare) await run(agent.prepare(place), place, agent)
    const { code, output } = await run(agent.command(place, TASK), place, agent)
    const edited = await readFile(path.join(place.work, FILE), 'utf8')
    const faults = [
      ...(code === 0
        ? []
        : [code === null ? `ended by force after ${LIMIT_MS} ms` : `exit code ${code}`]),
      ...(edited === FINAL ? [] : ['the file is not edited']),
      ...(output.includes(ANSWER) ? [] : ['the answer is not shown']),
      ...(await faultsOfCharges(world, { token, answered: double.answered() })),
    ]
    return {
      agent,
      double: double.double,
      faults,
      refused: [...new Set(double.refused())],
      sent: recorder.sent,
      place,
      output,
      seconds: Math.round((performance.now() - startedAt) / 1000),
    }
  } finally {
    await recorder.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function prepareFolders(place: Place, agent: Agent) {
  await mkdir(place.work, { recursive: true })
  await writeFile(path.join(place.work, FILE), DRAFT)
  await mkdir(path.join(place.home, 'tmp'), { recursive: true })
  for (const [name, text] of Object.entries(agent.files(place))) {
    const file = path.join(place.home, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

/** In a process group of its own, without a variable of the caller. */
async function run(
  [program = '', ...args]: readonly string[],
  place: Place,
  agent: Agent,
): Promise<{ code: number | null; output: string }> {
  const env = {
    HOME: place.home,
    TMPDIR: path.join(place.home, 'tmp'),
    PATH: [path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    ...agent.env(place),
  }
  const child = spawn(program, args, {
    cwd: place.work,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-OUTPUT_MAX))
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject)
  child.once('exit', (code) => resolve(code))
  const late = setTimeout(() => killGroup(child), LIMIT_MS)
  try {
    return { code: await promise, output }
  } finally {
    clearTimeout(late)
    killGroup(child)
  }
}

/** Also ends what the agent has left behind in its group. */
function killGroup({ pid }: ChildProcess) {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

async function faultsOfCharges(
  world: AgentWorld,
  { token, answered }: { token: string; answered: number },
): Promise<string[]> {
  const rows = await world.rowsOf(token, answered).catch(() => [])
  const charged = rows.filter(({ quota }) => quota > 0)
  const wrong = charged.filter((row) => row.quota !== PRICE || row.usage_source !== 'reported')
  return [
    ...(charged.length === answered ? [] : [`${charged.length} charges for ${answered} answers`]),
    ...wrong.map(({ quota, usage_source }) => `charged ${quota} (${usage_source}), not ${PRICE}`),
  ]
}
