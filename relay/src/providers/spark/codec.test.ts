import { expect, test } from 'vitest'
import { classifyUpstreamError } from '../../errors/upstream-error.ts'
import { callTo } from '../../streams/testing/call-to.ts'
import { decodeWhole } from '../../streams/testing/decode-whole.ts'
import { sparkCodec } from './codec.ts'
import { FunctionNames } from './request.ts'

const KEY = 'a1b2c3d4|ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4|0123456789abcdef0123456789abcdef'
const call = callTo({ key: KEY, model: 'Spark-Max' })

test('the last message of an answer is recognized', () => {
  const { isLastMessage } = sparkCodec.encode(call)
  const isEnd = (json: object) => isLastMessage?.(Buffer.from(JSON.stringify(json)))
  expect(isEnd({ header: { code: 0, status: 1 } })).toBe(false)
  expect(isEnd({ header: { code: 0, status: 2 } })).toBe(true)
  expect(isEnd({ header: { code: 10013, status: 0 } })).toBe(true)
  expect(isLastMessage?.(Buffer.from('no JSON'))).toBe(false)
})

test('a content filter after the first token fails the whole answer', () => {
  const text = [{ role: 'assistant', index: 0, content: 'a' }]
  const said = { header: { code: 0, status: 0 }, payload: { choices: { status: 0, text } } }
  const failed = { header: { code: 10014, message: 'output moderation', status: 2 } }
  const frames = [said, failed].map((frame) => `${JSON.stringify(frame)}\n`).join('')
  const body = decodeWhole(sparkCodec.answers, Buffer.from(frames), call)
  const channelSecrets = { key: '', baseUrl: '', proxy: null }
  const problem = classifyUpstreamError({ channelSecrets, status: 200, headers: {}, body })
  expect(problem.kind).toBe('content_policy')
})

test('function names that Spark refuses are rewritten, kept distinct, and restored', () => {
  const long = 'mcp-server.read'.repeat(4)
  const given = ['fine_1', long, `${long}!`]
  const names = new FunctionNames(given.map((name) => ({ name })))
  const told = given.map((name) => names.encode(name))
  const second = expect.stringMatching(/^\w{30}_2$/)
  expect(told).toEqual(['fine_1', 'mcp_server_readmcp_server_read_1', second])
  expect(told.map((name) => names.decode(name))).toEqual(given)
  expect(names.decode('unknown')).toBe('unknown')
})
