import { test } from 'vitest'
import {
  assistant,
  callItem,
  calling,
  chat,
  chatCall,
  expectAccepted,
  HI,
  HI_ITEM,
  IMAGE,
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

/* Requests that mix members of chat completions, Responses and Messages. */

const URL = `data:image/png;base64,${PNG}`
const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } }
const FUNCTION = { name: 'read', description: 'Reads a file.', parameters: SCHEMA }
const NESTED = { type: 'function', function: FUNCTION }
const BARE = { name: 'read', description: 'Reads a file.', input_schema: SCHEMA }
const FORMAT = {
  type: 'json_schema',
  json_schema: {
    name: 'verdict',
    schema: { type: 'object', properties: {}, additionalProperties: false },
  },
}
const CALLS = [calling(chatCall('call_1'), chatCall('call_2')), told('call_1'), told('call_2')]
const SPOKEN = { role: 'assistant', content: 'I read them.' }

type Mixture = Omit<Report, 'model' | 'isTranslated'> & Partial<Report>

const SEEING = /^(?:gpt|claude|gemini)-/

const RESPONSES: readonly Mixture[] = [
  {
    report: 'Wei-Shaw/sub2api#3304: the limit of chat completions',
    wire: 'responses',
    body: { ...input(HI_ITEM), max_tokens: 4321, max_output_tokens: null },
    says: ['4321'],
  },
  {
    report: 'madox2/vim-ai#162: messages in place of the input',
    wire: 'responses',
    body: chat({ role: 'system', content: 'Be brief.' }, HI, ...CALLS, HI_ITEM),
    says: ['Be brief.', 'Read the files.', '"read"', 'It is empty.'],
  },
  {
    report: 'openai/openai-python#2677: messages of chat completions as items',
    wire: 'responses',
    body: input(HI_ITEM, { ...CALLS[0], content: 'Sure.' }, CALLS[1], CALLS[2], HI_ITEM),
    says: ['Sure.', '"read"', 'It is empty.'],
  },
  {
    report: 'diegosouzapw/OmniRoute#3150: parts of chat completions',
    wire: 'responses',
    model: SEEING,
    body: input(
      user(text('What is it?'), { type: 'image_url', image_url: { url: URL, detail: 'low' } }),
      callItem('call_1'),
      { ...output('call_1'), output: [{ type: 'image_url', image_url: URL }, text('A dot.')] },
      assistant(text('A dot it is.')),
      user(text('Sure?')),
    ),
    says: ['What is it?', PNG, 'A dot.', 'A dot it is.', 'Sure?'],
  },
  {
    report: 'diegosouzapw/OmniRoute#1914: nested tools',
    wire: 'responses',
    body: { ...input(HI_ITEM), tools: [NESTED] },
    says: ['Reads a file.', 'path'],
  },
  {
    report: 'lobehub/lobehub#8163, router-for-me/CLIProxyAPI#2608: effort and format',
    wire: 'responses',
    model: /^gpt-5/,
    body: { ...input(HI_ITEM), reasoning_effort: 'low', response_format: FORMAT },
    says: ['"low"', 'verdict'],
  },
  {
    report: 'leookun/cursor-byok#307: text between a call and its result',
    wire: 'responses',
    body: input(HI_ITEM, callItem('call_1'), SPOKEN, output('call_1'), HI_ITEM),
    says: ['I read them.', 'empty'],
  },
  {
    report: 'lmstudio-ai/lmstudio-bug-tracker#1576: a text without a format',
    wire: 'responses',
    body: { ...input({ role: 'system', content: 'Be brief.' }, HI_ITEM), text: {} },
    says: ['Be brief.', 'Read the files.'],
  },
]

