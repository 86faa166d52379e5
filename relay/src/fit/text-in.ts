import { member, textOf } from '../json-value.ts'

export const PARAGRAPH = '\n\n'

/** The text of a message, whose content may be a list of parts. */
export function textIn(message: unknown): string {
  const content = member(message, 'content')
  if (!Array.isArray(content)) return textOf(content)
  return content.map((part) => textOf(member(part, 'text'))).join(PARAGRAPH)
}
