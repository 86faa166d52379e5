import { beforeEach, describe, expect, test } from 'vitest'
import {
  answerError,
  answerJson,
  resetConnection,
  startScriptedUpstream,
} from '../../../testing/fakes/scripted-upstream.ts'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import { openChannelWorld } from '../../../testing/worlds/channel-world.ts'

const KEY = 'a-key-like-no-other'
const CUSTOM = 8
const ANTHROPIC = 14
const TENCENT = 23

const LIST = { data: [{ id: 'gpt-4o-mini' }, { id: 'nobody-priced-it' }] }

describe('the models of a provider', () => {
  const world = openPerTest(() => openChannelWorld('sqlite'))

  beforeEach(() => world.provider.script('a', answerJson(LIST)))

  const fetchModels = (body: object) =>
    world.call('POST', '/api/channel/fetch_models', {
      body: { type: CUSTOM, base_url: world.provider.baseUrl('a'), ...body },
    })

  const addChannel = () => {
    const form = { type: CUSTOM, key: `${KEY}\nother`, multi_key: true }
    return world.addChannel('a', form, answerJson(LIST))
  }

  test('are fetched with the key of the form; models without a price are listed', async () => {
    const answer = await fetchModels({ key: KEY })
    expect(answer).toMatchObject({
      success: true,
      data: { models: ['gpt-4o-mini', 'nobody-priced-it'], unpriced: ['nobody-priced-it'] },
    })
    const [asked] = world.provider.requestsOf('a')
    expect(asked?.path).toBe('/v1/models')
    expect(asked?.headers.authorization).toBe(`Bearer ${KEY}`)
    await world.plane.setOption('ModelRatio', '{"nobody-priced-it": 2}')
    expect(await fetchModels({ key: KEY })).toMatchObject({ data: { unpriced: [] } })
  })

  test('are fetched with the stored key if the form has none', async () => {
    const id = await addChannel()
    expect((await fetchModels({ id })).success).toBe(true)
    expect(world.provider.requestsOf('a')[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
  })

  test('a stored key is sent nowhere else', async () => {
    const id = await addChannel()
    const elsewhere = await startScriptedUpstream()
    elsewhere.script('a', answerJson(LIST))
    const answer = await fetchModels({ id, base_url: elsewhere.baseUrl('a') })
    expect(answer.success).toBe(false)
    expect(elsewhere.requestsOf('a')).toEqual([])
    await elsewhere.close()
    expect(await fetchModels({ id: 999_999 })).toMatchObject({ success: false })
  })

  test('from Anthropic are fetched through its own API', async () => {
    expect((await fetchModels({ type: ANTHROPIC, key: KEY })).success).toBe(true)
    expect(world.provider.requestsOf('a')[0]).toMatchObject({
      path: '/v1/models?limit=1000',
      headers: { 'x-api-key': KEY },
    })
  })

  test('errors are reported without the key', async () => {
    const failures = [
      answerError(401, { message: `Incorrect API key provided: ${KEY}` }),
      answerJson('<html>'),
      answerJson({ data: 'none' }),
      resetConnection,
    ]
    for (const behaviour of failures) {
      world.provider.script('a', behaviour)
      const answer = await fetchModels({ key: KEY })
      expect(answer.success).toBe(false)
      expect(answer.message).not.toContain(KEY)
      expect(answer.message).toContain('could not be fetched')
    }
  })

  test('a provider without a list and an unknown type have different errors', async () => {
    const noList = await fetchModels({ type: TENCENT, base_url: '', key: 'a|b|c' })
    expect(noList.message).toContain('does not list its models')
    expect((await fetchModels({ type: 99, key: KEY })).success).toBe(false)
    expect((await fetchModels({ base_url: '', key: KEY })).message).toContain('base_url')
  })
})
