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
  PICTURE,
  DATA_URL,
  said,
  system,
  PNG,
  reportsOf,
  result,
  text,
  told,
  toEveryWire,
  use,
  user,
} from './reports.ts'

/* Requests that mix members of chat completions, Responses and Messages. */

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } }
const FUNCTION = { name: 'read', description: 'Reads a file.', parameters: SCHEMA }
const NESTED = { type: 'function', function: FUNCTION }
const BARE = { name: 'read', description: 'Reads a file.', input_schema: SCHEMA }
const FORMAT = {
  type: 'json_schema',
  json_schema: { name: 'verdict', schema: { type: 'object', additionalProperties: false } },
}
const CALLS = [calling(chatCall('call_1'), chatCall('call_2')), told('call_1'), told('call_2')]

const SEEING = /^(?:gpt|claude|gemini)-/

const RESPONSES = reportsOf({ wire: 'responses' }, [
  {
    report: 'Wei-Shaw/sub2api#3304: the limit of chat completions',
    body: { ...input(HI_ITEM), max_tokens: 4321, max_output_tokens: null },
    says: ['4321'],
  },
  {
    report: 'madox2/vim-ai#162: messages in place of the input',
    body: chat(system('Be brief.'), HI, ...CALLS, HI_ITEM),
    says: ['Be brief.', 'Read the files.', '"read"', 'It is empty.'],
  },
  {
    report: 'openai/openai-python#2677: messages of chat completions as items',
    body: input(HI_ITEM, { ...CALLS[0], content: 'Sure.' }, CALLS[1], CALLS[2], HI_ITEM),
    says: ['Sure.', '"read"', 'It is empty.'],
  },
  {
    report: 'diegosouzapw/OmniRoute#3150: parts of chat completions',
    model: SEEING,
    body: input(
      user(text('What is it?'), { ...PICTURE, image_url: { url: DATA_URL, detail: 'low' } }),
      callItem('call_1'),
      { ...output('call_1'), output: [{ type: 'image_url', image_url: DATA_URL }, text('A dot.')] },
      assistant(text('A dot it is.')),
      user(text('Sure?')),
    ),
    says: ['What is it?', PNG, 'A dot.', 'A dot it is.', 'Sure?'],
  },
  {
    report: 'diegosouzapw/OmniRoute#1914: nested tools',
    body: { ...input(HI_ITEM), tools: [NESTED] },
    says: ['Reads a file.', 'path'],
  },
  {
    report: 'lobehub/lobehub#8163, router-for-me/CLIProxyAPI#2608: effort and format',
    model: /^gpt-5/,
    body: { ...input(HI_ITEM), reasoning_effort: 'low', response_format: FORMAT },
    says: ['"low"', 'verdict'],
  },
  {
    report: 'leookun/cursor-byok#307: text between a call and its result',
    body: input(HI_ITEM, callItem('call_1'), said('I read them.'), output('call_1'), HI_ITEM),
    says: ['I read them.', 'empty'],
  },
  {
    report: 'lmstudio-ai/lmstudio-bug-tracker#1576: a text without a format',
    body: { ...input(system('Be brief.'), HI_ITEM), text: {} },
    says: ['Be brief.', 'Read the files.'],
  },
])

const CURSOR = reportsOf({ wire: 'chat' }, [
  {
    report: 'maximhq/bifrost#1985: blocks of Messages as items, and tools without a type',
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
    body: { ...input(HI_ITEM), ...chat(HI, ...CALLS), tools: [NESTED] },
    says: ['Read the files.', 'It is empty.'],
  },
  {
    report: 'maximhq/bifrost#1985: messages too, which lack what the input has',
    body: { ...input(HI_ITEM, callItem('call_1'), output('call_1')), ...chat(HI), tools: [BARE] },
    says: ['Read the files.', '"read"', 'empty'],
  },
  {
    report: 'Soju06/codex-lb#833: parts of Responses in messages',
    model: SEEING,
    body: chat(
      user(
        { type: 'input_text', text: 'What is it?' },
        { type: 'input_image', image_url: DATA_URL },
      ),
      assistant({ type: 'output_text', text: 'A dot.', annotations: [] }),
      user({ type: 'input_text', text: 'Sure?' }),
    ),
    says: ['What is it?', PNG, 'A dot.', 'Sure?'],
  },
])

