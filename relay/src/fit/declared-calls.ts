import { type JsonRecord, listOf, member, textOf } from '../json-value.ts'

/**
 * Declares the tools whose calls stand in the history, for vendors that look them up. Agents leave
 * their tools out of a request for a summary, in which none may be called.
 */
export function withDeclaredCalls(json: JsonRecord): JsonRecord {
  const tools = listOf(json['tools'])
  const declared = new Set(tools.map(nameOf))
  const called = listOf(json['messages'])
    .flatMap((message) => listOf(member(message, 'tool_calls')))
    .map(nameOf)
  const missing = [...new Set(called)].filter((name) => name !== '' && !declared.has(name))
  if (missing.length === 0) return json
  return {
    ...json,
    tools: [...tools, ...missing.map(formerTool)],
    ...(tools.length === 0 ? { tool_choice: 'none' } : {}),
  }
}

const nameOf = (tool: unknown) => textOf(member(member(tool, 'function'), 'name'))

const formerTool = (name: string) => ({
  type: 'function',
  function: {
    name,
    description: 'A tool of earlier turns, which is gone.',
    parameters: { type: 'object', properties: {} },
  },
})
