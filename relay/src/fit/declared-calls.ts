import { callsOf, type ChatForm, type Tool } from '../form/request.ts'

/**
 * Declares the tools whose calls stand in the history, for vendors that look them up. Agents leave
 * their tools out of a request for a summary, in which none may be called.
 */
export function withDeclaredCalls(form: ChatForm): ChatForm {
  const { messages, tools, settings } = form
  const declared = new Set(tools.map(({ name }) => name))
  const called = messages.flatMap(callsOf).map(({ name }) => name)
  const missing = [...new Set(called)].filter((name) => !declared.has(name))
  if (missing.length === 0) return form
  return {
    ...form,
    tools: [...tools, ...missing.map(formerTool)],
    settings: tools.length === 0 ? { ...settings, tool_choice: 'none' } : settings,
  }
}

const formerTool = (name: string): Tool => ({
  type: 'function',
  name,
  description: 'A tool of earlier turns, which is gone.',
  parameters: { type: 'object', properties: {} },
})
