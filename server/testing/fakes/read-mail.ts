export type ReceivedMail = {
  raw: string
  /** By lower-case name, with encoded words decoded. */
  headers: ReadonlyMap<string, string>
  text: string
  html: string
}

/** A strict parser for mails with a text and an HTML part. */
export function readMail(raw: string): ReceivedMail {
  const { headers, body } = readEntity(raw)
  const boundary = /^multipart\/alternative;.*boundary="([^"]+)"/s.exec(
    headers.get('content-type') ?? '',
  )?.[1]
  if (boundary === undefined) throw new Error('the mail is not of two parts')
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => readEntity(part.replace(/^\r\n/, '')))
  const partOf = (type: string) => {
    const part = parts.find(({ headers }) => headers.get('content-type')?.startsWith(type))
    if (!part) throw new Error(`no ${type} in the mail`)
    return decodeBody(part)
  }
  return { raw, headers, text: partOf('text/plain'), html: partOf('text/html') }
}

type Entity = { headers: Map<string, string>; body: string }

function readEntity(text: string): Entity {
  const end = text.indexOf('\r\n\r\n')
  const headers = new Map<string, string>()
  for (const line of text
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const [, name = '', value = ''] = /^([\w-]+): ?(.*)$/.exec(line) ?? []
    if (name === '') throw new Error(`no header: ${line}`)
    if (headers.has(name.toLowerCase())) throw new Error(`twice: ${name}`)
    headers.set(name.toLowerCase(), decodeWords(value))
  }
  return { headers, body: text.slice(end + 4) }
}

/** Decodes encoded words (RFC 2047). */
function decodeWords(value: string): string {
  return value
    .replaceAll(/(\?=)\s+(=\?)/g, '$1$2')
    .replaceAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_whole, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : fromQuotedPrintable(word.replaceAll('_', ' ')),
    )
}

function decodeBody({ headers, body }: Entity): string {
  const encoding = headers.get('content-transfer-encoding')
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding === 'quoted-printable') return fromQuotedPrintable(body.replaceAll('=\r\n', ''))
  return body
}

function fromQuotedPrintable(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
