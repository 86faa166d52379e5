import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { portOf } from '../harness/port-of.ts'

/** A request as an agent has sent it. */
export type Sent = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  status: number
}

export type Recorder = { url: string; sent: readonly Sent[]; close: () => Promise<void> }

/** Stands between an agent and the gateway, and passes everything on unchanged. */
export async function openRecorder(gateway: string): Promise<Recorder> {
  const sent: Sent[] = []
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    void buffer(request).then((body) => {
      const own: Sent = { method, path, headers, body, status: 0 }
      sent.push(own)
      const passed = httpRequest(gateway + path, { method, headers }, (answer) => {
        own.status = answer.statusCode ?? 0
        response.writeHead(own.status, answer.headers)
        answer.pipe(response)
      })
      passed.on('error', () => response.destroy())
      response.on('close', () => passed.destroy())
      passed.end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    sent,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
