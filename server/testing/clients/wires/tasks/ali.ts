import { z } from 'zod'
import { bodyOf, pathOf } from '../../asked.ts'
import { IMAGE_URL, json, type TaskWire } from '../../tasks/asked.ts'

/* DashScope queues what older models are to draw, and gives addresses of what they drew. */

const QUEUE = '/api/v1/services/aigc/text2image/image-synthesis'
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

/** Each is asked after twice. */
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
        return { asked: null, answer }
      }
      if (path !== QUEUE) return null
      if (call.headers['x-dashscope-async'] !== 'enable') throw new Error('it waits in no queue')
      const { input, parameters } = drawRequest.parse(bodyOf(call))
      isRunning = true
      const { n: count, size } = parameters
      const asked = { prompt: input.prompt, size: size?.replace('*', 'x') ?? null, count }
      return { asked: { task: 'draw', ...asked }, answer: state('PENDING') }
    },
  }
}
