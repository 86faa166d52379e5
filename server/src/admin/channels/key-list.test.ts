import { expect, test } from 'vitest'
import type { ChannelKey, ChannelTraffic } from '@tollgate/contract'
import { ROLE } from '@tollgate/contract'
import { answerChat, answerError } from '../../../testing/fakes/scripted-upstream.ts'
import { spend } from '../../../testing/ledger/spend.ts'
import { openChannelWorld } from '../../../testing/worlds/channel-world.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
import { storedRows } from '../../../testing/worlds/rows.ts'
import { listKeyTests, noteKeyTest } from '../../store/key-tests.ts'
import { keyFingerprint, readKeys } from '../../upstream/channel-keys.ts'

const GOOD = 'sk-good-0123456789-0123456789'
const BAD = 'sk-bad-0123456789-0123456789'
const THIRD = 'sk-third-0123456789-0123456789'

describeWorlds(openChannelWorld, 'the keys of a channel, on %s', (world) => {
  const add = (name: string) =>
    world.addChannel(name, { key: `${GOOD}\n${BAD}`, multi_key: true }, answerChat())

  const call = async (method: 'GET' | 'POST' | 'PUT', id: number, body?: object) => {
    const path = method === 'GET' ? `/api/channel/keys/${id}` : '/api/channel/keys'
    const answer = await world.call(method, path, { ...(body && { body: { id, ...body } }) })
    for (const key of [GOOD, BAD, THIRD]) expect(answer.text).not.toContain(key)
    return { ...answer, keys: answer.data as ChannelKey[] } // Safe because it is a list of keys.
  }

  const stored = async (id: number) =>
    readKeys(world.plane.secrets.openChannelKey((await world.rowOf(id)).key_sealed))

  test('are listed masked, and never whole', async () => {
    const id = await add('listed')
    const { keys } = await call('GET', id)
    expect(keys).toMatchObject([
      { id: keyFingerprint(GOOD), masked: 'sk-…6789', state: 'enabled', answers: 0, faults: 0 },
      { id: keyFingerprint(BAD), masked: 'sk-…6789', state: 'enabled', last_error: '' },
    ])
    const short = await world.addChannel('short', { key: 'sk-short' }, answerChat())
    expect((await call('GET', short)).keys).toMatchObject([{ masked: '…' }])
  })

  test('are added to those that are there, once each', async () => {
    const id = await add('added')
    const { keys } = await call('POST', id, { key: `${THIRD}\n${GOOD}\n` })
    expect(keys.map((key) => key.id)).toEqual([GOOD, BAD, THIRD].map(keyFingerprint))
    expect((await stored(id)).map(({ key }) => key)).toEqual([GOOD, BAD, THIRD])
    const { message } = await call('POST', id, { key: 'with a space' })
    expect(message).toContain('"key"')
  })

  test('are disabled and enabled one by one, and the gateway uses the enabled ones alone', async () => {
    const id = await add('switched')
    const key_id = keyFingerprint(GOOD)
    const { keys } = await call('PUT', id, { key_id, action: 'disable' })
    expect(keys.map(({ state }) => state)).toEqual(['disabled', 'enabled'])
    await world.call('GET', `/api/channel/test/${id}`)
    const [sent] = world.provider.requestsOf('switched')
    expect(sent?.headers.authorization).toBe(`Bearer ${BAD}`)
    const last = await call('PUT', id, { key_id: keyFingerprint(BAD), action: 'disable' })
    expect(last.message).toBe(
      'This is the last enabled key. Add another key first, or disable the channel.',
    )
    const again = await call('PUT', id, { key_id, action: 'enable' })
    expect(again.keys.map(({ state }) => state)).toEqual(['enabled', 'enabled'])
  })

  test('are removed one by one, the last enabled one never', async () => {
    const id = await add('removed')
    const remove = (key: string) =>
      call('PUT', id, { key_id: keyFingerprint(key), action: 'remove' })
    await remove(GOOD)
    expect(await stored(id)).toEqual([{ key: BAD, isEnabled: true }])
    expect((await remove(BAD)).success).toBe(false)
    const { message } = await remove(GOOD)
    expect(message).toBe('The channel has no such key.')
  })

  test('are tested one by one, without changing the result of the channel', async () => {
    const id = await add('tested')
    const refuse = answerError(401, { code: 'invalid_api_key', message: 'Incorrect API key' })
    world.provider.script('tested', (response, request) => {
      const isGood = request.headers.authorization === `Bearer ${GOOD}`
      return (isGood ? answerChat() : refuse)(response, request)
    })
    const testOf = (key: string) =>
      world.call('GET', `/api/channel/test/${id}?key_id=${keyFingerprint(key)}`)
    expect(await testOf(GOOD)).toMatchObject({ success: true })
    expect(await testOf(BAD)).toMatchObject({
      success: false,
      message: 'The test failed: Incorrect API key',
    })
    expect((await world.rowOf(id)).test_outcome).toBe('')
    expect((await testOf(THIRD)).message).toBe('The channel has no such key.')
    const test_time = Math.floor(world.plane.clock.now / 1000)
    const { keys } = await call('GET', id)
    expect(keys).toMatchObject([
      { test_time, test_error: '', response_time: 1 },
      { test_time, test_error: 'Incorrect API key', response_time: 0 },
    ])
  })

  test('keep the result of their last test until it says nothing about them any more', async () => {
    const id = await add('kept')
    const key_id = keyFingerprint(GOOD)
    const results = async () => (await call('GET', id)).keys.map(({ test_error }) => test_error)
    const tests = () => storedRows(world.plane, 'channel_key_tests', { channel_id: id })
    const test = () => world.call('GET', `/api/channel/test/${id}?key_id=${key_id}`)
    world.provider.script('kept', answerError(401, { message: 'Incorrect API key' }))
    await test()
    expect(await results()).toEqual(['Incorrect API key', ''])
    await call('POST', id, { key: THIRD })
    expect(await results()).toEqual(['Incorrect API key', '', ''])
    world.provider.script('kept', answerChat())
    await test()
    expect(await tests()).toMatchObject([{ key: key_id, error: '' }])
    await world.call('PUT', '/api/channel/', { body: { id, config: '{"region":"x"}' } })
    expect(await tests()).toEqual([])

    await test()
    expect(await tests()).toHaveLength(1)
    await world.call('DELETE', `/api/channel/${id}`)
    expect(await tests()).toEqual([])
  })

  test('are tested no longer for a channel that has moved in the meantime', async () => {
    const id = await add('moved')
    const { kysely } = world.plane.database
    const { type, base_url, config } = await world.rowOf(id)
    const before = { id, type, base_url: `${base_url}/old`, config }
    const result = { key: keyFingerprint(GOOD), milliseconds: 5, error: '' }
    await noteKeyTest(kysely, before, result, 1)
    expect(await call('GET', id)).toMatchObject({ keys: [{ test_time: 0 }, { test_time: 0 }] })
    await noteKeyTest(kysely, { ...before, base_url }, result, 1)
    expect(await call('GET', id)).toMatchObject({ keys: [{ test_time: 1 }, { test_time: 0 }] })
  })

  test('lose their results with disabled channels that are deleted together', async () => {
    const id = await add('swept')
    await world.call('GET', `/api/channel/test/${id}?key_id=${keyFingerprint(GOOD)}`)
    await world.call('PUT', '/api/channel/', { body: { id, status: 2 } })
    await world.call('DELETE', '/api/channel/disabled')
    const left = await listKeyTests(world.plane.database.kysely, id)
    expect(left.size).toBe(0)
  })

  test('show their attempts and last error, and so do models and kinds of errors', async () => {
    const id = await add('busy')
    const { plane } = world
    const by = await plane.addPerson(ROLE.user, 10_000)
    const tokenId = await plane.addToken(by)
    const at = Math.floor(plane.clock.now / 1000)
    const tried = { channel: id, status: 200, reason: '', milliseconds: 1, prompt_tokens: 9 }
    const attempts = [
      { ...tried, status: 401, reason: 'auth: Incorrect API key', key: keyFingerprint(BAD) },
      { ...tried, key: keyFingerprint(GOOD) },
    ]
    await spend(plane.ledger, { by, tokenId, cost: 10, at, channel: id, attempts })
    const { keys } = await call('GET', id)
    expect(keys).toMatchObject([
      { state: 'enabled', answers: 1, faults: 0, last_error: '' },
      { state: 'refused', faults: 1, last_error: 'Incorrect API key', last_error_time: at },
    ])
    const { data } = await world.call('GET', `/api/channel/traffic/${id}`)
    // Safe because it is the endpoint's answer.
    const { models, errors, hours } = data as ChannelTraffic
    expect(hours).toEqual([{ start: at - (at % 3600), answers: 1, faults: 1 }])
    const busy = models.find(({ model }) => model === 'gpt-4o')
    expect(busy).toMatchObject({ answers: 1, faults: 1, quota: 10, cooldown: 0 })
    const example = { reason: 'Incorrect API key', status: 401, model: 'gpt-4o', at }
    expect(errors).toMatchObject([{ kind: 'auth', faults: 1, example }])
  })
})
