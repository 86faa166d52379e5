import { vendorOfType } from '../../../relay/testing/vendors/vendors.ts'
import { audit } from '../../src/ledger/audit/audit.ts'
import type { Received } from '../every-type/received.ts'
import { openStand, type Stand } from '../every-type/stand.ts'
import { leadsTo } from '../fakes/dns-lookups.ts'
import { brokenRulesBy } from '../fakes/scripted-upstream.ts'
import { openTlsFront } from '../fakes/tls-front.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { type GatewayWorld, openGatewayWorld } from '../worlds/gateway-world.ts'
import type { Place } from './client.ts'
import { COLUMNS, type Column, FORMERS } from './columns.ts'
import type { Former } from './features.ts'
import { type ReceivedChat, replyTo, VECTORS } from './received-chat.ts'
import type { ReceivedTask } from './tasks/received-task.ts'
import { MODELS, type TaskPlace } from './tasks/task-client.ts'

export type Provider = {
  column: Column
  place: Place
  /** A channel whose key the provider does not know. */
  refused: Place
  /** Other providers, with models of their own. */
  formers: readonly Former[]
  received: readonly Received[]
  /** Chats and embedding requests that reached the model. */
  asked: readonly (ReceivedChat | { embed: string[] })[]
  /** Why requests violate the provider's documentation. */
  misread: readonly string[]
  /** Rules of its vendor that requests broke. */
  broken: readonly BrokenRule[]
  /** Images, audio, moderations and Realtime, for a separate caller. */
  tasks: {
    place: TaskPlace
    refused: TaskPlace
    asked: readonly ReceivedTask[]
    /**
     * Charges in the log of both callers, oldest first. Rows that cost nothing are left out: a
     * Realtime session leaves one for each hold that it replaces or does not use, depending on
     * timing.
     */
    charges: () => Promise<number[]>
  }
}

export type BrokenRule = { id: string; text: string }

export type MatrixWorld = {
  providers: readonly Provider[]
  /** Audit differences after everything has ended. */
  findings: () => Promise<unknown[]>
  close: () => Promise<void>
}

const QUOTA = 1_000_000_000
const CHAT_MODELS = ['gpt-5-mini', 'claude-sonnet-4-6', 'gemini-2.5-flash']
/** No built-in price charges for moderations. */
const OWN_RATIOS = JSON.stringify({ [MODELS.judge]: 100 })
const QUEUE_POLL_MS = 5
const TASK_MODELS = Object.values(MODELS)
const EMBEDDING_MODELS = ['text-embedding-3-small', 'gemini-embedding-001']

