import { isRecord, type JsonRecord, listOf, member, textOf } from '../../src/bytes/json-value.ts'
import {
  ALWAYS_THINKS,
  isClaude,
  isThinking,
  messagesOf,
  ONE_TOOL,
  ownTools,
  REFUSES_BUDGETS,
  REFUSES_FORCED,
  says,
  SAMPLES_BY_ITSELF,
  since,
  TAKES_EFFORT,
  TAKES_XHIGH,
  TEXT,
  thinkingOf,
  user,
  assistant,
  HI,
  allBlocks,
  ofType,
} from './anthropic-requests.ts'
import { anthropicMessage } from './anthropic-schema.ts'
import { areGiven, isGiven, isOutside } from './chat-requests.ts'
import {
  hasUnknownMember,
  hasWrongType,
  type RuleRow,
  type VendorRequest,
} from './strict-vendor.ts'

/* Anthropic's rules for settings: the frame, sampling, thinking and effort. */

const SDK = 'anthropics/anthropic-sdk-python 2.14'
const CLAUDE_CODE = 'Claude Code 2.1.197, bundled reference'
const LITELLM = 'BerriAI/litellm 1.110'
const VERSIONING = 'platform.claude.com, versioning of the API, 2026-10-21'
const NEWEST = '2026-10-21'
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max']
const SAMPLING = ['temperature', 'top_p', 'top_k']

/** Members that need a beta, and the beginning of its name. */
const BETAS: Readonly<Record<string, string>> = {
  context_management: 'context-management-',
  mcp_servers: 'mcp-client-',
  output_format: 'structured-outputs-',
  fallbacks: 'server-side-fallback-',
}

/** The most output tokens, by model; the first match counts. */
const OUTPUT_MOST: readonly (readonly [RegExp, number])[] = [
  [/claude-3-(?:opus|sonnet|haiku)/, 4096],
  [/claude-3-5/, 8192],
  [/opus-4-(?:1|0|2\d{7})|opus-4$/, 32_000],
  [/claude-3-7|(?:sonnet|opus|haiku)-4(?:-5|-2\d{7})?(?!-\d\b)/, 64_000],
  [/claude/, 128_000],
]

const versionOf = ({ headers }: VendorRequest) => headers['anthropic-version'] ?? ''
const effortOf = (body: JsonRecord) => member(body['output_config'], 'effort')
const isForced = (body: JsonRecord) =>
  ['any', 'tool'].includes(textOf(member(body['tool_choice'], 'type')))
const budgetOf = (body: JsonRecord) => member(body['thinking'], 'budget_tokens')
const NEW_HEADERS = { 'x-api-key': 'sk-ant-1', 'anthropic-version': NEWEST }
const BUDGET = { thinking: { type: 'enabled', budget_tokens: 1024 } }