/* Second turns of Cursor at chat completions, with calls and tools in the form of Responses. */

const PATCH = { name: 'ApplyPatch', arguments: '*** Begin Patch' }
const APPLY_PATCH = {
  type: 'custom',
  name: 'ApplyPatch',
  description: 'Edits files.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: x' },
}
const AGENT = {
  ...input(
    HI_ITEM,
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAx' },
    callItem('call_1'),
    { ...callItem('call_2'), ...PATCH },
    output('call_1'),
    { type: 'custom_tool_call_output', call_id: 'call_2', output: 'Done.' },
  ),
  tools: [{ type: 'function', name: 'read', parameters: { type: 'object' } }, APPLY_PATCH],
  tool_choice: 'auto',
  include: ['reasoning.encrypted_content'],
  truncation: 'auto',
  prompt_cache_retention: '24h',
  stream_options: { include_usage: true },
}
const ASKING = {
  ...chat(
    HI_ITEM,
    calling(chatCall('call_1'), { ...chatCall('call_2'), function: PATCH }),
    told('call_1', 'empty'),
    told('call_2', 'Done.'),
  ),
  tools: [{ type: 'function', function: { name: 'read' } }, APPLY_PATCH],
}

const SECOND_TURN = {
  says: ['Read the files.', 'ApplyPatch', 'Begin Patch', 'empty', 'Done.'],
  lacks: ['"custom"', 'truncation', 'prompt_cache_retention', 'gAAAAx'],
}
const SECOND_TURNS = reportsOf({ wire: 'chat' }, [
  { report: 'BerriAI/litellm#34029: the agent', body: AGENT, ...SECOND_TURN },
  { report: 'Wei-Shaw/sub2api#5861: a flat tool among others', body: ASKING, ...SECOND_TURN },
])

test('stop sequences of a request of Responses reach vendors that know them', () => {
  const body = { ...input(HI_ITEM), stop: ['END'] }
  const [model, says] = [/^(?:claude|mistral|qwen)/, ['END']]
  expectAccepted({ report: '', wire: 'responses', isTranslated: true, model, body, says })
})

const INSTRUCTION = { role: 'system', content: [text('Mind the rules.')] }

const MESSAGES = reportsOf({ wire: 'messages' }, [
  {
    report: 'CherryHQ/cherry-studio#12316, LeenHawk/gproxy#209: instructions as the first message',
    body: messages(INSTRUCTION, HI),
    says: ['Mind the rules.', 'Read the files.'],
  },
  {
    report: 'diegosouzapw/OmniRoute#1797, zai-org/GLM-5#74: instructions among messages',
    body: messages(HI, INSTRUCTION, assistant(text('Sure.')), HI, INSTRUCTION),
    says: ['Mind the rules.', 'Sure.'],
  },
  {
    report: 'openJiuwen-ai/agent-core#373, andrewyng/aisuite#359: images of chat completions',
    model: SEEING,
    body: messages(
      user(text('What is it?'), PICTURE),
      assistant(use('toolu_1')),
      user(result('toolu_1', [{ type: 'image_url', image_url: DATA_URL }, text('A dot.')])),
    ),
    says: ['What is it?', PNG, 'A dot.'],
  },
  {
    report: 'braintrustdata/lingua#134, envoyproxy/ai-gateway#1953: tools, calls and results',
    body: {
      ...messages(HI, ...CALLS, assistant(text('I read them.')), HI),
      tools: [NESTED],
      tool_choice: 'auto',
    },
    says: ['Reads a file.', '"read"', 'It is empty.', 'I read them.'],
    lacks: ['aborted', 'Result of'],
  },
])

test.each(toEveryWire([...RESPONSES, ...CURSOR, ...SECOND_TURNS, ...MESSAGES]))(
  '$report, to vendors of other wires: $isTranslated',
  expectAccepted,
)
