import { setTimeout as pause } from 'node:timers/promises'
import type { Behaviour } from '../fakes/scripted-upstream.ts'

/** Both providers give the same answer, each with its own ids, model name and token counts. */
export type Voice = { id: string; model: string; usage: { prompt: number; completion: number } }

export const FIRST: Voice = {
  id: 'chatcmpl-first',
  model: 'gpt-4o-mini-first',
  usage: { prompt: 9, completion: 12 },
}

export const SECOND: Voice = {
  id: 'chatcmpl-second',
  model: 'other-model-second',
  usage: { prompt: 10, completion: 13 },
}

const WORDS = ['The ', 'quick ', 'brown ', 'fox ', 'jumps ', 'over ', 'the ', 'lazy ', 'dog', '.']

export const ANSWER = WORDS.join('')

const usageOf = ({ usage: { prompt, completion } }: Voice) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
})

const event = ({ id, model }: Voice, choices: object[], more: object = {}) =>
  `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1, model, choices, ...more })}\n\n`

const wordEvent = (voice: Voice, content: string) =>
  event(voice, [{ index: 0, delta: { content }, finish_reason: null }])

export const role = (voice: Voice) =>
  event(voice, [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }])

export const wordEvents = (voice: Voice, from = 0, to = WORDS.length) =>
  WORDS.slice(from, to).map((content) => wordEvent(voice, content))

export const finish = (voice: Voice) =>
  event(voice, [{ index: 0, delta: {}, finish_reason: 'stop' }])

export const usage = (voice: Voice) => event(voice, [], { usage: usageOf(voice) })

const DONE = 'data: [DONE]\n\n'

/** The events after the first `from` words. */
export const remainingEvents = (voice: Voice, from: number) => [
  ...wordEvents(voice, from),
  finish(voice),
  usage(voice),
  DONE,
]

const wholeAnswer = (voice: Voice) => [role(voice), ...remainingEvents(voice, 0)]

type Step = string | number

/** Writes the events. A number pauses for that many milliseconds. */
export function play(steps: readonly Step[], end: 'end' | 'cut' | 'hang' = 'end'): Behaviour {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    for (const step of steps) {
      if (typeof step === 'number') await pause(step)
      else await new Promise((resolve) => response.write(step, resolve))
      if (response.destroyed) return
    }
    if (end === 'end') response.end()
    if (end === 'cut') response.socket?.destroy()
  }
}

/** The whole answer, as JSON or as a stream, whichever the request asks for. */
export const answerAs =
  (voice: Voice): Behaviour =>
  (response, request) => {
    if (/"stream":\s*true/.test(request.body.toString()))
      return play(wholeAnswer(voice))(response, request)
    const { id, model } = voice
    const message = { role: 'assistant', content: ANSWER }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    const body = JSON.stringify({ id, model, choices, usage: usageOf(voice) })
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  }