export const ANTHROPIC_FRAME_ROWS: readonly RuleRow[] = [
  {
    id: 'ANT-001',
    text: 'No header `anthropic-version`',
    sure: 'doc',
    source: 'Anthropic, versions',
    refuses: (request) => versionOf(request) === '',
    with: { headers: {} },
  },
  {
    id: 'ANT-004',
    text: 'An unknown member, at the top or within blocks, sources and tools',
    sure: 'issue',
    source: `${CLAUDE_CODE}; ttlequals0/MinusPod 2.101.10`,
    refuses: ({ body }) => hasUnknownMember(anthropicMessage, body),
    example: { user: 'customer-7' },
  },
  {
    id: 'ANT-005',
    text: 'A member that needs a beta, without its header',
    sure: 'src',
    source: SDK,
    refuses: ({ body, headers }) =>
      Object.entries(BETAS).some(
        ([name, beta]) => isGiven(body[name]) && !(headers['anthropic-beta'] ?? '').includes(beta),
      ),
    example: { context_management: { edits: [] } },
  },
  {
    id: 'ANT-120',
    text: `Version ${NEWEST}: temperature, \`top_p\` or \`top_k\``,
    sure: 'doc',
    source: VERSIONING,
    refuses: (request) => versionOf(request) >= NEWEST && areGiven(request.body, ...SAMPLING),
    with: { headers: NEW_HEADERS },
    example: { temperature: 1 },
  },
  {
    id: 'ANT-121',
    text: `Version ${NEWEST}: a document in a message of the assistant`,
    sure: 'doc',
    source: VERSIONING,
    refuses: (request) =>
      versionOf(request) >= NEWEST &&
      messagesOf(request.body).some(
        (message) =>
          message['role'] === 'assistant' &&
          ofType(listOf(message['content']).filter(isRecord), 'document').length > 0,
      ),
    with: { headers: NEW_HEADERS },
    example: says(
      HI,
      assistant({ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }),
      HI,
    ),
  },
  {
    id: 'ANT-122',
    text: `Version ${NEWEST}: citations in a text of the user`,
    sure: 'doc',
    source: VERSIONING,
    refuses: (request) =>
      versionOf(request) >= NEWEST &&
      messagesOf(request.body).some(
        (message) =>
          message['role'] === 'user' &&
          listOf(message['content']).some((block) => listOf(member(block, 'citations')).length > 0),
      ),
    with: { headers: NEW_HEADERS },
    example: says(user({ ...TEXT, citations: [{ type: 'char_location' }] })),
  },
]

