import { isRecord, type JsonRecord } from '../../bytes/json-value.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import { objectSchema } from '../../fit/schema.ts'
import { parameterError } from '../../form/codec-errors.ts'
import type { ChatForm, Tool, ToolChoice } from '../../form/request.ts'
import { openApiSchema } from './write-schema.ts'

export function toolMembers({ tools, settings }: ChatForm, card: ModelCard): JsonRecord {
  if (tools.length === 0) return {}
  const { enforcesSchemas } = card.tools
  const isStrict = tools.some(({ strict }) => strict === true)
  const config = callingConfig(settings.tool_choice, isStrict && enforcesSchemas)
  return {
    tools: [
      {
        functionDeclarations: tools.map((tool, at) =>
          declaration(tool, `tools.${at}`, enforcesSchemas),
        ),
      },
    ],
    ...(config === null ? {} : { toolConfig: { functionCallingConfig: config } }),
  }
}

function declaration(tool: Tool, path: string, takesJsonSchema: boolean): JsonRecord {
  const { type, name, description = '', parameters } = tool
  if (type !== 'function') {
    throw parameterError(`'${path}' must be a function with a name.`, path)
  }
  return {
    name,
    ...(description === '' ? {} : { description }),
    ...(parameters === undefined ? {} : parametersMember(parameters, takesJsonSchema)),
  }
}

/** An object schema without properties is rejected. */
function parametersMember(given: JsonRecord, takesJsonSchema: boolean): JsonRecord {
  const schema = takesJsonSchema ? given : objectSchema(openApiSchema(given)).schema
  const { properties, type } = schema
  const isEmpty = isRecord(properties) && Object.keys(properties).length === 0
  if (isEmpty || (properties === undefined && type === 'object')) return {}
  return takesJsonSchema ? { parametersJsonSchema: schema } : { parameters: schema }
}

/** With `VALIDATED` the model decides whether to call, but its calls always match the schema. */
function callingConfig(choice: ToolChoice | undefined, isStrict: boolean): JsonRecord | null {
  switch (choice) {
    case undefined:
    case 'auto':
      if (isStrict) return { mode: 'VALIDATED' }
      return choice === 'auto' ? { mode: 'AUTO' } : null
    case 'none':
      return { mode: 'NONE' }
    case 'required':
      return { mode: 'ANY' }
    default:
      break
  }
  if (choice.type !== 'allowed_tools') return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  const mode = choice.mode === 'required' ? 'ANY' : 'VALIDATED'
  return { mode, allowedFunctionNames: choice.tools.map(({ name }) => name) }
}
