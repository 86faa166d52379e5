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
  IMAGE,
  input,
  MARK,
  marked,
  messages,
  output,
  parts,
  PNG,
  response,
  result,
  text,
  told,
  use,
  user,
  expectAccepted,
  type Report,
} from './reports.ts'

/* Histories of sessions that were trimmed, interrupted or moved to another model. */

const SPAWN = {
  type: 'function',
  name: 'spawn_agent',
  parameters: {
    type: 'object',
    properties: { message: { type: 'string', encrypted: true } },
    required: ['message'],
    additionalProperties: false,
  },
}
const agentMessage = (part: object) => ({
  type: 'agent_message',
  author: '/root',
  recipient: '/root/child',
  content: [{ type: 'input_text', text: 'Message Type: NEW_TASK' }, part],
})

const REPORTS: readonly Report[] = [
  {
    report: 'OpenHands/OpenHands#7512: a trimmed prompt has lost the result of a call',
    wire: 'messages',
    model: /claude/,
    body: messages(HI, assistant(use('a'), use('b')), user(result('b')), HI),
    says: ['The tool call was aborted.', 'It is empty.'],
  },
  {
    report: 'lidge-jun/opencodex#620: an answer of nothing but reasoning and a call',
    wire: 'messages',
    model: /claude/,
    body: messages(
      HI,
      assistant({ type: 'thinking', thinking: 'Hm.', signature: '' }, text(''), use('a')),
      user(result('a')),
    ),
    says: ['"tool_use"', 'It is empty.'],
  },
  {
    report: 'anomalyco/opencode#31259: an answer of white space',
    wire: 'messages',
    model: /claude/,
    body: messages(HI, assistant(text('\n\n')), user(text('Go on.'))),
    says: ['Read the files.', 'Go on.'],
  },
  {
    report: 'anthropics/claude-code#23440: a result with a blank text',
    wire: 'messages',
    model: /claude/,
    body: messages(HI, assistant(use('a')), user(result('a', [text(' ')]), text(' '))),
    says: ['"tool_use_id":"a"'],
  },
  {
    report: 'BoltAI/BoltAI#165: a blank system prompt',
    wire: 'messages',
    model: /claude/,
    body: { ...messages(HI), system: ' \n' },
    says: ['Read the files.'],
  },
  {
    report: 'BoltAI/BoltAI#165: a blank block of the system prompt',
    wire: 'messages',
    model: /claude/,
    body: { ...messages(HI), system: [text(' '), text('Be brief.')] },
    says: ['Be brief.'],
  },
  {
    report: 'openclaw/openclaw#8525: compaction has removed a call and kept its result',
    wire: 'messages',
    model: /claude/,
    body: messages(user(text('Summary.'), result('gone')), assistant(text('So.')), HI),
    says: ['Summary.', 'Result of gone', 'It is empty.'],
  },
  {
    report: 'router-for-me/CLIProxyAPI#1584: reasoning of Gemini in a session that moves to Claude',
    wire: 'messages',
    model: /claude/,
    body: messages(
      HI,
      assistant({ type: 'thinking', thinking: 'Hm.', signature: 'CiQBjz1rXyab' }, text('So.')),
      HI,
    ),
    says: ['So.'],
  },
  {
    report: 'google-gemini/gemini-cli#3814: a compressed history has lost a response',
    wire: 'gemini',
    model: /gemini/,
    body: contents(HI_GEMINI, parts('model', call('a'), call('b')), parts('user', response('a'))),
    says: ['"name":"b","response":{"result":"The tool call was aborted."}'],
  },
  {
    report: 'router-for-me/CLIProxyAPI#2104: responses without names',
    wire: 'gemini',
    model: /gemini/,
    body: contents(HI_GEMINI, parts('model', call('a'), call('b')), {
      role: 'user',
      parts: [response(''), response('')],
    }),
    says: ['"name":"a","response":{"output":"empty"}', '"name":"b","response":{"output":"empty"}'],
  },
  {
    report: 'earendil-works/pi#4570: an output has survived the compaction of its call',
    wire: 'responses',
    model: /gpt/,
    body: input(HI_ITEM, output('call_3'), callItem('call_4'), output('call_4')),
    says: ['Result of call_3', '"call_id":"call_4"'],
  },
  {
    report: 'router-for-me/CLIProxyAPI#3688: a call that was never answered is replayed',
    wire: 'responses',
    model: /gpt/,
    body: input(HI_ITEM, callItem('call_1'), HI_ITEM),
    says: ['The tool call was aborted.'],
  },
  {
    report: 'router-for-me/CLIProxyAPI#5401: an output without the id of its call',
    wire: 'responses',
    model: /gpt/,
    body: input(HI_ITEM, { ...output(''), call_id: null }, HI_ITEM),
    says: ['Result of a tool call', 'empty'],
  },
  {
    report: 'vertesia/llumiverse#620: each response of parallel calls in a content of its own',
    wire: 'gemini',
    model: /gemini/,
    body: contents(
      HI_GEMINI,
      parts('model', call('a'), call('b')),
      parts('user', response('a')),
      parts('user', response('b')),
    ),
    says: ['"name":"a","response":{"output":"empty"}', '"name":"b","response":{"output":"empty"}'],
    lacks: ['Result of', 'aborted'],
  },
  {
    report: 'decolua/9router#3795: a fifth mark for the cache',
    wire: 'messages',
    model: /claude/,
    body: {
      ...messages(
        user(marked('One.'), marked('Two.'), marked('Three.')),
        assistant(text('So.')),
        HI,
      ),
      system: [marked('Be brief.')],
      ...MARK,
    },
    says: ['"text":"Two.","cache_control"', '"text":"Be brief."}'],
  },
  {
    report: 'anthropics/claude-code#51985: the history lacks the reasoning that is asked for',
    wire: 'messages',
    model: /claude-sonnet/,
    body: {
      ...messages(HI, assistant(text('Look.'), use('a')), user(result('a'))),
      thinking: { type: 'enabled', budget_tokens: 1024 },
    },
    says: ['"tool_use"', 'It is empty.'],
    lacks: ['budget_tokens'],
  },
  {
    report: 'Wei-Shaw/sub2api#996: reasoning of GPT, without a text, in a session back at Claude',
    wire: 'messages',
    model: /claude/,
    body: messages(
      HI,
      assistant({ type: 'thinking', signature: 'EpQBCkYIBRgC' }, text('So.')),
      HI,
      assistant({ type: 'thinking', thinking: 'Hm.', signature: 'gAAAAABn' }, text('Then.')),
      HI,
    ),
    says: ['So.', 'Then.'],
    lacks: ['"thinking"'],
  },
  {
    report: 'ducks/claux#40: calls without an id, and two of one id',
    wire: 'messages',
    model: /claude/,
    body: messages(
      HI,
      assistant(use(''), use('a'), use('a')),
      user(result(''), result('a', 'One.'), result('a', 'Two.')),
    ),
    says: ['It is empty.', 'One.', 'Two.'],
    lacks: ['aborted'],
  },
  {
    report: 'ducks/claux#40: the same in chat completions',
    wire: 'chat',
    model: /gpt-4.1|kimi/,
    body: chat(
      HI_CHAT,
      calling(chatCall(''), chatCall('a'), chatCall('a')),
      told(''),
      told('a', 'One.'),
      told('a', 'Two.'),
    ),
    says: ['It is empty.', 'One.', 'Two.', '"name":"ann"'],
    lacks: ['aborted'],
  },
  {
    report: 'BerriAI/litellm#20403: an image in the result of a tool',
    wire: 'chat',
    model: /gpt-4.1/,
    body: chat(
      HI_CHAT,
      calling(chatCall('a')),
      told('a', [
        text('A chart.'),
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
      ]),
    ),
    says: ['A chart.', PNG, '"detail":"low"', '"name":"ann"'],
  },
  {
    report: 'BerriAI/litellm#23712: an image in the result of a tool, from Messages to Gemini',
    wire: 'messages',
    isTranslated: true,
    model: /gemini|gpt-4.1/,
    body: messages(HI, assistant(use('a')), user(result('a', [text('A chart.'), IMAGE]))),
    says: ['A chart.', PNG],
  },
  {
    report: 'decolua/9router#1786: a call whose reasoning the client has not kept',
    wire: 'messages',
    isTranslated: true,
    model: /^(?:deepseek-|kimi|mimo)/,
    body: messages(HI, assistant(use('a')), user(result('a'))),
    says: ['reasoning_content', 'It is empty.'],
  },
  {
    report: 'openclaw/openclaw#875: a session that moves from Codex with the ids of its calls',
    wire: 'chat',
    model: /gpt-4.1/,
    body: chat(
      HI_CHAT,
      calling(chatCall(`call_${'x'.repeat(60)}`)),
      told(`call_${'x'.repeat(60)}`),
    ),
    says: ['It is empty.'],
    lacks: ['aborted', 'Result of'],
  },
  {
    report: 'Yeachan-Heo/gajae-code#1206: an object in place of encrypted reasoning',
    wire: 'responses',
    model: /gpt/,
    body: input(
      HI_ITEM,
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: { data: 'x' } },
      { role: 'assistant', content: [{ type: 'output_text', text: 'So.' }] },
      { type: 'compaction', id: 'cmp_1', encrypted_content: { data: 'x' } },
      HI_ITEM,
    ),
    says: ['So.'],
    lacks: ['"data":"x"'],
  },
  {
    report: 'CommandCodeAI/command-code#745: a call without arguments',
    wire: 'responses',
    model: /./,
    body: input(HI_ITEM, { type: 'function_call', call_id: 'a', name: 'read' }, output('a')),
    says: ['"arguments":"{}"', 'empty'],
  },
  {
    report: 'Wei-Shaw/sub2api#6887: the task that Codex gives another agent',
    wire: 'responses',
    isTranslated: true,
    model: /./,
    body: {
      ...input(
        agentMessage({ type: 'encrypted_content', encrypted_content: 'Say ALPHA.' }),
        callItem('call_1'),
        output('call_1'),
        agentMessage({ type: 'encrypted_content', encrypted_content: 'gAAAAABx' }),
      ),
      tools: [SPAWN],
    },
    says: ['NEW_TASK', 'Say ALPHA.', 'empty', 'cannot read'],
    lacks: ['agent_message', 'gAAAAABx'],
  },
]

