import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { foldName } from '../bytes/json-members.ts'
import { problem as requestProblem, type RequestProblem } from '../errors/request-problem.ts'

/*
 * Reads and writes multipart/form-data (RFC 7578). A form is read strictly and then rewritten, so
 * that the provider reads exactly what the gateway read: each field that decides the price occurs
 * once, in its exact spelling. `Response.formData` is not used because it does not limit the number
 * of parts, copies every file, and reports every fault with the same error.
 */

export type FormPart = {
  readonly name: string
  /** Null for a text field. */
  readonly file: { readonly name: string; readonly type: string } | null
  readonly bytes: Buffer
}

export type FormLimits = {
  /** Fields that decide what is charged. */
  readonly metered: ReadonlySet<string>
  readonly fileBytesMax: number
}

const PARTS_MAX = 128
const HEAD_BYTES_MAX = 8 * 1024
const NAME_LENGTH_MAX = 256
const TEXT_BYTES_MAX = 256 * 1024
const CRLF = '\r\n'

export function readForm(
  body: Buffer,
  contentType: string,
  limits: FormLimits,
): FormPart[] | RequestProblem {
  const boundary = boundaryOf(contentType)
  if (boundary === null) {
    return problem('The request must be a form: send it as multipart/form-data with a boundary.')
  }
  const parts: FormPart[] = []
  const sections = new Sections(body, boundary)
  for (;;) {
    const section = sections.next()
    if (section === 'broken') return problem('The request body is not a valid form.')
    if (section === 'end') break
    if (parts.length === PARTS_MAX) {
      return problem(`The form has more than ${PARTS_MAX} parts.`)
    }
    const part = readPart(section)
    if ('message' in part) return part
    const partProblem = checkPart(part, parts, limits)
    if (partProblem !== null) return partProblem
    parts.push(part)
  }
  return parts
}

/** A boundary is quoted or bare and has at most 70 characters (RFC 2046). */
function boundaryOf(contentType: string): string | null {
  if (!/^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType)) return null
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;",]{1,70}))\s*(?:;|$)/i.exec(
    contentType,
  ) ?? [null]
  return quoted ?? bare ?? null
}

type Section = { head: Buffer; bytes: Buffer }

/** Iterates over the delimited sections. `bytes` are views of the body. */
class Sections {
  readonly #body: Buffer
  readonly #delimiter: Buffer
  /** Offset after the last delimiter read; null before the first. */
  #at: number | null = null

  constructor(body: Buffer, boundary: string) {
    this.#body = body
    this.#delimiter = Buffer.from(`${CRLF}--${boundary}`, 'latin1')
  }

