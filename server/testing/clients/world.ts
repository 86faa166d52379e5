import { audit } from '../../src/ledger/audit.ts'
import { openStand, type Received, type Stand } from '../every-type/stand.ts'
import { openGatewayWorld } from '../gateway-fixture.ts'
import { waitUntil } from '../wait-until.ts'
import { type Asked, replyTo, VECTORS } from './asked.ts'
import type { Place } from './client.ts'
import { COLUMNS, type Column } from './columns.ts'

/** A provider behind the gateway, and what has reached it. */
export type Provider = {
  column: Column
  place: Place
  /** Served by a channel whose key the provider does not know. */
  refused: Place
  received: readonly Received[]
  /** Chats that have reached the model, and texts to embed. */
  asked: readonly (Asked | { embed: string[] })[]
  /** Why a call was not what the provider's documents describe. */
  misread: readonly string[]
}

export type MatrixWorld = {
  providers: readonly Provider[]
  /** What is wrong in the books once everything has ended. */
  findings: () => Promise<unknown[]>
  close: () => Promise<void>
}

const QUOTA = 1_000_000_000
const CHAT_MODELS = ['gpt-5-mini', 'claude-sonnet-4-6', 'gemini-2.5-flash']
const EMBEDDING_MODELS = ['text-embedding-3-small', 'gemini-embedding-001']

/** One gateway, and behind it each provider in a group of its own. */
export async function openMatrixWorld(): Promise<MatrixWorld> {
  const world = await openGatewayWorld()
  const stands: Stand[] = []
  const close = async () => {
    await world.close()
    for (const stand of stands) await stand.close()
  }
  try {
    await world.setOption('RetryTimes', '0')
    // The page says what goes through where the operator lets it.
    await world.setOption('UnpricedFeaturesEnabled', 'true')
    await world.setOption('AutomaticDisableChannelEnabled', 'false')
    const opened = await Promise.all(
      COLUMNS.map(async (column, index) => {
        const model = createModel(column)
        const stand = await openStand(column.row, model.answerTo)
        stands.push(stand)
        const add = async (group: string, key: string) => {
          await world.addChannel({ ...channelOf(column, stand), group, key })
          const user = await world.addUser({ group, quota: QUOTA })
          return (await world.addToken({ user })).key
        }
        const key = await add(`served${index}`, column.row.key)
        const refusedKey = await add(`refused${index}`, anotherKey(column.row.key))
        const { asked, misread } = model
        return { column, key, refusedKey, received: stand.received, asked, misread }
      }),
    )
    const url = await world.start()
    const providers = opened.map(({ key, refusedKey, ...provider }) => ({
      ...provider,
      place: { url, key },
      refused: { url, key: refusedKey },
    }))
    const findings = async () => {
      await waitUntil(async () => world.ledger.running() === 0)
      await world.ledger.applied()
      return audit(world.database)
    }
    return { providers, findings, close }
  } catch (error) {
    await close()
    throw error
  }
}

function channelOf({ row, embeddingModel }: Column, { baseUrl: base_url }: Stand) {
  const embeds =
    embeddingModel === null ? [] : EMBEDDING_MODELS.map((name) => [name, embeddingModel])
  const mapped = [...CHAT_MODELS.map((name) => [name, row.model]), ...embeds]
  return {
    type: row.type,
    base_url,
    other: row.other ?? '',
    models: [...CHAT_MODELS, ...EMBEDDING_MODELS].join(','),
    model_mapping: JSON.stringify(Object.fromEntries(mapped)),
  }
}

/** Of the same form. */
const anotherKey = (key: string) =>
  key
    .split('|')
    .map((part) => `${part.slice(0, -1)}${part.endsWith('7') ? '8' : '7'}`)
    .join('|')

/** What it does not understand it notes, and answers all the same. */
function createModel({ row, wire }: Column) {
  const asked: (Asked | { embed: string[] })[] = []
  const misread: string[] = []
  const answerTo = (call: Received) => {
    try {
      return answerOf(call)
    } catch (error) {
      misread.push(error instanceof Error ? error.message : String(error))
      return { status: 200, type: 'application/json', body: row.whole }
    }
  }
  const answerOf = (call: Received) => {
    const read = wire.read(call)
    asked.push(read)
    if ('embed' in read) {
      const body = wire.writeVectors?.(VECTORS.slice(0, read.embed.length)) ?? ''
      return { status: 200, type: 'application/json', body }
    }
    const type = read.stream === true ? 'text/event-stream' : 'application/json'
    return { status: 200, type, body: wire.write(replyTo(read, wire), read) }
  }
  return { asked, misread, answerTo }
}
