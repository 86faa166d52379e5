import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { endedIn, prepareFolders, run } from './agent-process.ts'
import type { Agent, Place } from './agents.ts'
import type { DoubleServer } from './double-server.ts'
import { ANSWER, FILE, FINAL, replyTo, TASK } from './play.ts'
import { openRecorder, type Sent } from './recorder.ts'
import { type AgentWorld, PRICE } from './world.ts'

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
      models: [double.double.model],
      home: path.join(folder, 'home'),
      work: path.join(folder, 'work'),
      packages,
    }
    await prepareFolders(place, agent)
    const { callId } = double.double
    double.begin((asked) => ({
      reply: replyTo(asked, { script: agent.script, work: place.work, callId }),
    }))
    if (agent.prepare) await run(agent.prepare(place), { place, agent })
    const { code, output } = await run(agent.command(place, TASK), { place, agent })
    const edited = await readFile(path.join(place.work, FILE), 'utf8')
    const faults = [
      ...endedIn(code),
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
