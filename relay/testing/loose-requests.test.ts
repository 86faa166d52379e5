import { test } from 'vitest'
import {
  assistant,
  call,
  callItem,
  calling,
  chatCall,
  DATA_URL,
  PICTURE,
  said,
  thinking,
  chat,
  contents,
  expectAccepted,
  HI,
  HI_CHAT,
  HI_GEMINI,
  HI_ITEM,
  IMAGE,
  input,
  messages,
  output,
  parts,
  PNG,
  type Report,
  reportsOf,
  response,
  result,
  text,
  told,
  toEveryWire,
  use,
  user,
} from './reports.ts'

/* Requests whose agents write them loosely. Vendors refuse most of them in their own form. */

const ANSWERED = [HI, assistant(use('toolu_1'))]
const TEXT_FILE = { filename: 'a.txt', file_data: 'data:text/plain;base64,U2V2ZW4u' }
const HINTS = { n: 1, seed: 7, presence_penalty: 0, frequency_penalty: 0, logit_bias: {} }
const PARAMETERS = { type: 'object', properties: { path: { type: 'string' } } }
const NESTED = { type: 'function', function: { name: 'read', parameters: PARAMETERS } }
const SCHEMA = { type: 'object', properties: { verdict: { type: 'string' } } }
const CLOSED = { ...SCHEMA, required: ['verdict'], additionalProperties: false }
/** They take a schema, and a tool by force. */
const FLEXIBLE = /^(?:gpt-4|claude-sonnet|gemini-2)/
const SEEING = /^(?:gpt|claude|gemini)-/

const MESSAGES = reportsOf({ wire: 'messages' }, [
  {
    report: 'SWE-agent/mini-swe-agent#704: answers without content',
    body: messages(HI, { role: 'assistant', content: null }, { role: 'assistant' }, HI),
  },
  {
    report: 'a block, and texts, in place of a list of blocks',
    body: {
      ...messages(user('One.', null, 'Two.'), { role: 'user', content: text('Three.') }),
      system: ['Be brief.', 'Be kind.'],
    },
    says: ['One.', 'Two.', 'Three.', 'Be brief.', 'Be kind.'],
  },
  ...[
    null,
    42,
    ['It', 'is empty.'],
    { lines: 7 },
    { type: 'file', name: '7.txt' },
    text('Seven.'),
  ].map((content) => ({
    report: `the result ${JSON.stringify(content)} of a tool`,
    body: messages(...ANSWERED, user(result('toolu_1', content))),
    says: [/\d|is empty|lines|Seven/.exec(JSON.stringify(content))?.[0] ?? 'toolu_1'],
    lacks: ['aborted'],
  })),
  {
    report: 'anthropics/claude-code#14199, winfunc/opcode#351: two tools of one name',
    body: {
      ...messages(HI),
      tools: [
        { name: 'read', input_schema: PARAMETERS },
        { name: 'read', description: 'Reads.', input_schema: PARAMETERS },
      ],
    },
    says: ['Reads.'],
  },
  ...[
    { type: 'function', function: { name: 'find', parameters: {} } },
    { type: 'function', name: 'find', input_schema: PARAMETERS },
    { ...NESTED, input_schema: PARAMETERS, function: { name: 'find' } },
  ].map((tool) => ({
    report: `the tool ${JSON.stringify(tool)}`,
    body: { ...messages(HI), tools: [tool] },
    says: ['"find"'],
  })),
  {
    report: 'no parallel calls where none are allowed',
    body: { ...messages(HI), tool_choice: 'none', parallel_tool_calls: false },
    lacks: ['disable_parallel'],
  },
  {
    report: 'the choice of a custom tool',
    model: FLEXIBLE,
    body: { ...messages(HI), tool_choice: { type: 'custom', custom: { name: 'read' } } },
    says: ['"read"'],
  },
  {
    report: 'reasoning of chat completions in an answer of text',
    body: messages(HI, { ...said('Sure.'), reasoning_content: 'Hm.' }, HI),
    says: ['Sure.'],
  },
  {
    report: 'a text as a file',
    body: messages(user({ type: 'file', file: TEXT_FILE })),
    says: ['Seven.'],
  },
  {
    report: 'karthink/gptel-quick#13: a choice without tools',
    body: { ...messages(HI), tools: [], tool_choice: { type: 'none' } },
    lacks: ['tool_choice'],
  },
])

