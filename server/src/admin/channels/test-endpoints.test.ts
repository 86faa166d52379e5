import { expect, test } from 'vitest'
import { CHANNEL_STATUS } from '@tollgate/contract'
import {
  answerChat,
  answerError,
  answerJson,
  type Behaviour,
} from '../../../testing/fakes/scripted-upstream.ts'
import { openChannelWorld } from '../../../testing/worlds/channel-world.ts'
import { describeWorld } from '../../../testing/worlds/describe-planes.ts'

const IMAGE = answerJson({ data: [{ b64_json: 'aGk=' }] })
const RANKED = answerJson({ results: [{ index: 0, relevance_score: 0.5 }] })
const WRONG = answerError(400, { message: 'The model is not supported in the endpoint.' })

const at =
  (path: string, answer: Behaviour): Behaviour =>
  (response, request) =>
    (request.path === path ? answer : WRONG)(response, request)

describeWorld(openChannelWorld, 'the endpoint of a channel test', (world) => {
  const add = (name: string, models: string, script: Behaviour) =>
    world.addChannel(name, { models }, script)

  const testOf = (id: number, query = '') => world.call('GET', `/api/channel/test/${id}${query}`)

  const asked = (name: string) => world.provider.requestsOf(name).map(({ path }) => path)

  test('is that of a chat model before that of an image model', async () => {
    const id = await add('mixed', 'dall-e-3,gpt-4o-mini', answerChat())
    const expected = { success: true, model: 'gpt-4o-mini', endpoint: 'chat' }
    expect(await testOf(id)).toMatchObject(expected)
    expect(asked('mixed')).toEqual(['/v1/chat/completions'])
  })

  test('may be chosen with the model', async () => {
    const id = await add('chosen', 'gpt-4o,bge-m3', at('/v1/rerank', RANKED))
    const answer = await testOf(id, '?model=bge-m3&endpoint=rerank')
    expect(answer).toMatchObject({ success: true, model: 'bge-m3', endpoint: 'rerank' })
    const stored = { test_outcome: 'passed', test_model: 'bge-m3', test_endpoint: 'rerank' }
    expect(await world.rowOf(id)).toMatchObject(stored)
  })

  test('must be one that exists', async () => {
    const id = await add('wrong', 'gpt-4o', answerChat())
    const { success, message } = await testOf(id, '?endpoint=video')
    expect(success).toBe(false)
    expect(message).toContain('endpoint')
  })

  test('falls to the next model where a model cannot be tested', async () => {
    const script = at('/v1/chat/completions', answerChat())
    const id = await add('next', 'sora-2,gpt-realtime-2,gpt-4o', script)
    expect(await testOf(id)).toMatchObject({ success: true, model: 'gpt-4o' })
  })

  test('that does not exist is no failure', async () => {
    const id = await add('video', 'sora-2', answerChat())
    const answer = await testOf(id)
    const message = 'Not testable: No endpoint of this channel type can test the model.'
    expect(answer).toMatchObject({ success: false, message, time: 0, model: 'sora-2' })
    expect(asked('video')).toEqual([])
    const { data } = await world.call('GET', `/api/channel/${id}`, { language: 'zh' })
    expect(data).toMatchObject({
      status: CHANNEL_STATUS.enabled,
      test_outcome: 'untestable',
      test_error: '该渠道类型没有可用于测试此模型的接口。',
    })
  })

  test('is forgotten with the configuration that was tested', async () => {
    const id = await add('forgotten', 'dall-e-3', at('/v1/images/generations', IMAGE))
    expect((await testOf(id)).success).toBe(true)
    await world.call('PUT', '/api/channel/', { body: { id, key: 'sk-another' } })
    const cleared = { test_outcome: '', test_model: '', test_endpoint: '' }
    expect(await world.rowOf(id)).toMatchObject(cleared)
  })
})