const CURSOR: readonly Mixture[] = [
  {
    report: 'maximhq/bifrost#1985: blocks of Messages as items, and tools without a type',
    wire: 'chat',
    model: SEEING,
    body: {
      ...input(
        user({ type: 'input_text', text: 'Read the files.' }),
        assistant({ type: 'output_text', text: 'Sure.' }, use('toolu_1'), use('toolu_2')),
        user(result('toolu_1'), result('toolu_2', [text('Two.'), IMAGE]), text('Next.')),
      ),
      tools: [BARE],
      tool_choice: { type: 'auto' },
      stream_options: { include_usage: true },
    },
    says: ['Read the files.', 'Sure.', '"read"', 'It is empty.', 'Two.', PNG, 'Next.'],
  },
  {
    report: 'maximhq/bifrost#1985: messages too, which alone have the results',
    wire: 'chat',
    body: { ...input(HI_ITEM), ...chat(HI, ...CALLS), tools: [NESTED] },
    says: ['Read the files.', 'It is empty.'],
  },
  {
    report: 'maximhq/bifrost#1985: messages too, which lack what the input has',
    wire: 'chat',
    body: { ...input(HI_ITEM, callItem('call_1'), output('call_1')), ...chat(HI), tools: [BARE] },
    says: ['Read the files.', '"read"', 'empty'],
  },
  {
    report: 'Soju06/codex-lb#833: parts of Responses in messages',
    wire: 'chat',
    model: SEEING,
    body: chat(
      user(
        { type: 'input_text', text: 'What is it?' },
        { type: 'input_image', image_url: URL, detail: 'low' },
      ),
      assistant({ type: 'output_text', text: 'A dot.', annotations: [] }),
      user({ type: 'input_text', text: 'Sure?' }),
    ),
    says: ['What is it?', PNG, 'A dot.', 'Sure?'],
  },
  {
    report: 'Wei-Shaw/sub2api#6247: thinking among the parts of an answer',
    wire: 'chat',
    body: chat(
      HI,
      {
        ...calling(chatCall('call_1')),
        content: [{ type: 'thinking', thinking: 'Hm.' }, text('x')],
      },
      told('call_1'),
    ),
    says: ['Read the files.', '"read"', 'It is empty.'],
  },
]

test('stop sequences of a request of Responses reach vendors that know them', () => {
  const body = { ...input(HI_ITEM), stop: ['END'] }
  const [model, says] = [/^(?:claude|mistral|qwen)/, ['END']]
  expectAccepted({ report: '', wire: 'responses', isTranslated: true, model, body, says })
})

const INSTRUCTION = { role: 'system', content: [text('Mind the rules.')] }

const MESSAGES: readonly Mixture[] = [
  {
    report: 'CherryHQ/cherry-studio#12316, LeenHawk/gproxy#209: instructions as the first message',
    wire: 'messages',
    body: messages(INSTRUCTION, HI),
    says: ['Mind the rules.', 'Read the files.'],
  },
  {
    report: 'diegosouzapw/OmniRoute#1797, zai-org/GLM-5#74: instructions among messages',
    wire: 'messages',
    body: messages(HI, INSTRUCTION, assistant(text('Sure.')), HI, INSTRUCTION),
    says: ['Mind the rules.', 'Sure.'],
  },
  {
    report: 'openJiuwen-ai/agent-core#373, andrewyng/aisuite#359: images of chat completions',
    wire: 'messages',
    model: SEEING,
    body: messages(
      user(text('What is it?'), { type: 'image_url', image_url: { url: URL } }),
      assistant(use('toolu_1')),
      user(result('toolu_1', [{ type: 'image_url', image_url: URL }, text('A dot.')])),
    ),
    says: ['What is it?', PNG, 'A dot.'],
  },
  {
    report: 'braintrustdata/lingua#134, envoyproxy/ai-gateway#1953: tools, calls and results',
    wire: 'messages',
    body: {
      ...messages(HI, ...CALLS, assistant(text('I read them.')), HI),
      tools: [NESTED],
      tool_choice: 'auto',
    },
    says: ['Reads a file.', '"read"', 'It is empty.', 'I read them.'],
    lacks: ['aborted', 'Result of'],
  },
]

const PAIRS = [...RESPONSES, ...CURSOR, ...MESSAGES].flatMap((report) =>
  [true, false].map((isTranslated) => ({ ...report, isTranslated })),
)

test.each(PAIRS)('$report, to vendors of other wires: $isTranslated', (report) => {
  expectAccepted({ model: /./, ...report })
})
