import { beforeAll, describe, expect, test } from 'vitest'
import { CHANNEL_STATUS, type Channel, ROLE } from '@tollgate/contract'
import { answerChat, answerError } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { spend } from '../../../testing/ledger/spend.ts'
import { openChannelWorld } from '../../../testing/worlds/channel-world.ts'
import { ChannelHealth, type SharedHealth } from '../../domain/channel-health.ts'

describe.each(DATABASES)('the health of channels, on %s', (kind) => {
  const ids: Record<string, number> = {}
  /** The channel that the circuit breaker skips. */
  let cooling = 0
  const health: SharedHealth = {
    view: ({ id }) => ({ ...new ChannelHealth().view(0), cooldownMs: id === cooling ? 9000 : 0 }),
    recordSuccess: () => {},
  }
  const world = openOnce(() => openChannelWorld(kind, { health }))

  beforeAll(async () => {
    const { plane } = world
    await plane.setOption('GroupRatio', '{"default":1,"vip":1,"VIP-2":1}')
    const form = {
      failing: { models: 'gpt-4o', group: 'vip' },
      cooling: { models: 'gpt-4o,o3', tag: 'spare' },
      healthy: { models: 'claude-opus-5' },
      untested: { models: 'gpt-4o-mini', group: 'default,VIP-2' },
      off: { models: 'gpt-4o', tag: ' spare ' },
    }
    for (const [name, part] of Object.entries(form)) {
      ids[name] = await world.addChannel(name, part, answerChat())
    }
    cooling = ids['cooling'] ?? 0
    const { disabled } = CHANNEL_STATUS
    await world.call('PUT', '/api/channel/', { body: { id: ids['off'], status: disabled } })
    const by = await plane.addPerson(ROLE.user, 10_000)
    const at = Math.floor(plane.clock.now / 1000)
    const spending = { by, tokenId: await plane.addToken(by), cost: 10, at }
    const tried = (channel: number, reason: string) => {
      const status = reason === '' ? 200 : 401
      return { channel, status, reason, milliseconds: 1 }
    }
    const [failing = 0, healthy = 0] = [ids['failing'], ids['healthy']]
    for (let count = 0; count < 4; count += 1) {
      const attempts = [tried(failing, 'auth: Incorrect API key'), tried(healthy, '')]
      await spend(plane.ledger, { ...spending, channel: healthy, attempts })
    }
    const left = { ...spending, fails: true, channel: healthy }
    await spend(plane.ledger, { ...left, attempts: [tried(healthy, 'client_left')] })
    await spend(plane.ledger, { ...left, attempts: [tried(healthy, 'invalid_request: no')] })
  })

  const list = async (query = '', language = 'en') => {
    const { data } = await world.call('GET', `/api/channel/?${query}`, { language })
    return data as Channel[] // Safe because this is a list of channels.
  }
  const namesIn = async (query: string) => (await list(query)).map(({ name }) => name)

  test('is a word with its reason, in the language of the reader', async () => {
    const byName = new Map((await list()).map((channel) => [channel.name, channel.health]))
    expect(byName.get('failing')).toMatchObject({
      word: 'failing',
      reason: '4 of 4 recent attempts failed: Incorrect API key',
      help: 'key',
      attempts: 4,
      faults: 4,
    })
    expect(byName.get('cooling')).toMatchObject({ word: 'cooling' })
    expect(byName.get('off')).toMatchObject({ word: 'off', help: 'enable' })
    expect(byName.get('untested')).toMatchObject({ word: 'untested', attempts: 0 })
    const [last] = await list('health=untested', 'zh')
    expect(last?.health.reason).toBe('近 24 小时没有请求，也从未测试。')
  })

  test('leaves out refused requests and clients that left', async () => {
    const [channel] = await list('health=healthy')
    expect(channel).toMatchObject({
      name: 'healthy',
      health: { attempts: 4, faults: 0, reason: '100.0 % of 4 attempts in 24 hours succeeded.' },
    })
  })

  test('sorts, worst first, and pages', async () => {
    const worst = ['failing', 'cooling', 'untested', 'healthy', 'off']
    expect(await namesIn('sort=health&order=desc')).toEqual(worst)
    expect(await namesIn('sort=health&order=asc')).toEqual(worst.toReversed())
    expect(await namesIn('sort=health&size=2&p=1')).toEqual(['untested', 'healthy'])
    const bySuccess = ['failing', 'healthy', 'cooling', 'untested', 'off']
    expect(await namesIn('sort=success&order=asc')).toEqual(bySuccess)
    expect((await namesIn('sort=models'))[0]).toBe('cooling')
    expect((await namesIn('sort=margin'))[0]).toBe('healthy')
    expect((await namesIn('sort=group&order=desc'))[0]).toBe('failing')
  })

  test.each([
    ['health=failing,cooling&sort=name&order=asc', ['cooling', 'failing']],
    ['group=vip', ['failing']],
    ['tag=spare&order=asc', ['cooling', 'off']],
    ['tag=spare&health=off', ['off']],
    ['tag=Spare', []],
    ['sort=tag&order=desc&size=2', ['off', 'cooling']],
    ['keyword=vip&sort=health', ['failing', 'untested']],
    ['model=gpt-4o&order=asc', ['failing', 'cooling', 'off']],
    ['model=gpt-4o&group=vip&health=healthy', []],
  ])('filters with group, model and the other filters: %s', async (query, names) => {
    expect(await namesIn(query)).toEqual(names)
  })

  test('pages after an id, and names a value that no filter has', async () => {
    expect(await namesIn(`keyword=vip&before=${ids['untested']}`)).toEqual(['failing'])
    const { success, message } = await world.call('GET', '/api/channel/?health=ill')
    expect([success, message]).toEqual([false, expect.stringContaining('health')])
  })

  test('is counted by word, within the other filters', async () => {
    const summary = async (query: string) =>
      (await world.call('GET', `/api/channel/summary?${query}`)).data
    expect(await summary('')).toEqual({
      health: { failing: 1, cooling: 1, slow: 0, degraded: 0, untested: 1, healthy: 1, off: 1 },
      groups: ['VIP-2', 'default', 'vip'],
      models: ['claude-opus-5', 'gpt-4o', 'gpt-4o-mini', 'o3'],
      tags: ['spare'],
    })
    expect(await summary('tag=spare')).toMatchObject({ health: { cooling: 1, off: 1, healthy: 0 } })
    expect(await summary('model=o3&health=off')).toMatchObject({
      health: { cooling: 1, off: 0, failing: 0 },
    })
  })

  test.each([
    ['claude', ['healthy']],
    ['O3', ['cooling']],
    ['vip', ['untested', 'failing']],
    ['SPARE', ['off', 'cooling']],
    ['ealth', ['healthy']],
    ['%', []],
  ])('a search for %s looks at names, tags, models and groups', async (keyword, names) => {
    const path = `/api/channel/search?keyword=${encodeURIComponent(keyword)}`
    const { data } = await world.call('GET', path)
    // Safe because this is a list of channels.
    expect((data as Channel[]).map(({ name }) => name)).toEqual(names)
  })

  test('follows a test at once', async () => {
    const id = ids['untested'] ?? 0
    world.provider.script('untested', answerError(500, { message: 'boom' }))
    await world.call('GET', `/api/channel/test/${id}`)
    const one = async () => (await world.call('GET', `/api/channel/${id}`)).data
    expect(await one()).toMatchObject({
      health: { word: 'failing', reason: 'The last test failed: boom', help: 'test' },
    })
    world.provider.script('untested', answerChat())
    await world.call('GET', `/api/channel/test/${id}`)
    expect(await one()).toMatchObject({ health: { word: 'healthy', help: '' } })
  })
})
