import { expect, test } from 'vitest'
import { taskTo } from '../../streams/testing/call-to.ts'
import { aliCodec } from './codec.ts'

const call = (endpoint: 'images' | 'imageEdits', model: string) =>
  taskTo(endpoint, { key: 'sk-ali', model, request: { prompt: 'a cat' } })

test('images are queued, except for the newest models and edits', () => {
  const isQueued = (...asked: Parameters<typeof call>) => aliCodec.queue.isNeeded(call(...asked))
  expect(isQueued('images', 'wanx-v1')).toBe(true)
  expect(isQueued('images', 'qwen-image')).toBe(false)
  expect(isQueued('imageEdits', 'qwen-image-edit-plus')).toBe(false)
})

test('queued images are polled by task id until the task is done', () => {
  const ticketIn = (json: unknown) => aliCodec.queue.readTaskId(Buffer.from(JSON.stringify(json)))
  expect(ticketIn({ output: { task_id: 'a/b', task_status: 'PENDING' } })).toBe('a/b')
  for (const none of [{}, [], 7, { output: { task_id: 7 } }, { output: { task_id: '\ud800' } }]) {
    expect(ticketIn(none)).toBeNull()
  }
  expect(aliCodec.queue.pollRequest(call('images', 'wanx-v1'), 'a/b')).toEqual({
    url: 'https://dashscope.aliyuncs.com/api/v1/tasks/a%2Fb',
    headers: { authorization: 'Bearer sk-ali' },
  })
  const isDone = (task_status: string) =>
    aliCodec.queue.isDone(Buffer.from(JSON.stringify({ output: { task_status } })))
  expect(['PENDING', 'RUNNING'].some(isDone)).toBe(false)
  expect(['SUCCEEDED', 'FAILED', 'CANCELED', 'UNKNOWN', ''].every(isDone)).toBe(true)
})
