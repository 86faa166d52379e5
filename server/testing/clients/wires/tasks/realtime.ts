import { z } from 'zod'
import type { Received } from '../../../every-type/received.ts'
import type { Answer } from '../../../every-type/stand.ts'
import {
  audioDelta,
  responseCreated,
  responseDone,
  textDelta,
} from '../../../fakes/realtime-upstream.ts'
import { bodyOf, HELLO, inTwo } from '../../received-chat.ts'
import { type Served, SOUND_BYTES } from '../../tasks/received-task.ts'

/* One OpenAI Realtime session at a time: it answers text with text and audio with audio. */

const clientEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session.update'),
    session: z.object({ type: z.literal('realtime') }),
  }),
  z.object({
    type: z.literal('conversation.item.create'),
    item: z.object({
      type: z.literal('message'),
      role: z.literal('user'),
      content: z.tuple([z.object({ type: z.literal('input_text'), text: z.string() })]),
    }),
  }),
  z.object({ type: z.literal('input_audio_buffer.append'), audio: z.base64() }),
  z.object({ type: z.literal('input_audio_buffer.commit') }),
  z.object({ type: z.literal('response.create') }),
])

const MODEL = /[?&](?:model|deployment)=gpt-realtime(?:&|$)/

export function createSession() {
  let text = ''
  let heard: Buffer[] = []
  let count = 0
  const forget = () => {
    text = ''
    heard = []
  }
  return {
    open: (call: Received) => {
      if (!MODEL.test(call.path)) throw new Error(`no model in ${call.path}`)
      forget()
    },
    serve: (call: Received): Served => {
      const event = clientEvent.parse(bodyOf(call))
      switch (event.type) {
        case 'session.update':
          return said({ type: 'session.updated', session: event.session })
        case 'conversation.item.create':
          text = event.item.content[0].text
          return said({ type: 'conversation.item.added', item: { id: 'item_1', ...event.item } })
        case 'input_audio_buffer.append':
          heard.push(Buffer.from(event.audio, 'base64'))
          return said()
        case 'input_audio_buffer.commit':
          return said({ type: 'input_audio_buffer.committed', item_id: 'item_1' })
        case 'response.create': {
          const asked = { task: 'talk' as const, text, audio: Buffer.concat(heard) }
          forget()
          count += 1
          return {
            received: asked,
            answer: lines(responseOf(`resp_${count}`, asked.audio.length > 0)),
          }
        }
      }
    },
  }
}

const said = (...events: object[]): Served => ({ received: null, answer: lines(events) })

const lines = (events: readonly object[]): Answer => ({
  status: 200,
  type: 'application/json',
  body: events.map((event) => JSON.stringify(event)).join('\n'),
})

function responseOf(id: string, isAloud: boolean): object[] {
  const deltas = isAloud
    ? [audioDelta(id, SOUND_BYTES / 2), audioDelta(id, SOUND_BYTES / 2)]
    : inTwo(HELLO).map((piece) => textDelta(id, piece))
  return [responseCreated(id), ...deltas, responseDone(id)]
}
