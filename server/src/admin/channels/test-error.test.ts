import { expect, test } from 'vitest'
import {
  answerChat,
  answerError,
  answerJson,
  type Behaviour,
} from '../../../testing/fakes/scripted-upstream.ts'
import { openChannelWorld } from '../../../testing/worlds/channel-world.ts'
import { describeWorld } from '../../../testing/worlds/describe-planes.ts'

const REASON = 'The upstream answered with status 500.'
const fail = answerJson('', { status: 500 })
const withoutUsage = answerChat('hi', null)

describeWorld(openChannelWorld, 'the reason of a failed test', (world) => {
  const testWith = (behaviour: Behaviour, id: number) => {
    world.provider.script('a', behaviour)
    return world.call('GET', `/api/channel/test/${id}`)
  }

  const save = (body: object) => world.call('PUT', '/api/channel/', { body })

  async function shownError(id: number, language = 'en') {
    const { data } = await world.call('GET', `/api/channel/${id}`, { language })
    return (data as { test_error: string }).test_error // Safe because this is a channel.
  }

  async function createFailed() {
    const id = await world.addChannel('a')
    expect((await testWith(fail, id)).success).toBe(false)
    return id
  }

  test("is shown in the reader's language until a test passes", async () => {
    const id = await createFailed()
    expect(await shownError(id)).toBe(REASON)
    expect(await shownError(id, 'zh')).toBe('上游返回 HTTP 500。')
    expect((await testWith(withoutUsage, id)).success).toBe(false)
    expect(await shownError(id, 'zh')).toBe('上游的回答没有报告用量。')
    expect((await testWith(answerChat(), id)).success).toBe(true)
    expect(await shownError(id)).toBe('')
  })

  test('is shortened', async () => {
    const id = await world.addChannel('a')
    await testWith(answerError(500, { message: 'x'.repeat(2000) }), id)
    expect(await shownError(id)).toBe('x'.repeat(500))
  })

  test.each([
    ['a new key', { key: 'sk-another' }],
    ['another provider', { type: 8 }],
    ['another address', { base_url: 'https://b.example', key: 'sk-x' }],
    ['another proxy', { config: '{"proxy":"http://127.0.0.1:1"}', key: 'sk-x' }],
  ])('is cleared by %s', async (_, edit) => {
    const id = await createFailed()
    const saved = await save({ id, ...edit })
    expect(saved.success, saved.message).toBe(true)
    expect(await shownError(id)).toBe('')
  })

  test('stays after a rename, and when the row is sent back unchanged', async () => {
    const id = await createFailed()
    await save({ id, name: 'renamed' })
    const { data } = await world.call('GET', `/api/channel/${id}`)
    await save(data as object) // Safe because this is a channel.
    expect(await shownError(id)).toBe(REASON)
  })

  test("is not kept from the channel's previous configuration", async () => {
    const id = await createFailed()
    await save({ id, key: 'sk-another' })
    const saveThenFail: Behaviour = async (response, request) => {
      await save({ id, key: 'sk-a-third' })
      return fail(response, request)
    }
    expect((await testWith(saveThenFail, id)).success).toBe(false)
    expect(await shownError(id)).toBe('')
  })
})
