import { isRecord, type JsonRecord, listOf, member, textOf } from '../../src/bytes/json-value.ts'
import {
  ALWAYS_THINKS,
  allBlocks,
  assistant,
  blocksOf,
  deepBlocks,
  HI,
  isClaude,
  isPrefilled,
  isThinking,
  isType,
  loop,
  messagesOf,
  ofType,
  ONE_TOOL,
  OTHERS_SIGNATURE,
  result,
  resultsOf,
  says,
  since,
  systemBlocks,
  TEXT,
  THOUGHT,
  thinkingOf,
  toolOf,
  toolsOf,
  use,
  user,
  usesOf,
} from './anthropic-requests.ts'
import { BLOCK_TYPES } from './anthropic-schema.ts'
import { hasDuplicates, isGiven, repeated } from './chat-requests.ts'
import type { RuleRow } from './strict-vendor.ts'

/* Anthropic's rules for messages and their blocks. */

const SDK = 'anthropics/anthropic-sdk-python 2.14'
const CLAUDE_CODE = 'Claude Code 2.1.197, bundled reference'
const LITELLM = 'BerriAI/litellm 1.110'
const ID = /^[a-zA-Z0-9_-]+$/
const NAME = /^[a-zA-Z0-9_-]{1,200}$/

const isBlank = (text: unknown) => typeof text === 'string' && text !== '' && text.trim() === ''
const textsIn = (body: JsonRecord) =>
  ofType([...systemBlocks(body), ...deepBlocks(body)], 'text').map(({ text }) => text)
const some = (body: JsonRecord, isFound: (message: JsonRecord) => boolean) =>
  messagesOf(body).some(isFound)
const isSystem = ({ role }: JsonRecord) => role === 'system'
const isLast = (body: JsonRecord, message: JsonRecord) => messagesOf(body).at(-1) === message
const SYSTEM = { role: 'system', content: 'Be brief.' }

/** Whether something is wrong between a message with calls and the message after it. */
const someTurn = (
  body: JsonRecord,
  isWrong: (uses: unknown[], results: unknown[], next: readonly JsonRecord[]) => boolean,
) =>
  messagesOf(body).some((message, index, all) => {
    if (message['role'] !== 'assistant') return false
    const next = all[index + 1]
    const results = resultsOf(next).map(({ tool_use_id: id }) => id)
    const uses = usesOf(message).map(({ id }) => id)
    return isWrong(uses, results, next === undefined ? [] : blocksOf(next))
  })

const isPage = (citation: unknown) => member(citation, 'type') === 'web_search_result_location'

