import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { endedIn, prepareFolders, run, writeFiles } from './agent-process.ts'
import type { Agent, Place } from './agents.ts'
import type { DoubleServer } from './double-server.ts'
import { FILE } from './play.ts'
import { openRecorder } from './recorder.ts'
import type { AgentRun } from './run-agent.ts'
import {
  answerOf,
  EXTRA_FILES,
  PICTURE,
  PICTURE_BYTES,
  SessionScript,
  type Stage,
  STAGES,
} from './session-script.ts'
import { SESSION_WAYS, type SessionWay, type StageRun } from './session-ways.ts'
import { type AgentWorld, priceOf } from './world.ts'

/** The session has to have as many turns with tools. */
const TURNS_MIN = 20

export type SessionGiven = {
  readonly agent: Agent
  readonly double: DoubleServer
  /** Has the session for some turns. */
  readonly other: DoubleServer
  readonly packages: string
}

type Session = SessionGiven & {
  readonly place: Place
  readonly way: SessionWay
  readonly script: SessionScript
}

/**
 * A long session of an agent: twenty turns with tools, a picture, parallel calls, an answer that
 * the user interrupts, a summary of the history, and a while with another vendor's model.
 */
export async function runSession(world: AgentWorld, given: SessionGiven): Promise<AgentRun> {
  const startedAt = performance.now()
  const { agent, double, other, packages } = given
  const folder = await mkdtemp(path.join(tmpdir(), 'tollgate-agent-'))
  const token = `${agent.name} ${double.double.name}`.slice(0, 30)
  const recorder = await openRecorder(world.url)
  try {
    const { model } = double.double
    const place: Place = {
      url: recorder.url,
      key: await world.createToken(token),
      model,
      models: [model, other.double.model],
      home: path.join(folder, 'home'),
      work: path.join(folder, 'work'),
      packages,
    }
    const session = await prepareSession(given, place)
    const { way, script } = session
    const stages: { faults: string[]; output: string }[] = []
    for (const stage of way.stages ?? STAGES) {
      stages.push(await runStage(session, stage))
      if (stages.at(-1)?.faults.length !== 0) break
    }
    const faults = [
      ...stages.flatMap((stage) => stage.faults),
      ...(script.turns >= TURNS_MIN ? [] : [`only ${script.turns} turns`]),
      ...(way.stages !== undefined || script.compactions > 0 ? [] : ['no summary was asked for']),
      ...(await faultsOfCharges(world, { token, doubles: [double, other] })),
    ]
    return {
      agent,
      double: double.double,
      faults,
      refused: [...new Set([...double.refused(), ...other.refused()])],
      sent: recorder.sent,
      place,
      output: stages.map(({ output }) => output).join('\n---\n'),
      seconds: Math.round((performance.now() - startedAt) / 1000),
    }
  } finally {
    await recorder.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function prepareSession(given: SessionGiven, place: Place): Promise<Session> {
  const { agent, double, other } = given
  const way = SESSION_WAYS[agent.name]
  if (way === undefined) throw new Error(`${agent.name} has no way to continue a session`)
  const { work } = place
  const { callId } = double.double
  const script = new SessionScript({ script: agent.script, picture: way.picture, work, callId })
  await prepareFolders(place, agent)
  await writeFiles(work, EXTRA_FILES)
  await writeFiles(work, { [PICTURE]: PICTURE_BYTES })
  for (const one of [double, other]) one.begin((asked) => script.play(asked))
  if (agent.prepare) await run(agent.prepare(place), { place, agent })
  return { ...given, place, way, script }
}

async function runStage(session: Session, stage: Stage) {
  const { place: home, agent, double, other, way, script } = session
  const model = (stage.isElsewhere ? other : double).double.model
  const place = { ...home, model }
  const isFirst = stage === STAGES[0] || way.stages !== undefined
  const given = { place, agent, stage, isFirst, tokens: double.reported().at(-1) ?? 0 }
  script.begin(stage)
  const breaks = stage.steps.includes('half')
  let output = ''
  const runOnce = async ({ command, env, typed, files = {} }: StageRun) => {
    await writeFiles(place.home, files)
    const ended = await run(command, {
      place,
      agent,
      ...(env && { env }),
      ...(breaks && { interrupt: script.halfway }),
      ...(typed !== undefined && { typed }),
    })
    output += ended.output.slice(-1500)
    script.finishAnswer()
    return breaks ? [] : endedIn(ended.code)
  }
  const before = stage.compacts && way.compact ? await runOnce(way.compact(given)) : []
  const faults = [...before, ...(await runOnce(way.run(given)))]
  const text = await readFile(path.join(place.work, FILE), 'utf8')
  const isAnswered = breaks || output.includes(answerOf(stage))
  const all = [
    ...faults,
    ...(script.left === 0 ? [] : [`${script.left} steps are left`]),
    ...(text.includes(script.status) ? [] : [`the note is not ${script.status}`]),
    ...(isAnswered ? [] : ['the answer is not shown']),
  ]
  return { faults: all.map((fault) => `${stage.name}: ${fault}`), output }
}

/** Each answer of a vendor has a row with the price of what the vendor reported. */
async function faultsOfCharges(
  world: AgentWorld,
  { token, doubles }: { token: string; doubles: readonly DoubleServer[] },
): Promise<string[]> {
  const prices = doubles.flatMap((double) => double.reported().map(priceOf))
  const rows = await world.rowsOf(token, prices.length).catch(() => [])
  const charged = rows.map(({ quota }) => quota).filter((quota) => quota > 0)
  const sorted = (list: readonly number[]) => list.toSorted((one, two) => one - two).join(', ')
  const estimated = rows.filter((row) => row.quota > 0 && row.usage_source !== 'reported').length
  return [
    ...(sorted(charged) === sorted(prices)
      ? []
      : [`charged ${sorted(charged)}, but reported ${sorted(prices)}`]),
    ...(estimated === 0 ? [] : [`${estimated} answers are charged by an estimate`]),
  ]
}
