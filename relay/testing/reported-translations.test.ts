import { expect, test } from 'vitest'
import { parseJson } from '../src/bytes/json-value.ts'
import { finish } from '../src/bytes/steps.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { historyEdits } from '../src/wires/anthropic-messages/native-history.ts'
import {
  assistant,
  callItem,
  calling,
  chat,
  chatCall,
  expectAccepted,
  HI,
  HI_CHAT,
  HI_ITEM,
  input,
  messages,
  output,
  PNG,
  type Report,
  result,
  text,
  told,
  use,
  user,
} from './reports.ts'
import { CLIENTS } from './vendors/sent-requests.ts'

/* Reports of other gateways about requests that their translation broke. */

type Case = Omit<Report, 'model' | 'isTranslated'> & Partial<Report>

const ANY = /./
const MAILED = { name: 'read', description: 'Reads.', parameters: { type: 'object' } }
const BARE = { ...MAILED, parameters: undefined }
const TWICE = {
  type: 'object',
  properties: { path: { type: ['string', 'null'] } },
  required: ['path', 'path'],
}
const ONLY_NULL = { type: null, properties: { path: { type: 'string' } } }
const READ = callItem('call_1')
const SEARCH = {
  type: 'tool_search_call',
  call_id: 'call_2',
  execution: 'client',
  status: 'completed',
  arguments: '{"query":"files"}',
}
const FOUND = {
  type: 'tool_search_output',
  call_id: 'call_2',
  execution: 'client',
  status: 'completed',
  tools: [],
}

