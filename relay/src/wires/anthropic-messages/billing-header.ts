import { isRecord } from '../../bytes/json-value.ts'

/*
 * Claude Code begins its system prompt with a line for Anthropic's billing. The line differs from
 * request to request, so other providers would never find the prompt in their cache
 * (anthropics/claude-code#68900).
 */

const HEADER = /^x-anthropic-billing-header:[^\n]*\n*/i

/** A system prompt as a text or a list of blocks; the same value if the line is absent. */
export function withoutBillingHeader(system: unknown): unknown {
  if (typeof system === 'string') return system.replace(HEADER, '')
  if (!Array.isArray(system) || !system.some(isHeader)) return system
  return system.flatMap((block: unknown) => {
    if (!isRecord(block) || !isHeader(block)) return [block]
    const text = String(block['text']).replace(HEADER, '')
    return text === '' ? [] : [{ ...block, text }]
  })
}

const isHeader = (block: unknown) =>
  isRecord(block) && typeof block['text'] === 'string' && HEADER.test(block['text'])