/** One gateway, with each provider in its own group. */
export async function openMatrixWorld(): Promise<MatrixWorld> {
  const world = await openGatewayWorld('sqlite', {
    upstreamLimits: { pollMs: QUEUE_POLL_MS },
    lookup: leadsTo('127.0.0.1'),
  })
  const stands: Stand[] = []
  let front: Awaited<ReturnType<typeof openTlsFront>> | undefined
  const close = async () => {
    front?.close()
    await world.close()
    for (const stand of stands) await stand.close()
  }
  try {
    await world.setOption('RetryTimes', '0')
    // The page also documents what works only with this option.
    await world.setOption('UnpricedFeaturesEnabled', 'true')
    await world.setOption('ModelRatio', OWN_RATIOS)
    await world.setOption('AutomaticDisableChannelEnabled', 'false')
    const opened = await Promise.all(
      COLUMNS.map(async (column, index) => {
        const model = createModel(column)
        const stand = await openStand(column.row, model)
        stands.push(stand)
        const callers: number[] = []
        const add = async (group: string, key: string) => {
          await world.addChannel({ ...channelOf(column, stand), group, key })
          const [talker, tasker] = [await addCaller(world, group), await addCaller(world, group)]
          callers.push(tasker.user)
          return { key: talker.key, taskKey: tasker.key }
        }
        const served = await add(`served${index}`, column.row.key)
        const refused = await add(`refused${index}`, anotherKey(column.row.key))
        const charges = () => chargesOf(world, callers)
        const { received } = stand
        const { asked, misread, broken, tasks } = model
        return { column, served, refused, received, asked, misread, broken, tasks, charges }
      }),
    )
    const callersElsewhere = await addFormers(world, stands)
    const url = await world.start()
    const formers = callersElsewhere.map(({ name, key }) => ({ name, place: { url, key } }))
    front = await openTlsFront(url)
    const secureUrl = front.url
    const providers = opened.map(({ served, refused, tasks, charges, ...provider }) => ({
      ...provider,
      formers: formers.filter(({ name }) => name !== provider.column.name),
      place: { url, key: served.key },
      refused: { url, key: refused.key },
      tasks: {
        place: { url, secureUrl, key: served.taskKey },
        refused: { url, secureUrl, key: refused.taskKey },
        asked: tasks,
        charges,
      },
    }))
    const findings = async () => {
      await waitUntil(async () => world.ledger.running() === 0)
      await world.ledger.whenApplied()
      return audit(world.database)
    }
    return { providers, findings, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Opens the providers where sessions begin, and returns a caller of each. */
const addFormers = (world: GatewayWorld, stands: Stand[]) =>
  Promise.all(
    FORMERS.map(async (column, index) => {
      const stand = await openStand(column.row, createModel(column))
      stands.push(stand)
      const group = `former${index}`
      await world.addChannel({ ...channelOf(column, stand), group, key: column.row.key })
      return { name: column.name, key: (await addCaller(world, group)).key }
    }),
  )

async function addCaller(world: GatewayWorld, group: string) {
  const user = await world.addUser({ group, quota: QUOTA })
  return { user, key: (await world.addToken({ user })).key }
}

async function chargesOf({ ledger, database }: GatewayWorld, users: number[]): Promise<number[]> {
  for (const user of users) await ledger.flush(user)
  const rows = await database.kysely
    .selectFrom('logs')
    .select('quota')
    .where('user_id', 'in', users)
    .where('quota', '>', 0)
    .orderBy('id')
    .execute()
  return rows.map(({ quota }) => quota)
}

function channelOf({ row, host, embeddingModel, taskModels = {} }: Column, { baseUrl }: Stand) {
  const embeds =
    embeddingModel === null ? [] : EMBEDDING_MODELS.map((name) => [name, embeddingModel])
  const chats = CHAT_MODELS.map((name) => [name, row.model])
  const mapped = [...chats, ...embeds, ...Object.entries(taskModels)]
  return {
    type: row.type,
    base_url: host === undefined ? baseUrl : baseUrl.replace('127.0.0.1', host),
    other: row.other ?? '',
    models: [...CHAT_MODELS, ...EMBEDDING_MODELS, ...TASK_MODELS].join(','),
    model_mapping: JSON.stringify(Object.fromEntries(mapped)),
  }
}

/** A wrong key of the same form. */
const anotherKey = (key: string) =>
  key
    .split('|')
    .map((part) => `${part.slice(0, -1)}${part.endsWith('7') ? '8' : '7'}`)
    .join('|')

/** Answers all requests, and records what the provider would refuse. */
function createModel({ row, wire, tasks: taskWire, ...column }: Column) {
  const asked: (ReceivedChat | { embed: string[] })[] = []
  const tasks: ReceivedTask[] = []
  const misread: string[] = []
  const broken: BrokenRule[] = []
  const vendor = column.vendor ?? vendorOfType(row.type)
  const misreadIn = (error: unknown) =>
    void misread.push(error instanceof Error ? error.message : String(error))
  const answerTo = async (call: Received) => {
    try {
      const served = await taskWire?.serve(call)
      if (!served) return answerOf(call)
      if (served.received !== null) tasks.push(served.received)
      return served.answer
    } catch (error) {
      misreadIn(error)
      return { status: 200, type: 'application/json', body: row.answerBody }
    }
  }
  const greet = (call: Received) => {
    try {
      return taskWire?.greet?.(call) ?? ''
    } catch (error) {
      misreadIn(error)
      return ''
    }
  }
  const answerOf = (call: Received) => {
    if (vendor !== undefined) broken.push(...brokenRulesBy(vendor, call))
    const read = wire.read(call)
    asked.push(read)
    if ('embed' in read) {
      const body = wire.writeVectors?.(VECTORS.slice(0, read.embed.length)) ?? ''
      return { status: 200, type: 'application/json', body }
    }
    const type = read.stream === true ? 'text/event-stream' : 'application/json'
    return { status: 200, type, body: wire.write(replyTo(read, wire), read) }
  }
  return { asked, tasks, misread, broken, answerTo, greet }
}
