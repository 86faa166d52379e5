import assert from 'node:assert/strict'
import { descriptorOf } from '@tollgate/relay'
import { waitUntil } from '../../harness/wait-until.ts'
import { TASK_COLUMNS } from '../columns.ts'
import { observe } from '../judgement.ts'
import { NOT_OFFERED, type Outcome, refusedBecause, withoutRequestId } from '../matrix.ts'
import { aiSdkTasks } from '../official/ai-sdk-tasks.ts'
import { openaiTasksClient } from '../official/openai-tasks.ts'
import type { MatrixWorld, Provider } from '../world.ts'
import { TASK_FEATURES, type TaskFeature } from './features.ts'
import type { TaskClient } from './task-client.ts'
import type { TaskRun } from './task-run.ts'

/*
 * Runs images, audio, moderations and Realtime for every client with every provider, and checks
 * what each request costs.
 */

export const TASK_CLIENTS: readonly TaskClient[] = [openaiTasksClient, aiSdkTasks]

export type TaskLine = { client: TaskClient; feature: TaskFeature; outcomes: Outcome[] }

type Cell = Pick<TaskLine, 'client' | 'feature'>

/** The cells of one provider run in order, so that each charge can be attributed. */
export async function runTasks({ providers: all }: MatrixWorld): Promise<TaskLine[]> {
  const providers = all.filter(({ column }) => TASK_COLUMNS.includes(column))
  const cells = TASK_CLIENTS.flatMap((client) =>
    TASK_FEATURES.filter(({ isIn }) => isIn(client)).map((feature): Cell => ({ client, feature })),
  )
  const columns = await Promise.all(
    providers.map(async (provider) => {
      const outcomes: Outcome[] = []
      let rows = 0
      for (const cell of cells) {
        const ran = await outcomeOf(cell, provider, rows)
        rows = ran.rows
        outcomes.push(ran.outcome)
      }
      return outcomes
    }),
  )
  return cells.map((cell, index) => ({
    ...cell,
    outcomes: columns.map((outcomes) => outcomes[index] ?? { type: 'failed', message: 'not run' }),
  }))
}

/** `rows` is the number of charges before this cell. */
async function outcomeOf(
  { client, feature }: Cell,
  provider: Provider,
  rows: number,
): Promise<{ outcome: Outcome; rows: number }> {
  const { column, tasks } = provider
  const from = tasks.asked.length
  const judge = observe(provider, 'chat')
  const asked = () => tasks.asked.slice(from)
  const run: TaskRun = { client, column, place: tasks.place, refused: tasks.refused, asked }
  const ended = await feature.run(run).then(
    (type): Outcome => ({ type: type ?? 'done' }),
    (error: unknown) => afterError(error, feature, run),
  )
  const isDone = ended.type === 'done' || ended.type === 'address_only'
  const charged = await chargesOf(provider, { feature, isDone, rows })
  const { misread } = judge()
  const failed = (message: string) =>
    ({ outcome: { type: 'failed', message }, rows: charged.rows }) as const
  if (misread.length > 0) return failed(refusedBecause(misread))
  if (ended.type !== 'failed' && charged.wrong !== null) return failed(charged.wrong)
  return { outcome: ended, rows: charged.rows }
}

async function chargesOf(
  { column, tasks }: Provider,
  { feature, isDone, rows }: { feature: TaskFeature; isDone: boolean; rows: number },
): Promise<{ rows: number; wrong: string | null }> {
  const isPaid = isDone && feature.costs !== null
  try {
    if (isPaid) await waitUntil(async () => (await tasks.charges()).length > rows)
  } catch {
    return { rows, wrong: 'nothing stands in the log' }
  }
  const all = await tasks.charges()
  const charged = all.slice(rows)
  const { told = 0, counted = 0 } = feature.costs ?? {}
  const cost = column.tellsTokens === true ? told : counted
  const isRight = isPaid ? charged.length === 1 && charged[0] === cost : charged.length === 0
  const expected = isPaid ? `one of ${cost}` : 'nothing'
  const wrong = isRight ? null : `charged ${JSON.stringify(charged)}, which should be ${expected}`
  return { rows: all.length, wrong }
}

function afterError(
  error: unknown,
  { offer }: TaskFeature,
  { client, column, asked }: TaskRun,
): Outcome {
  const words = error instanceof Error ? error.message : String(error)
  const failure = error instanceof assert.AssertionError ? null : client.failureOf(error)
  if (failure === null) return { type: 'failed', message: words }
  const message = withoutRequestId(failure.message)
  if (asked().length > 0) return { type: 'failed', message: `${failure.status}: ${message}` }
  const isOffered = offer === null || descriptorOf(column.row.type)?.supports.includes(offer)
  const saysNone =
    offer === 'realtime'
      ? failure.status === 503
      : failure.status === 400 && NOT_OFFERED.test(message)
  if (saysNone && !isOffered) return { type: 'unserved', message }
  if (failure.status === 400 && !saysNone && isOffered) return { type: 'refused', message }
  return { type: 'failed', message: `${failure.status}: ${message}` }
}
