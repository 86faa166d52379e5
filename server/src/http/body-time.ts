import type { FastifyInstance, FastifyRequest } from 'fastify'

/** The response Node.js sends for a late request head. */
const TOO_LATE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'

/** Closes connections whose request body is late, because the received part occupies memory. */
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
    // A refused body is not read to its end, and the connection may carry another request by then.
    reply.raw.once('finish', stop).once('close', stop)
    return payload
  })
}

const hasBody = ({ headers }: FastifyRequest) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
