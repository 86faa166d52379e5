import { once } from 'node:events'
import { connect } from 'node:net'

export type RawAnswer = {
  status: number
  /** All values of each header, by lower-case name. */
  headers: ReadonlyMap<string, readonly string[]>
  body: string
  text: string
}

/** Extra headers that the fast path leaves to Node's parser; they have no other effect. */
const BESIDE = { front: [], node: ['X-Twice: 1', 'X-Twice: 1'] } as const

export type Reader = keyof typeof BESIDE

export const READERS = ['front', 'node'] as const satisfies readonly Reader[]

/** A raw request with `Connection: close`. */
export function rawRequest(
  line: string,
  { headers = [], body, reader = 'front' }: RawCall = {},
): string {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const lines = [`${line} HTTP/1.1`, ...headers, ...BESIDE[reader], ...length]
  const host = headers.some((header) => /^host:/i.test(header)) ? [] : ['Host: gate.example']
  return [...lines, ...host, 'Connection: close', '', body ?? ''].join('\r\n')
}

export type RawCall = { headers?: readonly string[]; body?: string; reader?: Reader }

/** Sends raw bytes and reads until the connection closes. */
export async function rawCall(url: string, request: string): Promise<RawAnswer> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')))
  socket.on('error', () => {})
  socket.write(request, 'latin1')
  await once(socket, 'close')
  return parse(text)
}

function parse(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [line = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Map<string, string[]>()
  for (const header of lines) {
    const colon = header.indexOf(':')
    const name = header.slice(0, colon).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), header.slice(colon + 1).trim()])
  }
  return { status: Number(line.split(' ')[1]), headers, body: text.slice(end + 4), text }
}
