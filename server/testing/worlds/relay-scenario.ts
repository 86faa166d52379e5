import { request as httpRequest } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import { chargeBasisSchema } from '@tollgate/contract'
import { openaiResponses } from '../../../relay/testing/vendors/openai-responses.rules.ts'
import { openai } from '../../../relay/testing/vendors/openai.rules.ts'
import { vendorOfType } from '../../../relay/testing/vendors/vendors.ts'
import { audit } from '../../src/ledger/audit/audit.ts'
import {
  type Behaviour,
  refusalBy,
  type ScriptedUpstream,
  startScriptedUpstream,
  type UpstreamRequest,
} from '../fakes/scripted-upstream.ts'
import { openOnce } from '../harness/open-once.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { chargeAgain } from '../ledger/charge-again.ts'
import { type GatewayWorld, openGatewayWorld, type WorldParts } from './gateway-world.ts'
import { readChannel } from './rows.ts'

export const MODEL = 'gpt-4o-mini'
export const QUOTA = 100_000
/** 10 prompt and 5 completion tokens at ratios 0.075 and 4, rounded up. */
export const COST = 3

export const ASKED = { model: MODEL, messages: [{ role: 'user', content: 'hi' }] }
export const STREAMED = { ...ASKED, stream: true }

type Scenario = GatewayWorld & {
  upstream: ScriptedUpstream
  url: string
  key: string
  user: number
  token: number
  channels: number[]
}

/** The methods also work on copies of a world, such as one with another key. */
export type World = Scenario & typeof METHODS

export type Provider = {
  script: Behaviour[]
  /** Replaces the scripted upstream. */
  base_url?: string
  priority?: number
  /** Upstream name of the channel's only model, or of `MODEL`. */
  mapping?: string
  /** Replaces the default models. */
  models?: string
  group?: string
  key?: string
  type?: number
  other?: string
  config?: string
  /** Rules of the vendor that are switched off, each with a reason. */
  allow?: Readonly<Record<string, string>>
}

/** Providers with these scripts, each of lower priority than the one before. */
export const inOrder = (...scripts: (Behaviour | Behaviour[])[]): Provider[] =>
  scripts.map((script, index) => ({ script: [script].flat(), priority: -index }))

export type Setup = WorldParts & {
  kind?: 'sqlite' | 'postgres'
  quota?: number
  tokenQuota?: number
  user?: { status?: number; group?: string; role?: number }
  token?: { status?: number; expired_time?: number; subnet?: string; models?: string }
  options?: [Parameters<GatewayWorld['setOption']>[0], string][]
  /** Why the providers take any chat. */
  lenient?: string
}

/** For tests whose requests no vendor would accept. */
export const lenient = (reason: string): Pick<Setup, 'lenient'> => ({ lenient: reason })

/** Providers, or what the only one does. */
type Providers = Provider[] | Behaviour | Behaviour[]

const isProvider = (given: Provider | Behaviour): given is Provider => typeof given !== 'function'

function providersOf(given: Providers): Provider[] {
  const listed = [given].flat()
  if (listed.every(isProvider)) return listed
  return [{ script: listed.filter((one) => typeof one === 'function') }]
}

/** A world for one test. It closes after the test, and fails it if a vendor refused a chat. */
export async function setUp(providers: Providers, setup: Setup = {}): Promise<World> {
  const { world, end } = await openWorld(providersOf(providers), setup)
  onTestFinished(end)
  return world
}

/** A world that the tests of a file or a `describe` share. */
export const shareWorld = (providers: Providers, setup: Setup = {}): World =>
  openOnce(async () => {
    const { world, end } = await openWorld(providersOf(providers), setup)
    return { ...world, close: end }
  })

/** For tests that run in parallel and close their own world. */
export async function openWorld(
  providers: Provider[],
  setup: Setup = {},
): Promise<{ world: World; end: () => Promise<void> }> {
  const upstream = await startScriptedUpstream(gatekeeper(providers, setup))
  const world = await openGatewayWorld(setup.kind, {
    ...setup,
    limits: { drainMs: 500, settleWaitMs: 1000, lingerMs: 50, ...setup.limits },
    upstreamLimits: {
      connectMs: 1000,
      firstByteMs: 800,
      idleMs: 800,
      tailMs: 200,
      ...setup.upstreamLimits,
    },
  })
  const end = async () => {
    await upstream.close()
    await world.close()
    expect(upstream.refused, 'chats that the vendor refuses').toEqual([])
  }
  try {
    return { world: await fillWorld({ ...world, upstream }, providers, setup), end }
  } catch (error) {
    await end()
    throw error
  }
}

