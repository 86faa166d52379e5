import { z } from 'zod'
import { member } from '@tollgate/relay'
import type { Received } from '../../../every-type/received.ts'
import { bodyOf, pathOf } from '../../received-chat.ts'
import { IMAGE_URL, json, type Served, type TaskWire } from '../../tasks/received-task.ts'

/*
 * DashScope queues images of older models. Newer models edit images synchronously, at the
 * multimodal endpoint. All of them return URLs.
 */

const QUEUE = '/api/v1/services/aigc/text2image/image-synthesis'
const AT_ONCE = '/api/v1/services/aigc/multimodal-generation/generation'
const EDITOR = 'qwen-image-edit-plus'
const TICKET = 't-1'

const drawRequest = z.strictObject({
  model: z.literal('wanx-v1'),
  input: z.strictObject({ prompt: z.string().min(1) }),
  parameters: z.strictObject({
    n: z.int().min(1).max(4),
    size: z
      .string()
      .regex(/^\d+\*\d+$/)
      .optional(),
  }),
})

const picture = z.strictObject({
  image: z.string().transform((url, ctx) => {
    const data = /^data:image\/png;base64,(?<data>[\w+/]+=*)$/.exec(url)?.groups?.['data']
    if (data === undefined) ctx.addIssue('no picture in base64')
    return data ?? ''
  }),
})
const redrawRequest = z.strictObject({
  model: z.literal(EDITOR),
  input: z.strictObject({
    messages: z.tuple([
      z.strictObject({
        role: z.literal('user'),
        content: z.tuple([picture, z.strictObject({ text: z.string().min(1).max(800) })]),
      }),
    ]),
  }),
  parameters: z.strictObject({ n: z.int().min(1).max(6) }),
})

/** Each task needs two polls. */
export function aliTasks(): TaskWire {
  let isRunning = false
  const state = (task_status: string, more: object = {}) =>
    json({ request_id: 'r-1', output: { task_id: TICKET, task_status, ...more } })
  return {
    serve: (call) => {
      const path = pathOf(call)
      if (path === `/api/v1/tasks/${TICKET}` && call.method === 'GET') {
        const answer = isRunning
          ? state('RUNNING')
          : state('SUCCEEDED', { results: [{ url: IMAGE_URL }] })
        isRunning = false
        return { received: null, answer }
      }
      if (path === AT_ONCE && isForEditor(bodyOf(call))) return redraw(call)
      if (path !== QUEUE) return null
      if (call.headers['x-dashscope-async'] !== 'enable') throw new Error('it waits in no queue')
      const { input, parameters } = drawRequest.parse(bodyOf(call))
      isRunning = true
      const { n: count, size } = parameters
      const asked = { prompt: input.prompt, size: size?.replace('*', 'x') ?? null, count }
      return { received: { task: 'draw', ...asked }, answer: state('PENDING') }
    },
  }
}

const isForEditor = (body: unknown) => member(body, 'model') === EDITOR

function redraw(call: Received): Served {
  const isQueued = call.headers['x-dashscope-async'] !== undefined
  const isStream = call.headers['x-dashscope-sse'] !== undefined
  if (isQueued || isStream) throw new Error('it answers at once, in one piece')
  const { input } = redrawRequest.parse(bodyOf(call))
  const [{ image }, { text: prompt }] = input.messages[0].content
  const message = { role: 'assistant', content: [{ image: IMAGE_URL }] }
  return {
    received: { task: 'redraw', prompt, images: [image] },
    answer: json({
      output: { choices: [{ finish_reason: 'stop', message }] },
      usage: { image_count: 1, width: 1024, height: 1024 },
      request_id: 'r-1',
    }),
  }
}
