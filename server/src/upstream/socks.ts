import { once } from 'node:events'
import { connect, type LookupFunction, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'

/*
 * Client side of SOCKS5 (RFC 1928) with username and password (RFC 1929). The proxy resolves target
 * names.
 */

const PORT = 1080
const VERSION = 5
const NO_LOGIN = 0
const PASSWORD_LOGIN = 2
const LOGIN_VERSION = 1
const CONNECT = 1
const GRANTED = 0
const IPV4 = 1
const NAME = 3
const IPV6 = 4
/** Lengths are encoded in one byte. */
const TEXT_BYTES_MAX = 255
const PORT_BYTES = 2
/** Address lengths in a reply by type. A domain name is prefixed with its length instead. */
const ADDRESS_BYTES = new Map([
  [IPV4, 4],
  [IPV6, 16],
])

export type Login = { readonly name: string; readonly password: string }

export type SocksProxy = {
  readonly host: string
  /** Null for the default port. */
  readonly port: number | null
  readonly login: Login | null
  /** Resolves the name of the proxy itself. */
  readonly lookup: LookupFunction
}

/**
 * Connects to the target through the proxy. Throws on any failure; the signal enforces the
 * deadline.
 */
export async function connectThroughSocks(
  { host, port, login, lookup }: SocksProxy,
  target: { host: string; port: number },
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connect({ host, lookup, port: port ?? PORT, noDelay: true, signal })
  // Errors reach the caller through the pending operation.
  socket.on('error', () => {})
  try {
    await once(socket, 'connect')
    const rest = await negotiate(socket, target, login)
    if (rest.length > 0) socket.unshift(rest)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** Performs the handshake and returns bytes that the target has already sent. */
async function negotiate(
  socket: Socket,
  target: { host: string; port: number },
  login: Login | null,
): Promise<Buffer> {
  const replies = new Replies(socket)
  try {
    const methods = login === null ? [NO_LOGIN] : [NO_LOGIN, PASSWORD_LOGIN]
    socket.write(Buffer.from([VERSION, methods.length, ...methods]))
    const [version, method = -1] = await replies.take(2)
    if (version !== VERSION || !methods.includes(method))
      throw new Error('the proxy offers no supported login')
    if (method === PASSWORD_LOGIN && login !== null) {
      socket.write(Buffer.from([LOGIN_VERSION, ...textOf(login.name), ...textOf(login.password)]))
      const [, granted] = await replies.take(2)
      if (granted !== GRANTED) throw new Error('the login was refused')
    }
    const portBytes = Buffer.alloc(PORT_BYTES)
    portBytes.writeUInt16BE(target.port)
    socket.write(Buffer.from([VERSION, CONNECT, 0, ...addressOf(target.host), ...portBytes]))
    const [, granted, , type = -1] = await replies.take(4)
    if (granted !== GRANTED) throw new Error('the proxy could not connect')
    const [size] = type === NAME ? await replies.take(1) : [ADDRESS_BYTES.get(type)]
    if (size === undefined) throw new Error('the proxy sent an unknown type of address')
    await replies.take(size + PORT_BYTES)
  } finally {
    await replies.release()
  }
  return replies.rest
}

class Replies {
  readonly #chunks: AsyncIterator<Buffer, undefined>
  rest = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#chunks = socket.iterator({ destroyOnReturn: false })
  }

  async take(size: number): Promise<Buffer> {
    while (this.rest.length < size) {
      const { value } = await this.#chunks.next()
      if (value === undefined) throw new Error('the proxy hung up')
      this.rest = Buffer.concat([this.rest, value])
    }
    const taken = this.rest.subarray(0, size)
    this.rest = this.rest.subarray(size)
    return taken
  }

  /** Hands the socket over to its next reader. */
  async release() {
    await this.#chunks.return?.()
  }
}

function textOf(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length > TEXT_BYTES_MAX) throw new Error('too long for SOCKS5')
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

function addressOf(host: string): Buffer {
  if (!ipaddr.isValid(host)) return Buffer.concat([Buffer.from([NAME]), textOf(host)])
  const bytes = ipaddr.parse(host).toByteArray()
  return Buffer.from([bytes.length === 4 ? IPV4 : IPV6, ...bytes])
}
