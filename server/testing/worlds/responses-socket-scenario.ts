import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { GATEWAY_LIMITS } from '../../src/gateway/limits.ts'
import { answerStream, WHOLE_STREAM } from '../fakes/scripted-upstream.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { MODEL, setUp, type Setup, type World } from './relay-scenario.ts'

const eventSchema = z.looseObject({
  type: z.string(),
  status: z.int().optional(),
  stream_id: z.string().optional(),
  error: z.looseObject({ code: z.string().nullable() }).optional(),
  response: z.looseObject({ id: z.string(), status: z.string() }).optional(),
})

export const openSocketWorld = (channels: Parameters<typeof setUp>[0], setup: Setup = {}) =>
  setUp(channels, { options: [['ResponsesSocketEnabled', 'true']], ...setup })

export const good = answerStream(WHOLE_STREAM)
export const create = { type: 'response.create', model: MODEL, input: 'hi' }
export const unstored = { ...create, store: false }

export async function connect({ url, key }: World) {
  const address = `${url.replace('http', 'ws')}/v1/responses`
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${key}` } })
  onTestFinished(() => socket.terminate())
  const events: z.output<typeof eventSchema>[] = []
  let closeCode: number | null = null
  socket.on('message', (data: Buffer) =>
    events.push(eventSchema.parse(JSON.parse(data.toString()))),
  )
  socket.on('close', (code) => (closeCode = code))
  socket.on('error', () => {})
  await once(socket, 'open')
  const find = (type: string, count: number) => events.filter((one) => one.type === type)[count - 1]
  return {
    socket,
    events,
    send: (event: object | string) =>
      socket.send(typeof event === 'string' ? event : JSON.stringify(event)),
    next: async (type: string, count = 1) => {
      await waitUntil(async () => find(type, count) !== undefined)
      return eventSchema.parse(find(type, count))
    },
    closed: async () => {
      await waitUntil(async () => closeCode !== null)
      return closeCode
    },
  }
}

export const limited = (limits: Partial<typeof GATEWAY_LIMITS.responsesSocket>): Setup => ({
  limits: { responsesSocket: { ...GATEWAY_LIMITS.responsesSocket, ...limits } },
})
