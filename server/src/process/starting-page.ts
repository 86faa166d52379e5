import type { App } from '../app.ts'
import type { ClientRequest, ClientResponse } from '../gateway/http-types.ts'
import { isRelayPath } from '../gateway/intake/paths.ts'
import { HANDSHAKE_HEADERS, RELAY_HEADERS } from '../gateway/intake/relay-headers.ts'
import { setConstantHeaders } from '../http/constant-headers.ts'

/** Answers requests while the port is open but the app has not started. */
export const NOT_READY: Pick<App, 'relay' | 'serve' | 'upgrade'> = {
  relay: answerLater,
  serve: answerLater,
  upgrade: (_request, socket) => {
    const head = 'HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n'
    socket.end(`${head}${HANDSHAKE_HEADERS.lines}\r\n`)
  },
}

function answerLater({ url = '/' }: Pick<ClientRequest, 'url'>, response: ClientResponse) {
  if (isRelayPath(url)) setConstantHeaders(response, RELAY_HEADERS)
  response.writeHead(503, { 'retry-after': '1' }).end()
}
