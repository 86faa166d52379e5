import { expect, test } from 'vitest'
import { isRecord, type JsonRecord, listOf, member, parseJson } from '../src/bytes/json-value.ts'
import { relayStream } from './relay-stream.ts'
import {
  assistant,
  call,
  calling,
  callItem,
  chat,
  chatCall,
  contents,
  expectAccepted,
  HI,
  HI_CHAT,
  HI_GEMINI,
  HI_ITEM,
  input,
  messages,
  output,
  parts,
  reportsOf,
  response,
  text,
  told,
} from './reports.ts'
import { CLIENTS } from './vendors/sent-requests.ts'

/* Tools, choices and results that the vendor refuses in the client's form. */

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } }
const LONG = 'mcp__some_very_long_server_name__some_even_longer_tool_name_of_that_server'
const named = (name: string) => ({ type: 'function', function: { name, parameters: SCHEMA } })
const BUILT_IN = ['local_shell', 'shell', 'apply_patch'] as const
const SHELLS = { tools: BUILT_IN.map((type) => ({ type })) }

const RESPONSES = reportsOf({ wire: 'responses', model: /^gpt/ }, [
  {
    report: 'diegosouzapw/OmniRoute#3534: tools that OpenAI defines, and their calls',
    model: /./,
    isTranslated: true,
    body: {
      ...SHELLS,
      ...input(
        HI_ITEM,
        { type: 'local_shell_call', call_id: 'a', action: { type: 'exec', command: ['ls'] } },
        { type: 'local_shell_call_output', call_id: 'a', output: 'One.' },
        { type: 'shell_call', call_id: 'b', action: { commands: ['ls'] } },
        { type: 'shell_call_output', call_id: 'b', output: [{ stdout: 'Two.', stderr: '' }] },
        { type: 'apply_patch_call', call_id: 'c', operation: { type: 'delete_file', path: 'x' } },
        { type: 'apply_patch_call_output', call_id: 'c', status: 'completed', output: 'Three.' },
      ),
    },
    says: ['V4A', 'One.', 'Two.', 'Three.', 'delete_file'],
  },
  {
    report: 'a choice of a tool that OpenAI defines',
    model: /^(?:gpt-4|claude-sonnet|gemini-2)/,
    isTranslated: true,
    body: { ...SHELLS, ...input(HI_ITEM), tool_choice: { type: 'shell' } },
    says: ['commands'],
  },
  ...[{ lines: 7 }, null, ['It', { lines: 7 }]].map((value) => ({
    report: `the result ${JSON.stringify(value)} of a tool`,
    body: input(HI_ITEM, callItem('call_1'), { ...output('call_1'), output: value }, HI_ITEM),
    says: value === null ? ['"output":""'] : ['input_text', 'lines'],
  })),
  {
    report: 'openai/codex#7073: a search whose action Codex does not know',
    body: input(
      HI_ITEM,
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'other' } },
      { type: 'web_search_call', id: 'ws_2', action: { type: 'search', query: 'weather' } },
      HI_ITEM,
    ),
    says: ['weather'],
    lacks: ['other'],
  },
])

const CHAT = reportsOf({ wire: 'chat', model: /^gpt/ }, [
  ...[LONG, 'files.read'].flatMap((name) => {
    const body = { ...chat(HI_CHAT), tools: [named(name)] }
    const called = [HI_CHAT, calling(chatCall('call_1', name)), told('call_1'), HI_CHAT]
    const choice = { type: 'function', function: { name } }
    const allowed_tools = { mode: 'auto', tools: [choice] }
    const renamed = { says: ['path'], lacks: [name] }
    return [
      {
        report: `the name ${name}, which vendors of chat completions refuse`,
        model: /^(?:gpt|kimi)/,
        body: { ...body, messages: called },
        ...renamed,
      },
      {
        report: `the name ${name} as a choice`,
        body: { ...body, tool_choice: choice },
        ...renamed,
      },
      {
        report: `the name ${name} among allowed ones`,
        body: { ...body, tool_choice: { type: 'allowed_tools', allowed_tools } },
        ...renamed,
      },
    ]
  }),
  {
    report: 'a schema next to the type of an object',
    body: { ...chat(HI_CHAT), response_format: { type: 'json_object', schema: SCHEMA } },
    says: ['"json_schema"', 'path'],
  },
])

