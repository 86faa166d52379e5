import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { LOG_TYPE, logSchema, type Log } from '@tollgate/contract'
import { COMPLETION_TOKENS, PROMPT_TOKENS } from '../clients/received-chat.ts'
import { memoryFolder } from '../harness/memory-folder.ts'
import { runCommand } from '../harness/run-command.ts'
import { startServer } from '../harness/start-server.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { type DoubleServer, openDouble } from './double-server.ts'
import type { Double } from './doubles.ts'
import { SECRET_KEY } from './tape.ts'

const BUILT_SERVER = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const ACCESS_TOKEN = 'Root0AccessToken0Of0The0Agent0Runs'
const RATIO = 100
const COMPLETION_RATIO = 3
/** What each answered chat costs. */
export const priceOf = (promptTokens: number): number =>
  (promptTokens + COMPLETION_TOKENS * COMPLETION_RATIO) * RATIO
export const PRICE = priceOf(PROMPT_TOKENS)
const LOG_PAGE = 100

export type AgentWorld = {
  readonly url: string
  readonly doubles: readonly DoubleServer[]
  /** Returns the key, which is also the name that the log shows. */
  readonly createToken: (name: string) => Promise<string>
  /** Rows of a token once as many have been charged. */
  readonly rowsOf: (token: string, charged: number) => Promise<readonly Log[]>
  /** Stops the server; returns what `npm run audit` prints. */
  readonly audit: () => Promise<{ code: number; output: string }>
  readonly close: () => Promise<void>
}

const answerSchema = z.object({
  success: z.boolean(),
  message: z.string(),
  data: z.unknown().optional(),
})

/** The built server on an empty folder, with a channel per double. */
export async function openAgentWorld(wanted: readonly Double[]): Promise<AgentWorld> {
  const folder = await mkdtemp(path.join(memoryFolder(), 'tollgate-agents-'))
  const doubles = await Promise.all(wanted.map(openDouble))
  const server = await startServer(
    { DATA_DIR: folder, INITIAL_ROOT_ACCESS_TOKEN: ACCESS_TOKEN, SECRET_KEY },
    BUILT_SERVER,
  )
  const close = async () => {
    await server.stop()
    for (const double of doubles) await double.close()
    await rm(folder, { recursive: true, force: true })
  }

  const call = async (method: string, route: string, body?: object): Promise<unknown> => {
    const headers = { authorization: ACCESS_TOKEN, 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(server.url + route, { method, headers, ...sent })
    const { success, message, data } = answerSchema.parse(await answer.json())
    if (!success) throw new Error(`${method} ${route}: ${message}`)
    return data
  }
  const setOption = (key: string, value: string) => call('PUT', '/api/option/', { key, value })

  try {
    const models = wanted.map(({ model }) => model)
    const ratios = (ratio: number) =>
      JSON.stringify(Object.fromEntries(models.map((model) => [model, ratio])))
    await setOption('GlobalApiRateLimit', '0')
    await setOption('RetryTimes', '0')
    await setOption('AutomaticDisableChannelEnabled', 'false')
    await setOption('ModelRatio', ratios(RATIO))
    await setOption('CompletionRatio', ratios(COMPLETION_RATIO))
    for (const double of doubles) await call('POST', '/api/channel/', channelOf(double))
  } catch (error) {
    await close()
    throw error
  }

  const listRows = async (token: string) => {
    const query = new URLSearchParams({
      token_name: token,
      type: String(LOG_TYPE.consume),
      size: String(LOG_PAGE),
    })
    return z.array(logSchema).parse(await call('GET', `/api/log/?${query.toString()}`))
  }

  return {
    url: server.url,
    doubles,
    createToken: async (name) => {
      const body = { name, unlimited_quota: true }
      const { key } = z.object({ key: z.string() }).parse(await call('POST', '/api/token/', body))
      return `sk-${key}`
    },
    rowsOf: async (token, charged) => {
      let rows: Log[] = []
      await waitUntil(async () => {
        rows = await listRows(token)
        return rows.filter(({ quota }) => quota > 0).length >= charged
      })
      return rows
    },
    audit: async () => {
      await server.stop()
      return runCommand('audit', { dataDir: folder })
    },
    close,
  }
}

const channelOf = ({ double, proxy }: DoubleServer) => ({
  name: double.name,
  type: double.type,
  key: 'sk-of-the-double',
  base_url: double.address,
  other: double.other ?? '',
  models: double.model,
  config: JSON.stringify({ proxy }),
})
