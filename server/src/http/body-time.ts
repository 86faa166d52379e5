import type { FastifyInstance, FastifyRequest } from 'fastify'

/** What Node.js says where a head is late. */
const TOO_LATE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'

/** Cuts off a body that has not arrived in time: what has come of it is kept in memory meanwhile. */
export function limitBodyTime(app: FastifyInstance, milliseconds: number) {
  app.addHook('preParsing', async (request, reply, payload) => {
    if (!hasBody(request)) return payload
    const { socket } = request.raw
    const timer = setTimeout(() => {
      if (!reply.raw.headersSent) socket.write(TOO_LATE)
      socket.destroySoon()
    }, milliseconds)
    const stop = () => clearTimeout(timer)
    payload.once('end', stop).once('close', stop)
    // A body that is refused is not read to its end, and its connection may be another request's by then.
    reply.raw.once('finish', stop).once('close', stop)
    return payload
  })
}

const hasBody = ({ headers }: FastifyRequest) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