/** The forms of single blocks. */
export const ANTHROPIC_BLOCK_ROWS: readonly RuleRow[] = [
  {
    id: 'ANT-020',
    text: 'No messages',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) => messagesOf(body).length === 0,
    example: { messages: [] },
  },
  {
    id: 'ANT-003',
    text: 'More than 100 000 messages',
    sure: 'src',
    source: SDK,
    refuses: ({ body }) => messagesOf(body).length > 100_000,
    example: { messages: repeated(100_001, () => HI) },
  },
  {
    id: 'ANT-021',
    text: 'The first message is not of the user',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: ({ body }) => messagesOf(body)[0]?.['role'] === 'assistant',
    example: says({ role: 'assistant', content: 'hi' }, HI),
  },
  {
    id: 'ANT-023',
    text: 'Empty content of a message that is not the last of the assistant',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) =>
      some(
        body,
        (message) =>
          (message['content'] === '' ||
            (Array.isArray(message['content']) && message['content'].length === 0)) &&
          !(message['role'] === 'assistant' && isLast(body, message)),
      ),
    example: says({ role: 'user', content: '' }),
  },
  {
    id: 'ANT-024',
    text: 'An empty text block',
    sure: 'issue',
    source: 'aliasrobotics/cai#182',
    refuses: ({ body }) =>
      [
        ...listOf(body['system']),
        ...deepBlocks({ messages: messagesOf(body).filter(({ content }) => isListed(content)) }),
      ].some((block) => isRecord(block) && block['type'] === 'text' && block['text'] === ''),
    example: says(user({ type: 'text', text: '' }, TEXT)),
  },
  {
    id: 'ANT-025',
    text: 'A text of whitespace only',
    sure: 'issue',
    source: 'Anthropic, errors of the Messages API',
    refuses: ({ body }) => textsIn(body).some(isBlank),
    example: says({ role: 'user', content: ' \n' }),
  },
  {
    id: 'ANT-029',
    text: 'A block of an unknown type',
    sure: 'issue',
    source: SDK,
    refuses: ({ body }) => allBlocks(body).some((block) => !isType(...BLOCK_TYPES)(block)),
    example: says(user({ type: 'image_url', image_url: { url: 'https://example.com' } })),
  },
  {
    id: 'ANT-125',
    text: 'A citation of a page without the `encrypted_index` that Claude gave',
    sure: 'doc',
    source: 'Anthropic, web search tool',
    refuses: ({ body }) =>
      ofType(allBlocks(body), 'text')
        .flatMap(({ citations }) => listOf(citations))
        .some((one) => isPage(one) && textOf(member(one, 'encrypted_index')) === ''),
    example: says(
      HI,
      assistant({
        ...TEXT,
        citations: [{ type: 'web_search_result_location', encrypted_index: '' }],
      }),
      HI,
    ),
  },
  {
    id: 'ANT-030',
    text: 'The id of a call or a result is not `^[a-zA-Z0-9_-]+$`',
    sure: 'issue',
    source: 'cline/cline#8942',
    refuses: ({ body }) =>
      allBlocks(body).some(
        ({ type, id, tool_use_id: used }) =>
          (type === 'tool_use' && !ID.test(textOf(id))) ||
          (type === 'tool_result' && !ID.test(textOf(used))),
      ),
    example: loop(use('functions.weather:0'), 'functions.weather:0'),
  },
  {
    id: 'ANT-031',
    text: 'The name of a call is not `^[a-zA-Z0-9_-]{1,200}$`',
    sure: 'issue',
    source: SDK,
    refuses: ({ body }) =>
      ofType(allBlocks(body), 'tool_use').some(({ name }) => !NAME.test(textOf(name))),
    example: loop(use('toolu_1', { name: 'mcp.weather' })),
  },
  {
    id: 'ANT-032',
    text: 'The input of a call is not an object',
    sure: 'issue',
    source: SDK,
    refuses: ({ body }) =>
      ofType(allBlocks(body), 'tool_use').some(({ input }) => !isRecord(input)),
    example: loop(use('toolu_1', { input: '{}' })),
  },
  {
    id: 'ANT-040',
    text: 'A `system` of blocks other than text',
    sure: 'src',
    source: SDK,
    refuses: ({ body }) => systemBlocks(body).some((block) => block['type'] !== 'text'),
    example: { system: [{ type: 'image', source: { type: 'url', url: 'https://example.com' } }] },
  },
  {
    id: 'ANT-041',
    text: 'Models before Opus 4.8: the role system in messages',
    sure: 'src',
    source: CLAUDE_CODE,
    refuses: ({ model, body }) =>
      some(body, isSystem) && isClaude(model, (claude) => !since({ any: 4.8, opus: 4.8 })(claude)),
    example: says(HI, SYSTEM),
  },
  {
    id: 'ANT-042',
    text: 'The role system in the first message',
    sure: 'issue',
    source: 'LeenHawk/gproxy#209',
    refuses: ({ body }) => {
      const [first] = messagesOf(body)
      return first !== undefined && isSystem(first) && listOf(first['content']).length > 0
    },
    with: { model: 'claude-opus-5' },
    example: says({ role: 'system', content: [TEXT] }, HI),
  },
  {
    id: 'ANT-043',
    text: 'The role system that does not directly follow the user, or is followed by the user',
    sure: 'src',
    source: 'maximhq/bifrost#3945, langchain4j/langchain4j#5603',
    refuses: ({ body }) =>
      messagesOf(body).some((message, index, all) => {
        if (!isSystem(message) || index === 0) return false
        const next = all[index + 1]
        return (
          all[index - 1]?.['role'] !== 'user' || (next && next['role'] !== 'assistant') === true
        )
      }),
    with: { model: 'claude-opus-5' },
    example: says(HI, SYSTEM, HI),
  },
]

const isListed = (content: unknown) => Array.isArray(content)