const CHAT = reportsOf({ wire: 'chat' }, [
  {
    report: 'a part, and texts, in place of a list of parts',
    body: chat({ role: 'user', content: text('One.') }, { role: 'user', content: ['Two.'] }),
    says: ['One.', 'Two.'],
  },
  {
    report: 'absent members, arguments and results that are null',
    body: {
      ...chat(
        HI_CHAT,
        calling({ ...chatCall('a'), function: { name: 'read', arguments: null } }),
        told('a', null),
      ),
      tools: [{ type: 'function', function: { ...NESTED.function, description: null } }],
      max_tokens: null,
      tool_choice: null,
      response_format: null,
      stop: null,
    },
    says: ['Read the files.', '"read"'],
  },
  ...[42, { lines: 42 }].map((content) => ({
    report: `the result ${JSON.stringify(content)} in a block of Messages`,
    body: chat(HI_CHAT, calling(chatCall('a')), user(result('a', content))),
    says: ['42'],
  })),
  {
    report: 'the result of a tool that has a type',
    body: chat(HI_CHAT, calling(chatCall('a')), told('a', { type: 'file', name: 'a.txt' })),
    says: ['a.txt'],
  },
  {
    report: 'a tool with an empty schema',
    body: {
      ...chat(HI_CHAT),
      tools: [{ type: 'function', function: { name: 'read', parameters: {} } }],
    },
    says: ['"read"'],
  },
  ...[{ type: 'auto' }, { type: 'none' }].map((tool_choice) => ({
    report: `BerriAI/litellm#32505: the choice ${tool_choice.type} of Messages`,
    body: { ...chat(HI_CHAT), tools: [NESTED], tool_choice },
  })),
  ...[
    'any',
    { type: 'any' },
    { type: 'tool', name: 'read' },
    { type: 'function', name: 'read' },
  ].map((tool_choice) => ({
    report: `openclaw/openclaw#88558: the choice ${JSON.stringify(tool_choice)}`,
    model: FLEXIBLE,
    body: { ...chat(HI_CHAT), tools: [NESTED], tool_choice },
    says: ['"read"'],
  })),
  {
    report: 'writer/writer-framework#1013: a choice without tools',
    body: { ...chat(HI_CHAT), tool_choice: 'auto', parallel_tool_calls: true },
    lacks: ['tool_choice', 'parallel'],
  },
  {
    report: 'a schema in the form of Responses',
    model: FLEXIBLE,
    body: {
      ...chat(HI_CHAT),
      response_format: { type: 'json_schema', name: 'x', schema: CLOSED, strict: true },
    },
    says: ['verdict'],
  },
])

const RESPONSES = reportsOf({ wire: 'responses' }, [
  {
    report: 'texts and parts in place of items',
    model: SEEING,
    body: input(
      'One.',
      { type: 'input_text', text: 'Two.' },
      { type: 'input_image', image_url: DATA_URL },
    ),
    says: ['One.', 'Two.', PNG],
  },
  {
    report: 'an item in place of a list',
    body: { ...input(), input: HI_ITEM },
  },
  {
    report: 'values as results, and questions without content',
    body: input(
      HI_ITEM,
      callItem('call_1'),
      { ...output('call_1'), output: 42 },
      { role: 'user', content: null },
      HI_ITEM,
    ),
    says: ['42'],
    lacks: ['aborted'],
  },
  {
    report: 'ids that other APIs have given',
    body: input(
      { id: 'abc', ...user(text('Go.')) },
      { id: 'chatcmpl-1', ...assistant(text('Sure.')) },
      HI_ITEM,
    ),
    says: ['Go.', 'Sure.'],
  },
  {
    report: 'lobehub/lobehub#8163: hints of chat completions',
    body: { ...input(HI_ITEM), ...HINTS, stream: true, stream_options: { include_usage: true } },
  },
])

const GEMINI = reportsOf({ wire: 'gemini' }, [
  {
    report: 'the roles of other APIs, and a call whose arguments are null',
    body: contents(
      parts('system', { text: 'Be brief.' }),
      HI_GEMINI,
      parts('assistant', { functionCall: { name: 'read', args: null } }),
      parts('tool', response('read')),
      parts('assistant', call('write')),
      parts('function', response('write')),
    ),
    says: ['Be brief.', 'empty', 'write'],
    lacks: ['aborted'],
  },
])

const LOOSE = [...MESSAGES, ...CHAT, ...RESPONSES, ...GEMINI]

test.each(toEveryWire(LOOSE))('$report, to vendors of other wires: $isTranslated', expectAccepted)

const TRANSLATED: readonly Report[] = [
  {
    report: 'the schema of an object, as Together and llama.cpp have it',
    wire: 'chat',
    model: FLEXIBLE,
    body: { ...chat(HI_CHAT), response_format: { type: 'json_object', schema: CLOSED } },
    says: ['verdict'],
  },
  {
    report: 'what Claude has summarized',
    wire: 'messages',
    body: messages(
      HI,
      assistant({ type: 'compaction', content: 'They were read.' }, text('Next?')),
      user(text('Yes.')),
    ),
    says: ['They were read.', 'Next?'],
  },
  {
    report: 'thinking that Claude has signed, in an item',
    wire: 'responses',
    model: /claude-sonnet/,
    body: input(
      HI_ITEM,
      assistant(thinking('EqoBCkgIARAB'), { type: 'output_text', text: 'Sure.' }, use('toolu_1')),
      user(result('toolu_1')),
    ),
    says: ['Hm.', 'EqoBCkgIARAB', 'Sure.', 'It is empty.'],
  },
  {
    report: 'members of Responses next to messages',
    wire: 'chat',
    model: FLEXIBLE,
    body: {
      ...chat(HI_CHAT),
      instructions: 'Be brief.',
      max_output_tokens: 4321,
      max_tokens: null,
      response_format: null,
      text: { format: { type: 'json_schema', name: 'x', schema: CLOSED } },
    },
    says: ['Be brief.', '4321', 'verdict'],
  },
  {
    report: 'an image in an instruction',
    wire: 'chat',
    model: SEEING,
    body: chat({ role: 'system', content: [text('Be brief.'), PICTURE] }, HI_CHAT),
    says: ['Be brief.', PNG],
  },
]

test.each(TRANSLATED)('$report reaches vendors of other wires', (report) => {
  expectAccepted({ ...report, isTranslated: true })
})

test('items keep their ids and phases when their parts take the form of Responses', () => {
  expectAccepted({
    report: 'parts of chat completions in an item',
    wire: 'responses',
    model: /^gpt-5/,
    body: input(
      HI_ITEM,
      { id: 'msg_1', status: 'completed', phase: 'commentary', ...assistant(text('Sure.')) },
      user(text('Next.'), IMAGE),
    ),
    says: ['msg_1', 'completed', 'commentary', 'output_text', PNG],
  })
})