/** Providers take what the vendors of their channels take; OpenAI's rules are the default. */
function gatekeeper(providers: Provider[], setup: Setup) {
  return (name: string, request: UpstreamRequest) => {
    const provider = providers[Number(name.slice(1))]
    if (provider === undefined || setup.lenient !== undefined) return null
    const { type = 0, allow = {} } = provider
    const isResponses = openaiResponses.chatPath.test(request.path)
    const vendor = isResponses ? openaiResponses : (vendorOfType(type) ?? openai)
    return refusalBy(vendor, request, { allow })
  }
}

async function fillWorld(
  world: GatewayWorld & { upstream: ScriptedUpstream },
  providers: Provider[],
  setup: Setup,
): Promise<World> {
  const { upstream } = world
  const user = await world.addUser({ quota: setup.quota ?? QUOTA, ...setup.user })
  const limit = setup.tokenQuota === undefined ? {} : { quota: setup.tokenQuota }
  const { id: token, key } = await world.addToken({ user, ...limit, ...setup.token })
  const channels: number[] = []
  for (const [index, provider] of providers.entries()) {
    const { script, priority = 0, mapping, group = 'default', key = 'sk-upstream' } = provider
    const { other = '', config = '' } = provider
    const name = `p${index}`
    upstream.script(name, ...script)
    const { base_url = upstream.baseUrl(name) } = provider
    const type = provider.type === undefined ? {} : { type: provider.type }
    const models = provider.models === undefined ? {} : { models: provider.models }
    const mapped = provider.models?.includes(',') === false ? provider.models : MODEL
    const model_mapping = mapping === undefined ? '' : JSON.stringify({ [mapped]: mapping })
    channels.push(
      await world.addChannel({
        base_url,
        priority,
        model_mapping,
        group,
        key,
        other,
        config,
        ...type,
        ...models,
      }),
    )
  }
  for (const [name, value] of setup.options ?? []) await world.setOption(name, value)
  const url = await world.start()
  return { ...world, ...METHODS, url, key, user, token, channels }
}

export type FormFields = readonly (readonly [name: string, value: string | File])[]

type AskInit = { path?: string; headers?: Record<string, string> }

