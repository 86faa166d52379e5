import { callsOf, type ChatForm, type Tool } from '../form/request.ts'

/**
 * Declares the tools whose calls stand in the history, for vendors that look them up. Agents leave
 * their tools out of a request for a summary, in which none may be called.
 */
export function withDeclaredCalls(form: ChatForm): ChatForm {
  const { messages, tools, settings } = form
  const called = messages.flatMap(callsOf).map(({ name }) => name)
  const missing = missingTools(
    called,
    tools.map(({ name }) => name),
  )
  if (missing.length === 0) return form
  return {
    ...form,
    tools: [...tools, ...missing],
    settings: tools.length === 0 ? { ...settings, tool_choice: 'none' } : settings,
  }
}

export function missingTools(called: readonly string[], declared: readonly string[]): Tool[] {
  const known = new Set(declared)
  return [...new Set(called)].filter((name) => !known.has(name)).map(formerTool)
}

const formerTool = (name: string): Tool => ({
  type: 'function',
  name,
  description: 'A tool of earlier turns, which is gone.',
  parameters: { type: 'object', properties: {} },
})
