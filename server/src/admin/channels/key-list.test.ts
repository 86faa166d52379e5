import { expect, test } from 'vitest'
import type { ChannelKey, ChannelTraffic } from '@tollgate/contract'
import { ROLE } from '@tollgate/contract'
import { answerChat, answerError } from '../../../testing/fakes/scripted-upstream.ts'
import { spend } from '../../../testing/ledger/spend.ts'
import { openChannelWorld } from '../../../testing/worlds/channel-world.ts'
import { idOf } from '../../../testing/worlds/control-plane.ts'
import { describeWorlds } from '../../../testing/worlds/describe-planes.ts'
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
    world.provider.script('tested', (response, request) =>
      (request.headers.authorization === `Bearer ${GOOD}`
        ? answerChat()
        : answerError(401, { code: 'invalid_api_key', message: 'Incorrect API key' }))(
        response,
        request,
      ),
    )
    const testOf = (key: string) =>
      world.call('GET', `/api/channel/test/${id}?key_id=${keyFingerprint(key)}`)
    expect(await testOf(GOOD)).toMatchObject({ success: true })
    expect(await testOf(BAD)).toMatchObject({
      success: false,
      message: 'The test failed: Incorrect API key',
    })
    expect((await world.rowOf(id)).test_outcome).toBe('')
    expect((await testOf(THIRD)).message).toBe('The channel has no such key.')
  })

  test('show their attempts and last error, and so do models and kinds of errors', async () => {
    const id = await add('busy')
    const { plane } = world
    const by = await plane.addPerson(ROLE.user, 10_000)
    const token = await plane.call('POST', '/api/token/', {
      as: by,
      body: { name: 't', unlimited_quota: true, expired_time: -1 },
    })
    const at = Math.floor(plane.clock.now / 1000)
    const tried = { channel: id, status: 200, reason: '', milliseconds: 1, prompt_tokens: 9 }
    const attempts = [
      { ...tried, status: 401, reason: 'auth: Incorrect API key', key: keyFingerprint(BAD) },
      { ...tried, key: keyFingerprint(GOOD) },
    ]
    await spend(plane.ledger, { by, tokenId: idOf(token), cost: 10, at, channel: id, attempts })
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
    expect(errors).toMatchObject([
      {
        kind: 'auth',
        faults: 1,
        example: { reason: 'Incorrect API key', status: 401, model: 'gpt-4o', at },
      },
    ])
  })

  test('of a channel that is not there are an error', async () => {
    expect((await call('GET', 9999)).message).toBe('There is no such channel.')
    const { message } = await world.call('GET', '/api/channel/traffic/9999')
    expect(message).toBe('There is no such channel.')
  })
})
