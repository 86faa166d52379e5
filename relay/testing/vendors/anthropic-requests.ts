import { isRecord, type JsonRecord, listOf, textOf } from '../../src/bytes/json-value.ts'

/* What rules look at in requests of Anthropic's Messages, and pieces of such requests. */

export type Claude = { readonly family: string; readonly version: number }

const NAME =
  /claude-(?:(\d)(?:[-.](\d)(?!\d))?-)?(opus|sonnet|haiku|fable|mythos)(?:-(\d)(?:[-.](\d)(?!\d))?)?/

/** Null for other models than Claude. */
function claudeOf(model: string): Claude | null {
  const [, before, minorBefore, family, after, minorAfter] = NAME.exec(model) ?? []
  if (family === undefined) return null
  const minor = Number(minorBefore ?? minorAfter ?? 0)
  return { family, version: Number(before ?? after ?? 0) + minor / 10 }
}

/** Whether the model is Claude and fulfils the condition. */
export const isClaude = (model: string, fits: (claude: Claude) => boolean) => {
  const claude = claudeOf(model)
  return claude !== null && fits(claude)
}

const isNewFamily = ({ family }: Claude) => family === 'fable' || family === 'mythos'

/** Models of the family from a version on. Fable and Mythos count with the newest. */
export const since = (versions: Readonly<Record<string, number>>) => (claude: Claude) =>
  claude.version >= (versions[claude.family] ?? versions['any'] ?? Infinity)

export const REFUSES_BUDGETS = since({ opus: 4.7, sonnet: 5, fable: 5, mythos: 5, haiku: 5.5 })
export const ALWAYS_THINKS = since({ opus: 5.5, sonnet: 5.5, fable: 5, mythos: 5 })
export const REFUSES_FORCED = since({ opus: 5.5, sonnet: 5.5, fable: 5.1, mythos: 5.1 })
export const SAMPLES_BY_ITSELF = since({ opus: 4.7, sonnet: 5, any: 5 })
export const TAKES_EFFORT = since({ opus: 4.5, any: 4.6 })
export const TAKES_XHIGH = (claude: Claude) =>
  isNewFamily(claude) || since({ opus: 4.7, sonnet: 5, haiku: 5.5 })(claude)

export const messagesOf = (body: JsonRecord) => listOf(body['messages']).filter(isRecord)

/** A string stands for one text. */
export const blocksOf = ({ content }: JsonRecord): JsonRecord[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).filter(isRecord)

export const allBlocks = (body: JsonRecord) => messagesOf(body).flatMap(blocksOf)

/** Blocks of messages, and those within results of tools. */
export const deepBlocks = (body: JsonRecord) =>
  allBlocks(body).flatMap((block) => [
    block,
    ...(block['type'] === 'tool_result' ? listOf(block['content']).filter(isRecord) : []),
  ])

export const isType =
  (...types: string[]) =>
  ({ type }: JsonRecord) =>
    types.includes(textOf(type))

export const ofType = (blocks: readonly JsonRecord[], ...types: string[]) =>
  blocks.filter(isType(...types))

export const usesOf = (message: JsonRecord | undefined) =>
  message === undefined ? [] : ofType(blocksOf(message), 'tool_use')

export const resultsOf = (message: JsonRecord | undefined) =>
  message === undefined ? [] : ofType(blocksOf(message), 'tool_result')

export const systemBlocks = ({ system }: JsonRecord): JsonRecord[] => blocksOf({ content: system })

export const toolsOf = (body: JsonRecord) => listOf(body['tools']).filter(isRecord)

/** Tools that the client runs, with a schema of their own. */
export const ownTools = (body: JsonRecord) =>
  toolsOf(body).filter(({ type }) => type === undefined || type === null || type === 'custom')

export const thinkingOf = ({ thinking }: JsonRecord) =>
  isRecord(thinking) ? textOf(thinking['type']) : ''

export const isThinking = (body: JsonRecord) => ['enabled', 'adaptive'].includes(thinkingOf(body))

export const isPrefilled = (body: JsonRecord) => messagesOf(body).at(-1)?.['role'] === 'assistant'

/** Signatures that Claude has not written: none, a UUID, one of Google. */
export const OTHERS_SIGNATURE = /^$|^gAAAA|^[0-9a-f]{8}-[0-9a-f]{4}-|^C[A-Za-z0-9+/]{3}|^skip_/

/* Pieces of examples. */

export const HI = { role: 'user', content: 'hi' }
export const TEXT = { type: 'text', text: 'hi' }
export const THOUGHT = { type: 'thinking', thinking: 'Hm.', signature: 'EpQB' }
export const says = (...messages: unknown[]) => ({ messages })
export const user = (...content: unknown[]) => ({ role: 'user', content })
export const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
export const use = (id = 'toolu_1', more: JsonRecord = {}) => ({
  type: 'tool_use',
  id,
  name: 'weather',
  input: {},
  ...more,
})
export const result = (id = 'toolu_1', content: unknown = '7 degrees') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
})
export const toolOf = (more: JsonRecord = {}) => ({
  name: 'weather',
  input_schema: { type: 'object', properties: {} },
  ...more,
})
export const tools = (...named: JsonRecord[]) => ({ tools: named.map(toolOf) })
export const ONE_TOOL = tools({})
export const loop = (block: JsonRecord, id = 'toolu_1') => ({
  ...ONE_TOOL,
  ...says(HI, assistant(block), user(result(id))),
})
export const image = (data: string, media_type = 'image/png') => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
})