  next(): Section | 'end' | 'broken' {
    const body = this.#body
    const at = this.#at ?? this.#first()
    if (at === null) return 'broken'
    if (body.toString('latin1', at, at + 2) === '--') return 'end'
    const start = lineEnd(body, at)
    if (start === null) return 'broken'
    const length = body.subarray(start, start + HEAD_BYTES_MAX).indexOf(CRLF + CRLF)
    const bytesStart = start + length + 2 * CRLF.length
    const end = length === -1 ? -1 : body.indexOf(this.#delimiter, bytesStart)
    if (end === -1) return 'broken'
    this.#at = end + this.#delimiter.length
    return {
      head: body.subarray(start, start + length),
      bytes: body.subarray(bytesStart, end),
    }
  }

  /** The first delimiter may start the body or follow a preamble, which is ignored. */
  #first(): number | null {
    const bare = this.#delimiter.subarray(CRLF.length)
    if (this.#body.subarray(0, bare.length).equals(bare)) return bare.length
    const found = this.#body.indexOf(this.#delimiter)
    return found === -1 ? null : found + this.#delimiter.length
  }
}

/** Offset after a delimiter's line end, which spaces may precede; null for anything else. */
function lineEnd(body: Buffer, from: number): number | null {
  let at = from
  while (at - from < NAME_LENGTH_MAX && (body[at] === 0x20 || body[at] === 0x09)) at += 1
  return body[at] === 0x0d && body[at + 1] === 0x0a ? at + CRLF.length : null
}

function readPart({ head, bytes }: Section): FormPart | RequestProblem {
  if (!isUtf8(head)) return problem('The form has names that are not valid UTF-8.')
  const headers = new Map(
    head
      .toString('utf8')
      .split(CRLF)
      .map((line): [string, string] => {
        const [name = '', ...value] = line.split(':')
        return [name.trim().toLowerCase(), value.join(':').trim()]
      }),
  )
  const parameters = parametersOf(headers.get('content-disposition') ?? '')
  const name = parameters.get('name') ?? ''
  if (name === '') {
    return problem('Each part of the form must have a name in its Content-Disposition.')
  }
  if (name.length > NAME_LENGTH_MAX) {
    return problem(`The form has a name of more than ${NAME_LENGTH_MAX} characters.`)
  }
  if (/[\\\0]/.test(name)) {
    return problem('The form has a name with a backslash or a NUL, which servers read differently.')
  }
  const encoding = headers.get('content-transfer-encoding') ?? 'binary'
  if (!/^(?:binary|7bit|8bit)$/i.test(encoding)) {
    return problem(`'${name}' must be sent as it is, without a transfer encoding.`, name)
  }
  const fileName = extendedName(parameters) ?? parameters.get('filename')
  if (fileName === undefined) return { name, file: null, bytes }
  const type = headers.get('content-type') ?? ''
  return { name, file: { name: plainFileName(fileName), type: isPlain(type) ? type : '' }, bytes }
}

/** Some servers take a backslash before the closing quote as an escape and read past the name. */
const plainFileName = (name: string) => name.replaceAll(/[\\\0]/g, '_')

const isPlain = (text: string) => /^[\x20-\x7e]{0,256}$/.test(text)

const PARAMETER = /\s*;\s*([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gy

/**
 * Parameters of a Content-Disposition. Quotes and line ends are percent-encoded as browsers do
 * (%22), or escaped with a backslash.
 */
function parametersOf(disposition: string): Map<string, string> {
  const [kind = ''] = disposition.split(';', 1)
  if (kind.trim().toLowerCase() !== 'form-data') return new Map()
  const found = disposition.slice(kind.length).matchAll(PARAMETER)
  return new Map(
    [...found].map(([, name = '', quotedText, bare = '']): [string, string] => {
      const text = quotedText?.replaceAll(/\\(["\\])/g, '$1') ?? bare
      const isCoded = name.endsWith('*')
      return [name.toLowerCase(), isCoded ? text : plainText(text)]
    }),
  )
}

const plainText = (text: string) =>
  text.replaceAll('%22', '"').replaceAll(/%0D/gi, '\r').replaceAll(/%0A/gi, '\n')

/** RFC 7578 forbids `filename*`, but some clients send it. */
function extendedName(parameters: ReadonlyMap<string, string>): string | undefined {
  const [, coded] = /^utf-8'[^']*'(.*)$/i.exec(parameters.get('filename*') ?? '') ?? []
  try {
    return coded === undefined ? undefined : decodeURIComponent(coded)
  } catch {
    return undefined
  }
}

function checkPart(
  { name, file, bytes }: FormPart,
  previous: readonly FormPart[],
  { metered, fileBytesMax }: FormLimits,
): RequestProblem | null {
  const canonicalName = foldName(name.replace(/\[.*$/s, '').trim())
  if (canonicalName !== name && metered.has(canonicalName) && !metered.has(name)) {
    return problem(`Unknown field '${name}': write '${canonicalName}'.`, name)
  }
  if (metered.has(name) && previous.some((part) => part.name === name)) {
    return problem(`The form has the field '${name}' more than once.`, name)
  }
  if (metered.has(name) && file !== null) {
    return problem(`'${name}' must be a text, and not a file.`, name)
  }
  if (file !== null) {
    if (file.name.length > NAME_LENGTH_MAX) {
      return problem(`'${name}' has a file name of more than ${NAME_LENGTH_MAX} characters.`, name)
    }
    if (bytes.length <= fileBytesMax) return null
    return problem(`The file in '${name}' is larger than ${fileBytesMax} bytes.`, name)
  }
  if (bytes.length > TEXT_BYTES_MAX) {
    return problem(`'${name}' is longer than ${TEXT_BYTES_MAX} bytes.`, name)
  }
  return isUtf8(bytes) ? null : problem(`'${name}' is not valid UTF-8.`, name)
}

const problem = (message: string, param: string | null = null) =>
  requestProblem(message, param, param && 'invalid_value')

/** The first text field of that name. */
export const fieldOf = (parts: readonly FormPart[], name: string): string | undefined =>
  parts.find((part) => part.name === name && part.file === null)?.bytes.toString('utf8')

export function withField(parts: readonly FormPart[], name: string, text: string): FormPart[] {
  const field: FormPart = { name, file: null, bytes: Buffer.from(text) }
  return parts.some((part) => part.name === name)
    ? parts.map((part) => (part.name === name ? field : part))
    : [...parts, field]
}

/** Random, so that no file contains it. */
export const newBoundary = () => `form-${randomUUID()}`

export const formType = (boundary: string) => `multipart/form-data; boundary=${boundary}`

export function writeForm(parts: readonly FormPart[], boundary: string): Buffer {
  const pieces = parts.flatMap(({ name, file, bytes }) => [
    Buffer.from(`--${boundary}${CRLF}${headOf(name, file)}${CRLF}${CRLF}`),
    bytes,
    Buffer.from(CRLF),
  ])
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--${CRLF}`)])
}

function headOf(name: string, file: FormPart['file']): string {
  const disposition = `Content-Disposition: form-data; name="${quoted(name)}"`
  if (file === null) return disposition
  const type = file.type || 'application/octet-stream'
  return `${disposition}; filename="${quoted(file.name)}"${CRLF}Content-Type: ${type}`
}

const quoted = (text: string) =>
  text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