/** To vendors of the same wire and of other wires. */
const CHATS: readonly Omit<Report, 'wire' | 'model'>[] = [
  {
    report: 'Wei-Shaw/sub2api#2528: contents that are empty lists',
    body: {
      ...chat(
        HI_ITEM,
        { role: 'assistant', content: [] },
        { role: 'user', content: [] },
        calling(chatCall('a')),
        told('a', []),
        HI_ITEM,
      ),
      tools: [{ type: 'function', function: { name: 'read' } }],
    },
    says: ['Read the files.'],
  },
  {
    report: 'Wei-Shaw/sub2api#6247: thinking as a part of an answer',
    body: {
      ...chat(
        HI_ITEM,
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: 'Hm.', signature: 'EqoB' }, text('So.')],
          tool_calls: [chatCall('a')],
        },
        told('a'),
      ),
      tools: [{ type: 'function', function: { name: 'read' } }],
    },
    says: ['So.', 'It is empty.'],
  },
  {
    report: 'tashfeenahmed/freellmapi#232: absent calls as null',
    body: chat(
      HI_ITEM,
      { role: 'assistant', content: 'So.', tool_calls: null, name: null },
      HI_ITEM,
    ),
    says: ['So.'],
  },
  {
    report: 'NousResearch/hermes-agent#29937: a result that is an object, and one that is a number',
    body: {
      ...chat(
        HI_ITEM,
        calling(chatCall('a'), chatCall('b')),
        told('a', { ok: 'yes' }),
        told('b', 7),
      ),
      tools: [{ type: 'function', function: { name: 'read' } }],
    },
    says: ['ok', 'yes', '7'],
  },
  {
    report: 'mylxsw/llm-gateway#122: messages of the developer, also in the middle',
    body: chat(
      { role: 'developer', content: 'First.' },
      HI_ITEM,
      { role: 'assistant', content: 'So.' },
      { role: 'developer', content: 'Rules.' },
      HI_ITEM,
    ),
    says: ['First.', 'So.', 'Rules.'],
  },
]

test.each([
  ...REPORTS,
  ...CHATS.flatMap((report) =>
    [false, true].map((isTranslated): Report => ({
      ...report,
      isTranslated,
      wire: 'chat',
      model: /./,
    })),
  ),
])('$report', expectAccepted)
