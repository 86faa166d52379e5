import { test } from 'vitest'
import {
  assistant,
  call,
  calling,
  callItem,
  chat,
  chatCall,
  contents,
  HI,
  HI_CHAT,
  HI_GEMINI,
  HI_ITEM,
  input,
  MARK,
  messages,
  output,
  parts,
  response,
  result,
  text,
  said,
  thinking,
  system,
  told,
  expectAccepted,
  reportsOf,
  use,
  user,
} from './reports.ts'

/* Second turns through gateways: a call and its result, reasoning, marks for caches. */

const SIGNED = { ...thinking('EqoBCkgIARAB'), ...MARK }

const SEARCH = {
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'web_search',
  input: { query: 'x' },
}
const FOUND = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [{ type: 'web_search_result', url: 'https://a.b', title: 'A', encrypted_content: 'E' }],
}
const ENCRYPTED = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAx' }
const HALF = '\ud83d'
const LOOSE_CALL = input(
  HI_ITEM,
  { ...callItem('call_1'), arguments: { path: 'x' } },
  { ...output('call_1'), output: [{ type: 'output_text', text: 'empty' }] },
)
const STRICT_SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { paths: { type: 'object', additionalProperties: { type: 'string' } } },
  additionalProperties: false,
}

const BLOCKS_IN_CHAT = {
  model: 'm',
  messages: [
    { role: 'user', content: [text('Read the files.')] },
    assistant(text('So.'), use('toolu_1'), use('toolu_2')),
    user(result('toolu_1'), result('toolu_2', [text('Full.')]), text('Go on.')),
  ],
  tools: [
    { name: 'read', description: 'Reads.', input_schema: { type: 'object', properties: {} } },
  ],
  tool_choice: { type: 'auto' },
}

const MESSAGES = reportsOf({ wire: 'messages' }, [
  {
    report: 'anthropics/claude-code#5934: a result that was cut off in the middle of an emoji',
    model: /claude/,
    body: messages(HI, assistant(use('a')), user(result('a', `cut ${HALF}`))),
    says: ['cut \ufffd'],
  },
  {
    report: 'BerriAI/litellm#17737: a web search of the vendor, next to a call of the client',
    isTranslated: true,
    body: messages(
      HI,
      assistant(SEARCH, FOUND, text('Found.'), use('toolu_1')),
      user(result('toolu_1')),
    ),
    says: ['Found.', 'It is empty.'],
  },
  {
    report: 'BerriAI/litellm#39144: a web search that has lost its result',
    body: messages(HI, assistant(SEARCH, text('Found.')), HI),
    says: ['Found.'],
  },
  {
    report: 'QuantumNous/new-api#4577: a call without the reasoning that the vendor wants back',
    model: /^(?:deepseek|mimo|kimi|glm|MiniMax)/,
    isTranslated: true,
    body: {
      ...messages(HI, assistant(use('a')), user(result('a'))),
      thinking: { type: 'enabled', budget_tokens: 1024 },
    },
    says: ['It is empty.'],
  },
])

