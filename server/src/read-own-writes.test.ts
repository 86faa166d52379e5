import { once } from 'node:events'
import { createServer } from 'node:http'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  answerChat,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../testing/fakes/scripted-upstream.ts'
import { type DatabaseKind, DATABASES, openTestDatabase } from '../testing/harness/databases.ts'
import { channelForm, tokenForm } from '../testing/worlds/control-plane.ts'
import { addressOf } from '../testing/worlds/gateway-world.ts'
import { createApp } from './app.ts'
import { readEnv } from './process/env.ts'
import { seed } from './process/seed.ts'
import { deriveSecrets } from './secrets.ts'
import { openDatabase } from './store/database.ts'
import { writeOption } from './store/options.ts'

const ACCESS_TOKEN = 'AccessTokenOfTheTests'
/** A stale snapshot was in use in a third of the tries, on either database. */
const TURNS = 6

const rowSchema = z.looseObject({ id: z.int() })
const answerSchema = z.looseObject({
  success: z.literal(true),
  data: z.union([rowSchema, z.array(rowSchema)]).optional(),
})

type Opened = Awaited<ReturnType<typeof openWorld>>

/** The app with root's access token, one key and one upstream. */
async function openWorld(kind: DatabaseKind, upstream: ScriptedUpstream) {
  const place = await openTestDatabase(kind)
  const database = await openDatabase(place)
  const secrets = deriveSecrets('a master key of the tests')
  const env = readEnv({
    DATA_DIR: place.dataDir,
    DATABASE_URL: place.databaseUrl,
    INITIAL_ROOT_ACCESS_TOKEN: ACCESS_TOKEN,
  })
  await seed({ database, secrets, env, now: Date.now })
  await writeOption(database.kysely, { key: 'DefaultModelRatio', value: '30' })
  const log = pino({ level: 'silent' })
  const app = await createApp({
    env,
    database,
    secrets,
    log,
    version: '',
    observers: {},
    consoleDir: '/nowhere',
  })
  const server = createServer(app.serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = addressOf(server.address())
  upstream.script('p0', answerChat())

  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}/api/${path}`, {
      method,
      headers: { authorization: ACCESS_TOKEN },
      ...(body && { body: JSON.stringify(body) }),
    })
    const { data } = answerSchema.parse(await answer.json())
    const [row = { id: 0 }] = [data ?? []].flat()
    return row
  }
  const addToken = async (form: object = {}) => {
    const row = await call('POST', 'token/', { ...tokenForm, unlimited_quota: true, ...form })
    return { id: row.id, key: String(row['key']) }
  }
  const { key } = await addToken()
  return {
    call,
    addToken,
    addChannel: (form: object) =>
      call('POST', 'channel/', { ...channelForm, base_url: upstream.baseUrl('p0'), ...form }),
    setOption: (option: string, value: string) => call('PUT', 'option/', { key: option, value }),
    /** Status and error code of a chat. */
    chat: async (model: string, by = key) => {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
      })
      const { error } = z
        .looseObject({ error: z.looseObject({ code: z.string() }).optional() })
        .parse(await response.json())
      return error === undefined ? response.status : `${response.status} ${error.code}`
    },
    lastCharge: async () => Number((await call('GET', 'log/?p=0&type=2'))['quota']),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await app.shutDown()
      await app.close()
      await database.close()
      await place.close()
    },
  }
}

describe.each(DATABASES)('right after it was saved, on %s, a request uses', (kind) => {
  let upstream: ScriptedUpstream
  let world: Opened
  beforeEach(async () => {
    upstream = await startScriptedUpstream()
    world = await openWorld(kind, upstream)
  })
  afterEach(async () => {
    await world.close()
    await upstream.close()
  })

  test('a channel', async () => {
    for (let turn = 0; turn < TURNS; turn += 1) {
      const { id } = await world.addChannel({ models: `new-${turn}` })
      expect(await world.chat(`new-${turn}`)).toBe(200)
      await world.call('PUT', 'channel/', { id, models: `changed-${turn}` })
      expect(await world.chat(`changed-${turn}`)).toBe(200)
      expect(await world.chat(`new-${turn}`)).toBe('404 model_not_found')
      await world.call('PUT', 'channel/', { id, status: 2 })
      expect(await world.chat(`changed-${turn}`)).toBe('404 model_not_found')
      await world.call('DELETE', `channel/${id}`)
    }
  })

  test('a token', async () => {
    await world.addChannel({ models: 'one,other' })
    for (let turn = 0; turn < TURNS; turn += 1) {
      const { id, key } = await world.addToken()
      expect(await world.chat('one', key)).toBe(200)
      await world.call('PUT', 'token/', {
        ...tokenForm,
        id,
        unlimited_quota: true,
        models: 'other',
      })
      expect(await world.chat('one', key)).toBe('403 model_not_allowed')
      expect(await world.chat('other', key)).toBe(200)
      await world.call('DELETE', `token/${id}`)
      expect(await world.chat('other', key)).toBe('401 invalid_api_key')
    }
  })

  test('a price', async () => {
    await world.addChannel({ models: 'priced' })
    await world.setOption('CompletionRatio', '{"priced":1}')
    for (let turn = 0; turn < TURNS; turn += 1) {
      await world.setOption('ModelRatio', JSON.stringify({ priced: turn + 1 }))
      expect(await world.chat('priced')).toBe(200)
      expect(await world.lastCharge()).toBe(15 * (turn + 1))
    }
  })

  test('an option', async () => {
    for (let turn = 0; turn < TURNS; turn += 1) {
      await world.setOption('UnknownModelStatus', '503')
      expect(await world.chat('unknown')).toBe('503 no_available_channel')
      await world.setOption('UnknownModelStatus', '404')
      expect(await world.chat('unknown')).toBe('404 model_not_found')
    }
  })

  test('the group of a user, and the groups of a channel', async () => {
    await world.setOption('GroupRatio', '{"default":1,"vip":1}')
    const channel = await world.addChannel({ models: 'grouped', group: 'vip' })
    for (let turn = 0; turn < TURNS; turn += 1) {
      await world.call('PUT', 'user/', { id: 1, group: 'default,vip' })
      expect(await world.chat('grouped')).toBe(200)
      await world.call('PUT', 'user/', { id: 1, group: 'default' })
      expect(await world.chat('grouped')).toBe('404 model_not_found')
      await world.call('PUT', 'channel/', { id: channel.id, group: 'default' })
      expect(await world.chat('grouped')).toBe(200)
      await world.call('PUT', 'channel/', { id: channel.id, group: 'vip' })
      expect(await world.chat('grouped')).toBe('404 model_not_found')
    }
  })
})
