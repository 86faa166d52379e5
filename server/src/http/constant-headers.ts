import { encodeField } from '../http1/fields.ts'

/** Headers shared by many answers, validated and serialized once. */
export class ConstantHeaders {
  readonly entries: readonly (readonly [name: string, value: string])[]
  /** Serialized with line ends, as in a response head. */
  readonly lines: string

  constructor(headers: Readonly<Record<string, string>>) {
    this.entries = Object.entries(headers)
    this.lines = this.entries.map(([name, value]) => encodeField(name, value)).join('')
  }
}

type Answer = {
  readonly setHeader: (name: string, value: string) => unknown
  /** Implemented by responses whose head this server writes itself. */
  readonly setConstants?: (headers: ConstantHeaders) => unknown
}

export function setConstantHeaders(answer: Answer, headers: ConstantHeaders) {
  if (answer.setConstants !== undefined) answer.setConstants(headers)
  else for (const [name, value] of headers.entries) answer.setHeader(name, value)
}