const CHAT = reportsOf({ wire: 'chat', model: /claude/ }, [
  {
    report: 'QuantumNous/new-api#3040: results of parallel calls, each in a message of its own',
    isTranslated: true,
    body: chat(
      HI_CHAT,
      calling(chatCall('a'), chatCall('b')),
      told('a', 'One.'),
      told('b', 'Two.'),
    ),
    says: ['One.', 'Two.'],
    lacks: ['aborted', 'Result of'],
  },
  {
    report: 'envoyproxy/ai-gateway#2365: a call whose signature the client has not kept',
    isTranslated: true,
    model: /gemini-3/,
    body: chat(HI_CHAT, calling(chatCall('a')), told('a')),
    says: ['"thoughtSignature"', 'It is empty.'],
  },
  {
    report: 'router-for-me/CLIProxyAPI#3587: reasoning under the name of another vendor',
    model: /^(?:deepseek-v4|mimo|kimi-k3)/,
    body: chat(HI_CHAT, { ...calling(chatCall('a')), reasoning: 'Hm.' }, told('a')),
    says: ['"reasoning_content":"Hm."', 'It is empty.'],
    lacks: ['"reasoning":'],
  },
  {
    report: 'danny-avila/LibreChat#13366: lost reasoning of a model that OpenRouter serves',
    model: /^deepseek\//,
    body: chat(HI_CHAT, calling(chatCall('a')), told('a')),
    says: ['"reasoning":" "', 'It is empty.'],
  },
  {
    report:
      'zeroclaw-labs/zeroclaw#3572: the name stands at the call, and not only in its function',
    model: /^mistral-large/,
    body: chat(HI_CHAT, calling({ ...chatCall('abcDEF123'), name: null }), told('abcDEF123')),
    says: ['It is empty.'],
    lacks: ['"name":null'],
  },
  {
    report: 'BerriAI/litellm#24031: the index of a call, kept from a stream',
    model: /^(?:command|llama)/,
    body: chat(HI_CHAT, calling({ ...chatCall('a'), index: 0 }), told('a')),
    says: ['It is empty.'],
    lacks: ['"index"'],
  },
  {
    report: 'vercel/ai#8057: reasoning sent back to a model without it',
    model: /^llama/,
    body: chat(HI_CHAT, { ...calling(chatCall('a')), reasoning: 'Hm.' }, told('a')),
    says: ['It is empty.'],
    lacks: ['Hm.'],
  },
  {
    report: 'Wei-Shaw/sub2api#225: a mark for the cache on a message with reasoning',
    isTranslated: true,
    body: chat(HI_CHAT, { ...said('So.'), thinking_blocks: [SIGNED], ...MARK }, HI_CHAT),
    says: ['So.', 'EqoBCkgIARAB'],
    lacks: ['"EqoBCkgIARAB","cache_control"'],
  },
  {
    report:
      'BerriAI/litellm#38053: a system message in the middle, which must not change the prefix',
    isTranslated: true,
    body: chat(system('Be brief.'), HI_CHAT, said('So.'), system('Be kind.'), HI_CHAT),
    says: ['"system":[{"type":"text","text":"Be brief."}]', 'Be kind.'],
  },
  {
    report: 'elizaOS/eliza#18079: the same in the input of a call, for vendors of other wires',
    model: /claude|gemini|qwen3$/,
    isTranslated: true,
    body: chat(
      HI_CHAT,
      calling({
        ...chatCall('a'),
        function: { name: 'read', arguments: String.raw`{"path":"\ud83d"}` },
      }),
      told('a', `cut ${HALF}`),
    ),
    says: ['"path":"\ufffd"', 'cut \ufffd'],
  },
  {
    report: 'vllm-project/vllm#41114: a message of the system that asks for a summary',
    model: /Qwen/,
    body: chat(system('Be brief.'), HI_CHAT, said('So.'), system('Summarize.'), HI_CHAT),
    says: ['{"role":"system","content":"Be brief."}', '{"role":"user","content":"Summarize."}'],
  },
  {
    report: 'tashfeenahmed/freellmapi, cohere.ts: schemas of tools as opencode writes them',
    model: /command/,
    body: {
      ...chat(HI_CHAT, calling(chatCall('a')), told('a')),
      tools: [{ type: 'function', function: { name: 'read', parameters: STRICT_SCHEMA } }],
    },
    says: ['"parameters":{"type":"object","properties":{"paths":{"type":"object"}}}'],
  },
  {
    report: 'davidmigloz/ai_clients_dart#26: a client that asks for one choice',
    model: /command/,
    body: { ...chat(HI_CHAT, said('So.'), HI_CHAT), n: 1, store: false },
    says: ['So.'],
    lacks: ['"n":'],
  },
  {
    report: 'BerriAI/litellm#25669: calls and results in the form of Messages',
    model: /./,
    body: BLOCKS_IN_CHAT,
    says: ['"tool_calls":[{', '"role":"tool"', 'It is empty.', 'Full.', 'Go on.'],
    lacks: ['tool_use', 'input_schema'],
  },
  {
    report: 'lbjlaq/Antigravity-Manager#506: the same from Cursor to vendors of other wires',
    model: /./,
    isTranslated: true,
    body: BLOCKS_IN_CHAT,
    says: ['So.', 'Reads.', 'It is empty.', 'Full.', 'Go on.'],
  },
])

