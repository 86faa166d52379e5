import { setTimeout as pause } from 'node:timers/promises'
import OpenAI from 'openai'
import {
  CHANNEL_STATUS,
  channelEndpoints,
  TOKEN_STATUS,
  tokenEndpoints,
  userEndpoints,
} from '@tollgate/contract'
import { answerError, type Behaviour } from '../server/testing/fakes/scripted-upstream.ts'
import { healthyProvider, usageOf } from './provider.ts'
import type { World } from './world.ts'

/** Approximate. */
const TOKEN_LENGTH = 4

type ChannelRow = {
  type: number
  name: string
  models: string
  group?: string
  priority?: number
  weight?: number
  usage: readonly [prompt: number, cached: number, completion: number]
  /** Response time of the provider in milliseconds, unless `hurried`. */
  pace: number
}

const CHANNELS: readonly ChannelRow[] = [
  {
    type: 1,
    name: 'openai-main',
    models: 'gpt-4o,gpt-4o-mini,text-embedding-3-small',
    group: 'default,vip',
    priority: 10,
    weight: 5,
    usage: [1204, 800, 312],
    pace: 410,
  },
  {
    type: 8,
    name: 'openai-eu',
    models: 'gpt-4o,gpt-4o-mini',
    priority: 5,
    usage: [1204, 640, 288],
    pace: 1130,
  },
  {
    type: 20,
    name: 'openrouter',
    models: 'claude-sonnet-4-5',
    group: 'default,vip,svip',
    usage: [23_511, 18_400, 1930],
    pace: 1870,
  },
  {
    type: 8,
    name: 'deepseek',
    models: 'deepseek-chat,deepseek-reasoner',
    weight: 2,
    usage: [4096, 1024, 2210],
    pace: 760,
  },
]

/** The first request fails here, and the channel is disabled with a reason. */
const FAILING: ChannelRow = {
  type: 1,
  name: 'openai-old-account',
  models: 'gpt-4o',
  priority: 20,
  usage: [0, 0, 0],
  pace: 0,
}

const UNUSED: ChannelRow = {
  type: 29,
  name: 'groq-backup',
  models: 'llama-3.3-70b',
  usage: [310, 0, 96],
  pace: 150,
}

const TOKENS = [
  { name: 'web shop', remain_quota: 50_000_000, models: ['gpt-4o', 'gpt-4o-mini'] },
  { name: 'support bot', remain_quota: 12_500_000, models: ['claude-sonnet-4-5', 'gpt-4o'] },
  { name: 'nightly reports', remain_quota: 2_000_000, models: ['deepseek-chat'] },
  { name: 'search index', remain_quota: 500_000, models: ['text-embedding-3-small'] },
] as const

const ROUNDS = 5

const USERS = [
  { username: 'alice', display_name: 'Alice Keller', quota: 25_000_000, group: 'vip' },
  { username: 'bob', display_name: 'Bob', quota: 1_250_000, group: 'default' },
  { username: 'li.wei', display_name: '李伟', quota: 0, group: 'default,svip' },
] as const

/** Creates channels, tokens, users and a page of log rows through real calls. */
export async function fillWorld(world: World, { hurried }: { hurried: boolean }) {
  const behave = ({ usage, pace }: ChannelRow): Behaviour => {
    const answer = healthyProvider(usageOf(...usage))
    return async (response, request) => {
      if (!hurried) await pause(pace)
      return answer(response, request)
    }
  }
  for (const row of [...CHANNELS, UNUSED]) {
    world.upstream.script(row.name, behave(row))
    const id = await addChannel(world, row)
    await world.asRoot(channelEndpoints.testChannel, { params: { id }, query: {} })
    if (row !== UNUSED) continue
    await world.asRoot(channelEndpoints.updateChannel, {
      body: { id, status: CHANNEL_STATUS.disabled },
    })
  }
  world.upstream.script(
    FAILING.name,
    answerError(401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' }),
  )
  await addChannel(world, FAILING)
  // Each user gets a token; the first token must be root's.
  await addTokensAndCall(world)
  await addUsers(world)
}

function addChannel(world: World, row: ChannelRow): Promise<number> {
  const { type, name, models, group = 'default', priority = 0, weight = 0 } = row
  return world.addChannel(name, models, undefined, { type, group, priority, weight })
}

async function addUsers(world: World) {
  for (const { username, display_name, quota, group } of USERS) {
    const { data } = await world.asRoot(userEndpoints.createUser, {
      body: { username, display_name, password: 'a long password' },
    })
    await world.asRoot(userEndpoints.updateUser, { body: { id: data.id, quota, group } })
  }
}

type Client = { client: OpenAI; models: readonly string[] }

async function addTokensAndCall(world: World) {
  const clients: Client[] = []
  for (const { name, remain_quota, models } of TOKENS) {
    const { data } = await world.asRoot(tokenEndpoints.createToken, {
      body: { name, remain_quota, models: models.join(',') },
    })
    const apiKey = `sk-${data.key}`
    const client = new OpenAI({ apiKey, baseURL: `${world.server.url}/v1`, maxRetries: 0 })
    clients.push({ client, models })
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { client, models } of clients) {
      for (const model of models) await callOnce(client, model, round % 2 === 0)
    }
  }
  await callWithDetour(world, clients)
  const { data } = await world.asRoot(tokenEndpoints.createToken, {
    body: { name: 'old notebook', unlimited_quota: true },
  })
  await world.asRoot(tokenEndpoints.updateToken, {
    query: { status_only: 'true' },
    body: { id: data.id, status: TOKEN_STATUS.disabled },
  })
}

/** In the last call the first provider is rate limited, and another channel answers. */
async function callWithDetour(world: World, clients: readonly Client[]) {
  const [main] = CHANNELS
  const [shop] = clients
  if (!main || !shop) throw new Error('there is nothing to call')
  const busy = { message: 'Rate limit reached for requests', type: 'requests' }
  world.upstream.script(main.name, answerError(429, busy, { 'retry-after': '30' }))
  await callOnce(shop.client, 'gpt-4o', true)
}

const promptOf = (tokens: number) => 'word'.padEnd(tokens * TOKEN_LENGTH, ' word')

async function callOnce(client: OpenAI, model: string, streamed: boolean) {
  const channel = CHANNELS.find(({ models }) => models.split(',').includes(model))
  const content = promptOf(channel?.usage[0] ?? 1)
  if (model.includes('embedding')) {
    await client.embeddings.create({ model, input: content })
    return
  }
  const question = { model, messages: [{ role: 'user' as const, content }], max_tokens: 4096 }
  if (!streamed) {
    await client.chat.completions.create(question)
    return
  }
  const stream = await client.chat.completions.create({ ...question, stream: true })
  await stream.toReadableStream().pipeTo(new WritableStream())
}
