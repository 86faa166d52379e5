import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { portOf } from '../harness/port-of.ts'

const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-mini' }

export type TickingStreams = {
  baseUrl: string
  open: () => number
  /** Sends another event on all streams. */
  tick: () => void
  /** Ends all streams, and those that begin later, with their usage. */
  finish: () => void
  close: () => void
}

/**
 * A provider whose streams all get an event every `tickMs`, or only when the test says so, until
 * the test ends them.
 */
export async function startTickingStreams(tickMs?: number): Promise<TickingStreams> {
  const open = new Set<ServerResponse>()
  let isFinishing = false
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(event([{ index: 0, delta: { content: 'word ' }, finish_reason: null }]))
    if (isFinishing) return end(response)
    open.add(response)
    response.on('close', () => open.delete(response))
  })
  const tick = () => {
    const more = event([{ index: 0, delta: { content: 'word ' }, finish_reason: null }])
    for (const response of open) response.write(more)
  }
  const ticking = tickMs === undefined ? undefined : setInterval(tick, tickMs)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${portOf(server)}`,
    open: () => open.size,
    tick,
    finish: () => {
      isFinishing = true
      for (const response of open) end(response)
      open.clear()
    },
    close: () => {
      clearInterval(ticking)
      server.closeAllConnections()
      server.close()
    },
  }
}

const event = (choices: object[], more: object = {}) =>
  `data: ${JSON.stringify({ ...HEAD, choices, ...more })}\n\n`

function end(response: ServerResponse) {
  const usage = { prompt_tokens: 7, completion_tokens: 11 }
  response.write(event([{ index: 0, delta: {}, finish_reason: 'stop' }]))
  response.end(`${event([], { usage })}data: [DONE]\n\n`)
}
