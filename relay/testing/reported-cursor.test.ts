import { test } from 'vitest'
import {
  callItem,
  calling,
  chat,
  chatCall,
  expectAccepted,
  HI_ITEM,
  input,
  output,
  told,
} from './reports.ts'

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

const PAIRS = [true, false].flatMap((isTranslated) => [
  { report: 'BerriAI/litellm#34029: the agent', isTranslated, body: AGENT },
  { report: 'Wei-Shaw/sub2api#5861: a flat tool among others', isTranslated, body: ASKING },
])

test.each(PAIRS)('$report, to vendors of other wires: $isTranslated', (report) => {
  expectAccepted({
    ...report,
    wire: 'chat',
    model: /./,
    says: ['Read the files.', 'ApplyPatch', 'Begin Patch', 'empty', 'Done.'],
    lacks: ['"custom"', 'truncation', 'prompt_cache_retention', 'gAAAAx'],
  })
})