const RESPONSES = reportsOf({ wire: 'responses' }, [
  {
    report: 'looplj/axonhub#2220: reasoning between parallel calls of Codex',
    isTranslated: true,
    model: /deepseek-v4|gpt-4.1|kimi|mistral|claude/,
    body: input(
      HI_ITEM,
      callItem('call_1'),
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      callItem('call_2'),
      output('call_2'),
      assistant({ type: 'output_text', text: 'So.' }),
      output('call_1'),
      HI_ITEM,
    ),
    says: ['So.', 'empty'],
    lacks: ['aborted'],
  },
  {
    report: 'ai-dynamo/dynamo#10206: instructions, and messages of the developer',
    model: /Qwen|mistral/,
    isTranslated: true,
    body: {
      ...input(
        { role: 'developer', content: 'Be kind.' },
        HI_ITEM,
        callItem('call_1'),
        output('call_1'),
        { role: 'developer', content: 'Go on.' },
      ),
      instructions: 'Be brief.',
    },
    says: ['Be brief.', 'Be kind.', 'Go on.'],
  },
  {
    report: 'router-for-me/CLIProxyAPI#4959: reasoning that another gateway has encrypted',
    model: /gemini|claude|deepseek|kimi/,
    isTranslated: true,
    body: input(HI_ITEM, ENCRYPTED, callItem('call_1'), output('call_1')),
    says: ['empty'],
    lacks: ['gAAAAx'],
  },
  {
    report: 'openai/codex#25290: a compaction of the provider that the session has left',
    isTranslated: true,
    body: input(
      HI_ITEM,
      { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAx' },
      { type: 'context_compaction', encrypted_content: 'gAAAAx' },
      { role: 'user', content: 'Go on.' },
    ),
    says: ['Go on.'],
    lacks: ['gAAAAx'],
  },
  {
    report: 'Wei-Shaw/sub2api#2913: arguments as an object, and an output of several texts',
    isTranslated: true,
    body: LOOSE_CALL,
    says: ['path', 'empty'],
  },
  {
    report: 'Wei-Shaw/sub2api#2913: the same to Responses',
    body: LOOSE_CALL,
    says: [String.raw`"{\"path\":\"x\"}"`, '"input_text","text":"empty"'],
  },
])

const GEMINI = reportsOf({ wire: 'gemini' }, [
  {
    report: 'BerriAI/litellm#26755: a shortened history that begins with a response',
    body: contents(
      parts('user', response('read')),
      parts('model', { text: 'Hm.', thought: true }, call('read')),
      parts('user', response('read')),
    ),
    says: ['empty'],
  },
  {
    report: 'google-gemini/gemini-cli#26956: a response without a call, behind another response',
    body: contents(
      HI_GEMINI,
      parts('model', call('read')),
      parts('user', response('read')),
      parts('user', response('write')),
      parts('model', { text: 'So.' }),
      HI_GEMINI,
    ),
    says: ['So.', 'write'],
  },
  {
    report: 'pipecat-ai/pipecat#3420: each of parallel calls in a content of its own',
    body: contents(
      HI_GEMINI,
      parts('model', { text: 'So.' }),
      parts('model', { ...call('read'), thoughtSignature: 'c2ln' }),
      parts('model', call('write')),
      parts('user', response('read')),
      parts('user', response('write')),
    ),
    says: ['So.', 'c2ln', 'write'],
  },
])

test.each([...MESSAGES, ...CHAT, ...RESPONSES, ...GEMINI])('$report', expectAccepted)
