import { HEADER_NAME, HEADER_VALUE } from '../domain/http-syntax.ts'

/** Headers that many answers share. They are checked and written out once, not once per answer. */
export class ConstantHeaders {
  readonly entries: readonly (readonly [name: string, value: string])[]
  /** Each line with its end, as in the head of an answer. */
  readonly lines: string

  constructor(headers: Readonly<Record<string, string>>) {
    this.entries = Object.entries(headers)
    for (const [name, value] of this.entries) {
      if (HEADER_NAME.test(name) && HEADER_VALUE.test(value)) continue
      throw new TypeError(`the header ${name} has characters that cannot be sent`)
    }
    this.lines = this.entries.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  }
}

type Answer = {
  readonly setHeader: (name: string, value: string) => unknown
  /** For answers whose head we write ourselves. */
  readonly setConstants?: (headers: ConstantHeaders) => unknown
}

export function setConstantHeaders(answer: Answer, headers: ConstantHeaders) {
  if (answer.setConstants !== undefined) answer.setConstants(headers)
  else for (const [name, value] of headers.entries) answer.setHeader(name, value)
}