const TRANSLATED: readonly Case[] = [
  {
    report: 'QuantumNous/new-api#6859: a tool without parameters',
    wire: 'chat',
    body: { ...chat(HI_CHAT), tools: [{ type: 'function', function: BARE }] },
    says: ['"read"', 'Reads.'],
  },
  {
    report: 'QuantumNous/new-api#6615: a text before a call',
    wire: 'messages',
    body: messages(HI, assistant(text('I look.'), use('toolu_1')), user(result('toolu_1'))),
    says: ['I look.', 'It is empty.'],
  },
  {
    report: 'QuantumNous/new-api#2968: parts of Responses in Messages',
    wire: 'messages',
    body: messages(user({ type: 'input_text', text: 'Read them.' })),
    says: ['Read them.'],
  },
  {
    report: 'farion1231/cc-switch#4531: arguments that were cut off',
    wire: 'responses',
    body: input(HI_ITEM, { ...READ, arguments: '{"path":"a' }, output('call_1'), HI_ITEM),
    says: ['empty'],
  },
  {
    report: 'farion1231/cc-switch#4185: a call without a result',
    wire: 'responses',
    body: input(HI_ITEM, READ, HI_ITEM),
    says: ['Read the files.'],
  },
  {
    report: 'farion1231/cc-switch#5653: a call and its result without any message',
    wire: 'responses',
    body: input(READ, output('call_1')),
    says: ['empty'],
  },
  {
    report: 'farion1231/cc-switch#4992: a schema of the type null',
    wire: 'responses',
    body: {
      ...input(HI_ITEM),
      tools: [{ type: 'function', name: 'update', description: 'Sets.', parameters: ONLY_NULL }],
    },
    says: ['update', 'path'],
  },
  {
    report: 'lidge-jun/opencodex#270: a required member named twice',
    wire: 'chat',
    model: /^claude-/,
    body: {
      ...chat(HI_CHAT),
      tools: [{ type: 'function', function: { ...MAILED, parameters: TWICE } }],
    },
    says: ['path'],
    lacks: ['["path","path"]'],
  },
  {
    report: 'experientiallabs/experiential#787: a limit of one token and a failed call',
    wire: 'messages',
    body: {
      ...messages(
        HI,
        assistant(use('toolu_1')),
        user({ ...result('toolu_1', 'No such file.'), is_error: true }),
      ),
      max_tokens: 1,
    },
    says: ['No such file.'],
  },
  {
    report: 'QuantumNous/new-api#7498: an image in a result',
    wire: 'responses',
    model: /^(?:gpt|claude|gemini)-/,
    body: input(
      HI_ITEM,
      READ,
      {
        ...output('call_1'),
        output: [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}` }],
      },
      HI_ITEM,
    ),
    says: [PNG],
    lacks: ['input_image\\"'],
  },
  {
    report: 'Oaklight/llm-rosetta#151, cloudwego/eino-ext#571: parallel calls of one tool',
    wire: 'chat',
    body: chat(
      HI_CHAT,
      calling(chatCall('call_0'), chatCall('call_1'), chatCall('call_2', 'list')),
      told('call_0', 'First.'),
      told('call_1', 'Second.'),
      told('call_2', 'Third.'),
    ),
    says: ['First.', 'Second.', 'Third.'],
  },
]

const OWN: readonly Case[] = [
  {
    report: 'farion1231/cc-switch#5062: a search whose arguments are a text',
    wire: 'responses',
    body: input(HI_ITEM, SEARCH, FOUND, HI_ITEM),
    says: ['"arguments":{"query":"files"}'],
  },
  {
    report: 'OpenAI, guide to images and vision: an image without the head of a data URL',
    wire: 'chat',
    model: /^gpt-/,
    body: chat(
      user(text('What is it?'), { type: 'image_url', image_url: { url: PNG.repeat(30) } }),
    ),
    says: [`data:image/png;base64,${PNG}`],
  },
  {
    report: 'OpenAI, guide to images and vision: an image without the head of a data URL',
    wire: 'responses',
    body: input(user({ type: 'input_image', image_url: PNG.repeat(30) })),
    says: [`data:image/png;base64,${PNG}`],
  },
  {
    report: 'Anthropic, guide to extended thinking: a prefilled answer while the model reasons',
    wire: 'messages',
    body: {
      ...messages(HI, assistant(text('They say'))),
      thinking: { type: 'enabled', budget_tokens: 1024 },
    },
    model: /^claude-sonnet-4-5$/,
    says: ['They say', 'Continue.'],
  },
  {
    report: 'Anthropic, guide to citations: a citation that Claude has not made',
    wire: 'messages',
    body: messages(
      HI,
      assistant({
        ...text('It is empty.'),
        citations: [
          {
            type: 'web_search_result_location',
            url: 'https://a.example',
            title: 'A',
            cited_text: 'empty',
            encrypted_index: '',
          },
        ],
      }),
      HI,
    ),
    says: ['It is empty.'],
    lacks: ['a.example'],
  },
]

test.each(TRANSLATED)('$report, to vendors of other wires', (report) => {
  expectAccepted({ model: ANY, isTranslated: true, ...report })
})

test.each(OWN)('$report, to vendors of its own wire', (report) => {
  expectAccepted({ model: ANY, isTranslated: false, ...report })
})

test.each([
  ['messages', 'claude-sonnet-4-5', messages(HI), { mcp_servers: [{ url: 'https://a.example' }] }],
  ['responses', 'gpt-5', input(HI_ITEM), { context_management: [{ type: 'compaction' }] }],
])('names of tools that a maker refuses at %s are translated', (client, model, asked, lost) => {
  const refuses = (name: string, more: object = {}) => {
    const tools = [{ type: client === 'responses' ? 'function' : 'custom', name, input_schema: {} }]
    const body = Buffer.from(JSON.stringify({ ...asked, ...more, tools }))
    const read = finish(CLIENTS[client]?.dialect().readRequest('chat', body, {}) ?? expect.fail())
    if (isRequestProblem(read)) expect.fail(read.message)
    return ['qwen3', model].map((name) => read.native?.refusesNames?.(name))
  }
  expect(refuses('mcp.read')).toEqual([false, true])
  expect(refuses('mcp_read')).toEqual([false, false])
  expect(refuses('mcp.read', lost)).toEqual([false, false])
})

test('other makers get no members that only Claude knows', () => {
  // anomalyco/opencode#24975, decolua/9router#1468
  const tool = { name: 'read', input_schema: { type: 'object' } }
  const json = {
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ ...tool, eager_input_streaming: true }],
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  }
  const { tools, ...others } = historyEdits(json, 'minimax-m2.5')
  expect(parseJson(tools ?? '')).toEqual([tool])
  expect(others).toEqual({ context_management: null })
  expect(historyEdits(json, 'claude-sonnet-4-5')).toEqual({})
})