/** Relations between messages. */
export const ANTHROPIC_PAIRING_ROWS: readonly RuleRow[] = [
  {
    id: 'ANT-026',
    text: 'A last message of the assistant that ends in whitespace',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) => {
      const last = isPrefilled(body) ? messagesOf(body).at(-1) : undefined
      return last !== undefined && /\s$/.test(textOf(blocksOf(last).at(-1)?.['text']))
    },
    example: says(HI, { role: 'assistant', content: 'It is ' }),
  },
  {
    id: 'ANT-027',
    text: 'Claude 4.6 and later: a last message of the assistant',
    sure: 'issue',
    source: 'agenticloops-ai/agentic-ai-engineering#43',
    refuses: ({ model, body }) =>
      isPrefilled(body) && isClaude(model, ({ version }) => version >= 4.6),
    with: { model: 'claude-sonnet-4-6' },
    example: says(HI, { role: 'assistant', content: 'It is' }),
  },
  {
    id: 'ANT-028',
    text: 'A last message of the assistant together with thinking or a format',
    sure: 'src',
    source: CLAUDE_CODE,
    refuses: ({ body }) =>
      isPrefilled(body) &&
      (isThinking(body) ||
        (isRecord(body['output_config']) && isGiven(body['output_config']['format']))),
    example: {
      thinking: { type: 'enabled', budget_tokens: 1024 },
      ...says(HI, { role: 'assistant', content: 'It is' }),
    },
  },
  {
    id: 'ANT-033',
    text: 'Two calls with the same id',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) =>
      hasDuplicates(
        messagesOf(body)
          .flatMap(usesOf)
          .map(({ id }) => id),
      ),
    example: {
      ...ONE_TOOL,
      ...says(HI, assistant(use()), user(result()), assistant(use()), user(result())),
    },
  },
  {
    id: 'ANT-034',
    text: 'A call whose result is not in the next message',
    sure: 'issue',
    source: `anthropics/claude-code; ${CLAUDE_CODE}`,
    refuses: ({ body }) =>
      someTurn(body, (uses, results) => uses.some((id) => !results.includes(id))),
    example: { ...ONE_TOOL, ...says(HI, assistant(use()), HI) },
  },
  {
    id: 'ANT-035',
    text: 'A result whose call is not in the message before',
    sure: 'src',
    source: CLAUDE_CODE,
    refuses: ({ body }) =>
      messagesOf(body).some((message, index, all) => {
        const uses = usesOf(all[index - 1]).map(({ id }) => id)
        return resultsOf(message).some(({ tool_use_id: id }) => !uses.includes(id))
      }),
    example: { ...ONE_TOOL, ...says(user(result())) },
  },
  {
    id: 'ANT-036',
    text: 'Two results for a call',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) => someTurn(body, (_uses, results) => hasDuplicates(results)),
    example: { ...ONE_TOOL, ...says(HI, assistant(use()), user(result(), result())) },
  },
  {
    id: 'ANT-037',
    text: 'Another block before the results of tools',
    sure: 'doc',
    source: 'Anthropic, guide to tool use',
    refuses: ({ body }) =>
      someTurn(body, (uses, _results, next) => {
        const other = next.findIndex((block) => !isType('tool_result')(block))
        return uses.length > 0 && other >= 0 && next.slice(other).some(isType('tool_result'))
      }),
    example: { ...ONE_TOOL, ...says(HI, assistant(use()), user(TEXT, result())) },
  },
  {
    id: 'ANT-038',
    text: 'Calls in the history and no tools; newer models accept it',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: ({ body }) =>
      toolsOf(body).length === 0 && ofType(allBlocks(body), 'tool_use').length > 0,
    example: says(HI, assistant(use()), user(result())),
  },
]

/** Thoughts in the history. */
export const ANTHROPIC_THOUGHT_ROWS: readonly RuleRow[] = [
  {
    id: 'ANT-059',
    text: 'Thinking in a message of the user, or with `cache_control`',
    sure: 'issue',
    source: SDK,
    refuses: ({ body }) =>
      messagesOf(body).some((message) =>
        ofType(blocksOf(message), 'thinking', 'redacted_thinking').some(
          (block) => message['role'] === 'user' || isGiven(block['cache_control']),
        ),
      ),
    example: says(user(THOUGHT, TEXT)),
  },
  {
    id: 'ANT-060',
    text: 'A thought without a signature, or with that of another vendor',
    sure: 'issue',
    source: 'anthropics/claude-code#63404, anthropics/claude-code#19539',
    refuses: ({ body }) =>
      ofType(allBlocks(body), 'thinking').some(({ signature }) =>
        OTHERS_SIGNATURE.test(textOf(signature)),
      ),
    example: says(HI, assistant({ ...THOUGHT, signature: '' }, TEXT), HI),
  },
  {
    id: 'ANT-061',
    text: 'Thinking with a budget: the open tool loop does not begin with its thought',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) => {
      const messages = messagesOf(body)
      const last = messages.at(-1)
      const opener = messages.at(-2)
      if (thinkingOf(body) !== 'enabled' || last === undefined || opener === undefined) return false
      const [first] = blocksOf(opener)
      return (
        resultsOf(last).length > 0 &&
        usesOf(opener).length > 0 &&
        !isType('thinking', 'redacted_thinking')(first ?? {})
      )
    },
    example: { ...loop(use()), thinking: { type: 'enabled', budget_tokens: 1024 } },
  },
  {
    id: 'ANT-055',
    text: 'Models that always think (Fable, Mythos, Opus and Sonnet 5.5): thinking disabled',
    sure: 'src',
    source: LITELLM,
    refuses: ({ model, body }) => thinkingOf(body) === 'disabled' && isClaude(model, ALWAYS_THINKS),
    with: { model: 'claude-opus-5-5' },
    example: { thinking: { type: 'disabled' }, tools: [toolOf()] },
  },
]