export function ask(
  { url, key }: Pick<Scenario, 'url' | 'key'>,
  body: object | string = ASKED,
  init: AskInit = {},
): Promise<Response> {
  return fetch(`${url}${init.path ?? '/v1/chat/completions'}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...init.headers,
    },
  })
}

const basisOf = (log?: { basis: string }) => z.looseObject({}).parse(JSON.parse(log?.basis || '{}'))

/**
 * Balances and log rows once everything has ended. Checks the audit, recomputes every charge from
 * its receipt, and compares the balance with the credits and the rows.
 */
async function booksOf(world: Scenario) {
  const { database, ledger, user, token } = world
  await waitUntil(async () => ledger.running() === 0)
  await ledger.whenApplied()
  expect(await audit(database)).toEqual([])
  const { kysely } = database
  const [account, key, credits, logs] = await Promise.all([
    kysely.selectFrom('users').selectAll().where('id', '=', user).executeTakeFirstOrThrow(),
    kysely.selectFrom('tokens').selectAll().where('id', '=', token).executeTakeFirstOrThrow(),
    kysely
      .selectFrom('credits')
      .select('amount')
      .where('kind', '=', 'user')
      .where('owner_id', '=', user)
      .execute(),
    kysely
      .selectFrom('logs')
      .selectAll()
      .where('user_id', '=', user)
      .where('outcome', '<>', 'refused')
      .orderBy('id')
      .execute(),
  ])
  for (const { outcome, basis, quota, uncollected } of logs) {
    if (outcome !== 'settled') continue
    expect(chargeAgain(chargeBasisSchema.parse(JSON.parse(basis)))).toBe(quota + uncollected)
  }
  const credited = credits.reduce((sum, { amount }) => sum + amount, 0)
  const charged = logs.reduce((sum, { quota }) => sum + quota, 0)
  expect(account).toMatchObject({ quota: credited - charged, used_quota: charged })
  return { account, key, logs, log: logs.at(-1) }
}

const METHODS = {
  ask(this: Scenario, body?: object | string, init?: AskInit) {
    return ask(this, body, init)
  },

  askForm(this: Scenario, path: string, fields: FormFields, signal: AbortSignal | null = null) {
    const body = new FormData()
    for (const [name, value] of fields) body.append(name, value)
    const headers = { authorization: `Bearer ${this.key}` }
    return fetch(this.url + path, { method: 'POST', body, headers, signal })
  },

  books(this: Scenario) {
    return booksOf(this)
  },

  /** Checks the last log row and its charge basis, as one object, once everything has ended. */
  async expectLog(this: Scenario, members: object) {
    const { log } = await booksOf(this)
    expect({ ...basisOf(log), ...log }).toMatchObject(members)
  },

  /** What each request was charged, once everything has ended. */
  async charges(this: Scenario) {
    const { logs } = await booksOf(this)
    return logs.map(({ quota }) => quota)
  },

  /** The body of a request that a provider got. */
  sent(this: Scenario, turn = 0, provider = 0): unknown {
    return JSON.parse(this.upstream.requestsOf(`p${provider}`).at(turn)?.body.toString() ?? 'null')
  },

  async statusOf(this: Scenario, channel: number | undefined) {
    const row = await readChannel(this, channel ?? 0)
    return row
  },

  /** The number of calls that each channel's provider got. */
  calls(this: Scenario) {
    return this.channels.map((_, index) => this.upstream.requestsOf(`p${index}`).length)
  },

  /** A client that can disconnect; `leave` resolves once the gateway has noticed. */
  askAndLeave(this: Scenario, body: object | string, path = '/v1/chat/completions') {
    const request = httpRequest(this.url + path, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${this.key}` },
    })
    let received = 0
    request.on('error', () => {})
    request.on('response', (response) => {
      response.on('error', () => {})
      response.on('data', (bytes: Buffer) => (received += bytes.length))
    })
    request.end(typeof body === 'string' ? body : JSON.stringify(body))
    const receives = (bytes: number) => waitUntil(async () => received >= bytes)
    return {
      firstByte: () => receives(1),
      receives,
      leave: async () => {
        const { localPort = 0 } = request.socket ?? {}
        request.destroy()
        await waitUntil(async () => !this.isConnected(localPort))
      },
    }
  },
}

const errorAnswer = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
})

/** Checks that the error has the dialect's shape and ends in the request id. */
export async function readError(response: Response) {
  const { error } = errorAnswer.parse(await response.json())
  const id = response.headers.get('x-oneapi-request-id')
  expect(error.message.endsWith(` (request id: ${id})`)).toBe(true)
  return error
}

/** Checks that an answer is an error with this status and this code, or these members. */
export async function expectRefusal(
  asked: Response | Promise<Response>,
  status: number,
  error: string | object,
) {
  const response = await asked
  expect({ status: response.status, ...(await readError(response)) }).toMatchObject({
    status,
    ...(typeof error === 'string' ? { code: error } : error),
  })
}

/** Checks the status of an answer in JSON, and its members. */
export async function expectJson(
  asked: Response | Promise<Response>,
  status: number,
  members: object,
) {
  const response = await asked
  const json: unknown = await response.json()
  expect([response.status, json]).toMatchObject([status, members])
}

/** The fields of a form, sorted by name: name and text, or name, file name, type and bytes. */
export async function formIn(sent: UpstreamRequest | undefined) {
  const type = sent?.headers['content-type'] ?? ''
  // oxlint-disable-next-line typescript/no-deprecated -- a form parser independent of ours
  const form = await new Response(sent?.body, { headers: { 'content-type': type } }).formData()
  const fields = [...form].toSorted(([one], [other]) => one.localeCompare(other))
  return Promise.all(
    fields.map(async ([name, value]) =>
      typeof value === 'string'
        ? [name, value]
        : [name, value.name, value.type, Buffer.from(await value.arrayBuffer())],
    ),
  )
}