const MESSAGES = reportsOf({ wire: 'messages', model: /^claude-sonnet/ }, [
  ...[
    { name: 'read', input_schema: { properties: SCHEMA.properties } },
    { name: 'read', inputSchema: SCHEMA },
    { name: 'read', type: 'custom', parameters: SCHEMA },
    { name: 'read', input_schema: { ...SCHEMA, type: null } },
    { type: 'function', name: 'read', description: null, parameters: SCHEMA, strict: null },
    { type: 'function', function: { name: 'read', parameters: SCHEMA }, display: 'Read' },
    { name: 'read', description: null, strict: null, parameters: SCHEMA },
  ].map((tool) => ({
    report: `the tool ${JSON.stringify(tool)}`,
    model: /^claude/,
    body: { ...messages(HI), tools: [tool] },
    says: ['"path"'],
  })),
  {
    report: 'functions of chat completions',
    body: {
      ...messages(HI),
      functions: [{ name: 'find', parameters: SCHEMA }],
      function_call: { name: 'find' },
    },
    says: ['"path"', '{"type":"tool","name":"find"}'],
    lacks: ['function'],
  },
  {
    report: 'allowed tools of chat completions',
    body: {
      ...messages(HI),
      tools: [...listOf(messages()['tools']), { name: 'find', input_schema: SCHEMA }],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'required',
          tools: [{ type: 'function', function: { name: 'find' } }],
        },
      },
    },
    says: ['"find"', '{"type":"any"}'],
    lacks: ['"read"'],
  },
  {
    report: 'GCWing/OpenBitFun#825: space at the end of a beginning',
    model: /^claude-sonnet-4-5/,
    body: messages(HI, assistant(text(`It is${'.'.repeat(600)}\n`))),
    says: ['..."}]}]'],
  },
  ...['It is ', [text('It is')]].map((content) => ({
    report: 'anthropics/claude-code#52433, anomalyco/opencode#13768: newer Claudes continue none',
    model: /^claude-opus-4-8/,
    body: messages(HI, { role: 'assistant', content }),
    says: ['Continue.'],
  })),
])

const TRANSLATED = { wire: 'gemini', model: /^(?:gpt|claude)/, isTranslated: true } as const

const GEMINI = reportsOf(TRANSLATED, [
  {
    report: 'a single item in place of a list, and an instruction as a text',
    body: {
      contents: { parts: { text: 'Read the files.' } },
      systemInstruction: 'Be brief.',
      tools: { functionDeclarations: { name: 'read', parameters: SCHEMA } },
    },
    says: ['Be brief.', 'Read the files.', '"path"'],
  },
  {
    report: 'a single part of a call and of its result',
    body: contents(
      HI_GEMINI,
      { role: 'model', parts: call('read') },
      { role: 'user', parts: response('read') },
      parts('user', { text: 'Sure?' }),
    ),
    says: ['"read"', 'empty', 'Sure?'],
  },
])

test.each([...RESPONSES, ...CHAT, ...MESSAGES, ...GEMINI])('$report', expectAccepted)

const chunks = (name: string, args: JsonRecord) => {
  const piece = { index: 0, id: 'call_1', function: { name, arguments: JSON.stringify(args) } }
  const events = [
    { choices: [{ index: 0, delta: { tool_calls: [piece] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ]
  return events.map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`))
}

test.each([
  ['local_shell', { command: ['ls'] }, { type: 'exec', command: ['ls'], env: {} }],
  [
    'local_shell',
    { command: 'ls -l', working_directory: null, timeout_ms: '5000' },
    { type: 'exec', command: ['bash', '-lc', 'ls -l'], env: {}, timeout_ms: 5000 },
  ],
  ['shell', { commands: ['ls'] }, { commands: ['ls'] }],
  [
    'shell',
    { command: 'ls', timeout_ms: 'soon', max_output_length: 9.5 },
    { commands: ['ls'], timeout_ms: null, max_output_length: 9 },
  ],
  ['shell', { input: 'ls' }, { commands: ['ls'], timeout_ms: null, max_output_length: null }],
  ['apply_patch', { type: 'delete_file', path: 'x' }, { type: 'delete_file', path: 'x' }],
  [
    'apply_patch',
    { type: 'update_file', path: 'x', diff: 7 },
    { type: 'update_file', path: 'x', diff: '7' },
  ],
])('a client gets the call of %s as an item of its own, whole', (type, args, action) => {
  const dialect = CLIENTS['responses']?.dialect() ?? expect.fail('no client')
  const body = { ...SHELLS, ...input(HI_ITEM), stream: true }
  expect([...dialect.readRequest('chat', Buffer.from(JSON.stringify(body)), {})]).toEqual([])
  const { bytes } = relayStream(null, dialect, chunks(type, args))
  const items = bytes
    .split('\n')
    .map((line) => parseJson(line.replace('data: ', '')))
    .filter((event) => /output_item/.test(String(member(event, 'type'))))
    .map((event) => member(event, 'item'))
  const item = { type: `${type}_call`, call_id: 'call_1' }
  const called = type === 'apply_patch' ? { operation: action } : { action }
  expect(items).toMatchObject([
    { ...item, ...called, status: 'in_progress' },
    { ...item, ...called, status: 'completed' },
  ])
  expect(items.every(isRecord)).toBe(true)
})
