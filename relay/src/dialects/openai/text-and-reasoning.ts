import { listOf, member, textOf } from '../../json-value.ts'

/** Magistral answers with a list of parts in which thinking is again a list. */
export function textAndReasoning(message: unknown): { text: string; reasoning: string } {
  const content = member(message, 'content')
  const reasoning = textOf(member(message, 'reasoning_content') ?? member(message, 'reasoning'))
  if (!Array.isArray(content)) return { text: textOf(content), reasoning }
  const thinking = content.flatMap((part) => listOf(member(part, 'thinking')))
  return { text: textsOf(content), reasoning: reasoning + textsOf(thinking) }
}

const textsOf = (parts: readonly unknown[]) =>
  parts.map((part) => textOf(member(part, 'text'))).join('')
