import { isRecord, type JsonRecord } from '../../bytes/json-value.ts'
import type { ChatForm, Tool } from '../../form/request.ts'

export function toolMembers({ tools, settings }: ChatForm): JsonRecord {
  if (tools.length === 0) return {}
  const { tool_choice: choice, parallel_tool_calls: parallel } = settings
  return {
    tools: tools.map(toolOf),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(parallel === undefined ? {} : { parallel_tool_calls: parallel }),
  }
}

function toolOf({ type, name, description, parameters, strict, format }: Tool): JsonRecord {
  const described = { type, name, ...(description === undefined ? {} : { description }) }
  if (type === 'custom') return { ...described, ...formatMember(format) }
  return {
    ...described,
    parameters: parameters ?? { type: 'object', properties: {} },
    // Chat completions do not enforce schemas unless a request says so; Responses do.
    strict: strict === true,
  }
}

/** Chat completions nest a grammar one level deeper. */
function formatMember(format: JsonRecord | undefined): JsonRecord {
  if (format === undefined) return {}
  const { type, grammar } = format
  return { format: isRecord(grammar) ? { type, ...grammar } : format }
}