export const ANTHROPIC_SETTING_ROWS: readonly RuleRow[] = [
  {
    id: 'ANT-007',
    text: 'A member of a wrong type or that is absent, such as `max_tokens`',
    sure: 'src',
    source: SDK,
    refuses: ({ body }) => hasWrongType(anthropicMessage, body),
    example: { max_tokens: undefined },
  },
  {
    id: 'ANT-008',
    text: '`max_tokens` above the most that the model writes',
    sure: 'issue',
    source: `${LITELLM}, map of models`,
    refuses: ({ model, body }) => {
      const most = OUTPUT_MOST.find(([family]) => family.test(model))?.[1] ?? Infinity
      return Number(body['max_tokens']) > most
    },
    example: { max_tokens: 200_000 },
  },
  {
    id: 'ANT-011',
    text: '`metadata.user_id` with more than 256 characters, or with an e-mail address',
    sure: 'doc',
    source: 'vercel/ai#12419, BerriAI/litellm#10102',
    refuses: ({ body }) => {
      const user_id = textOf(member(body['metadata'], 'user_id'))
      return user_id.length > 256 || /\S@\S+\.\w/.test(user_id)
    },
    example: { metadata: { user_id: 'u'.repeat(257) } },
  },
  {
    id: 'ANT-012',
    text: 'A temperature outside 0 to 1',
    sure: 'src',
    source: CLAUDE_CODE,
    refuses: ({ body }) => isOutside(body['temperature'], 0, 1),
    example: { temperature: 1.5 },
  },
  {
    id: 'ANT-013',
    text: 'Claude 4.1, 4.5 and later: temperature together with `top_p`',
    sure: 'issue',
    source: `${LITELLM}; 1rgs/claude-code-proxy`,
    refuses: ({ model, body }) =>
      isGiven(body['temperature']) &&
      isGiven(body['top_p']) &&
      isClaude(model, ({ version }) => version >= 4.1),
    example: { temperature: 0.5, top_p: 0.5 },
  },
  {
    id: 'ANT-014',
    text: 'A stop sequence that is empty or of whitespace',
    sure: 'doc',
    source: 'Anthropic, reference of Messages',
    refuses: ({ body }) =>
      listOf(body['stop_sequences']).some((sequence) => textOf(sequence).trim() === ''),
    example: { stop_sequences: [' '] },
  },
  {
    id: 'ANT-123',
    text: 'Opus 4.7, Sonnet 5 and later: temperature other than 1, `top_k`, `top_p` below 0.99',
    sure: 'src',
    source: CLAUDE_CODE,
    refuses: ({ model, body }) =>
      isClaude(model, SAMPLES_BY_ITSELF) &&
      ((isGiven(body['temperature']) && body['temperature'] !== 1) ||
        isGiven(body['top_k']) ||
        isOutside(body['top_p'], 0.99, 1)),
    with: { model: 'claude-opus-4-8' },
    example: { temperature: 0.5 },
  },
  {
    id: 'ANT-016',
    text: 'The speed fast at other models than Opus 4.6, 4.8, 5 and 5.5',
    sure: 'src',
    source: LITELLM,
    refuses: ({ model, body }) =>
      body['speed'] === 'fast' && !/opus-(?:4-6|4-8|5|5-5)(?:-2\d{7})?$/.test(model),
    example: { speed: 'fast' },
  },
  {
    id: 'ANT-058',
    text: 'Claude before 3.7: `thinking`',
    sure: 'doc',
    source: 'Anthropic, guide to extended thinking',
    refuses: ({ model, body }) =>
      isThinking(body) && isClaude(model, ({ version }) => version < 3.7),
    with: { model: 'claude-3-5-haiku-20241022' },
    example: BUDGET,
  },
  {
    id: 'ANT-054',
    text: 'Opus 4.7, Sonnet 5 and later: thinking with a budget',
    sure: 'src',
    source: CLAUDE_CODE,
    refuses: ({ model, body }) =>
      thinkingOf(body) === 'enabled' && isClaude(model, REFUSES_BUDGETS),
    with: { model: 'claude-opus-4-7' },
    example: BUDGET,
  },
  {
    id: 'ANT-057',
    text: 'Claude 4.5 and older: adaptive thinking',
    sure: 'src',
    source: LITELLM,
    refuses: ({ model, body }) =>
      thinkingOf(body) === 'adaptive' && isClaude(model, ({ version }) => version <= 4.5),
    example: { thinking: { type: 'adaptive' } },
  },
  {
    id: 'ANT-056',
    text: 'Opus 5: thinking disabled with the effort xhigh or max',
    sure: 'doc',
    source: 'Anthropic, guide to effort',
    refuses: ({ model, body }) =>
      /opus-5(?!-\d\b)/.test(model) &&
      thinkingOf(body) === 'disabled' &&
      ['xhigh', 'max'].includes(textOf(effortOf(body))),
    with: { model: 'claude-opus-5' },
    example: { thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
  },
  {
    id: 'ANT-050',
    text: 'A budget below 1024, or not below `max_tokens`',
    sure: 'src',
    source: SDK,
    refuses: ({ body, headers }) =>
      thinkingOf(body) === 'enabled' &&
      (!(Number(budgetOf(body)) >= 1024) ||
        (Number(budgetOf(body)) >= Number(body['max_tokens']) &&
          !(headers['anthropic-beta'] ?? '').includes('interleaved-thinking'))),
    example: { thinking: { type: 'enabled', budget_tokens: 500 } },
  },
  {
    id: 'ANT-051',
    text: 'Thinking with a budget: temperature other than 1, `top_k`, or `top_p` below 0.95',
    sure: 'doc',
    source: 'Anthropic, guide to extended thinking',
    refuses: ({ body }) =>
      thinkingOf(body) === 'enabled' &&
      ((isGiven(body['temperature']) && body['temperature'] !== 1) ||
        isGiven(body['top_k']) ||
        isOutside(body['top_p'], 0.95, 1)),
    example: { ...BUDGET, temperature: 0.5 },
  },
  {
    id: 'ANT-052',
    text: 'Thinking together with a forced tool',
    sure: 'issue',
    source: 'can1357/oh-my-pi#341, mastra-ai/mastra#7507',
    refuses: ({ model, body }) =>
      isThinking(body) && isForced(body) && !isClaude(model, ALWAYS_THINKS),
    example: { ...ONE_TOOL, ...BUDGET, tool_choice: { type: 'any' } },
  },
  {
    id: 'ANT-053',
    text: 'Fable 5.1, Opus 5.5, Sonnet 5.5, Mythos 5.1: a forced tool',
    sure: 'src',
    source: LITELLM,
    refuses: ({ model, body }) => isForced(body) && isClaude(model, REFUSES_FORCED),
    with: { model: 'claude-opus-5-5' },
    example: { ...ONE_TOOL, tool_choice: { type: 'any' } },
  },
  {
    id: 'ANT-063',
    text: 'Models with budgets: thoughts in the history while thinking is off',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: ({ model, body }) =>
      !isThinking(body) &&
      ofType(allBlocks(body), 'thinking').length > 0 &&
      isClaude(model, ({ version }) => version < 4.5),
    with: { model: 'claude-sonnet-4-20250514' },
    example: says(
      HI,
      assistant({ type: 'thinking', thinking: 'Hm.', signature: 'EpQB' }, TEXT),
      HI,
    ),
  },
  {
    id: 'ANT-070',
    text: 'Haiku 4.5, Sonnet 4.5 and older: `output_config.effort`',
    sure: 'issue',
    source: 'Oaklight/llm-rosetta#289, anthropics/claude-code#30760',
    refuses: ({ model, body }) =>
      isGiven(effortOf(body)) && isClaude(model, (claude) => !TAKES_EFFORT(claude)),
    example: { output_config: { effort: 'low' } },
  },
  {
    id: 'ANT-071',
    text: 'An effort other than low, medium, high, xhigh and max',
    sure: 'src',
    source: SDK,
    refuses: ({ body }) => isGiven(effortOf(body)) && !EFFORTS.includes(textOf(effortOf(body))),
    with: { model: 'claude-opus-4-8' },
    example: { output_config: { effort: 'minimal' } },
  },
  {
    id: 'ANT-072',
    text: 'Models without them: the efforts max and xhigh',
    sure: 'src',
    source: LITELLM,
    refuses: ({ model, body }) =>
      (effortOf(body) === 'max' &&
        isClaude(model, (claude) => !since({ any: 4.6, opus: 4.6 })(claude))) ||
      (effortOf(body) === 'xhigh' && isClaude(model, (claude) => !TAKES_XHIGH(claude))),
    with: { model: 'claude-opus-4-6' },
    example: { output_config: { effort: 'xhigh' } },
  },
  {
    id: 'ANT-074',
    text: 'Claude before 4.1: `output_config.format`',
    sure: 'src',
    source: `${CLAUDE_CODE}; ${LITELLM}`,
    refuses: ({ model, body }) =>
      isGiven(member(body['output_config'], 'format')) &&
      isClaude(model, ({ version }) => version < 4.1),
    with: { model: 'claude-sonnet-4-20250514' },
    example: { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
  },
  {
    id: 'ANT-087',
    text: '`tool_choice` without tools, or with the name of another tool',
    sure: 'issue',
    source: SDK,
    refuses: ({ body }) => {
      const choice = body['tool_choice']
      const names = listOf(body['tools']).map((tool) => member(tool, 'name'))
      if (!isRecord(choice)) return false
      const isNone = names.length + listOf(body['mcp_servers']).length === 0
      return isNone || (choice['type'] === 'tool' && !names.includes(choice['name']))
    },
    example: { tool_choice: { type: 'auto' } },
  },
  {
    id: 'ANT-088',
    text: 'All tools have `defer_loading`',
    sure: 'src',
    source: CLAUDE_CODE,
    refuses: ({ body }) => {
      const all = listOf(body['tools'])
      return (
        all.length > 0 &&
        ownTools(body).filter((tool) => tool['defer_loading'] === true).length === all.length
      )
    },
    example: { tools: [{ ...ONE_TOOL.tools[0], defer_loading: true }] },
  },
]
