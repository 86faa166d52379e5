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
  PICTURE,
  PNG,
  said,
  thinking,
  toolChat,
  DATA_URL,
  response,
  result,
  text,
  told,
  use,
  user,
  expectAccepted,
  reportsOf,
  toEveryWire,
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
const CALLED = [HI_GEMINI, parts('model', call('a'), call('b'))]
const LONG_ID = `call_${'x'.repeat(60)}`
const agentMessage = (part: object) => ({
  type: 'agent_message',
  author: '/root',
  recipient: '/root/child',
  content: [{ type: 'input_text', text: 'Message Type: NEW_TASK' }, part],
})

const MESSAGES = reportsOf({ wire: 'messages', model: /claude/ }, [
  {
    report: 'OpenHands/OpenHands#7512: a trimmed prompt has lost the result of a call',
    body: messages(HI, assistant(use('a'), use('b')), user(result('b')), HI),
    says: ['The tool call was aborted.', 'It is empty.'],
  },
  {
    report: 'lidge-jun/opencodex#620: an answer of nothing but reasoning and a call',
    body: messages(HI, assistant(thinking(''), text(''), use('a')), user(result('a'))),
    says: ['"tool_use"', 'It is empty.'],
  },
  {
    report: 'anomalyco/opencode#31259: an answer of white space',
    body: messages(HI, assistant(text('\n\n')), user(text('Go on.'))),
    says: ['Read the files.', 'Go on.'],
  },
  {
    report: 'anthropics/claude-code#23440: a result with a blank text',
    body: messages(HI, assistant(use('a')), user(result('a', [text(' ')]), text(' '))),
    says: ['"tool_use_id":"a"'],
  },
  {
    report: 'BoltAI/BoltAI#165: a blank system prompt',
    body: { ...messages(HI), system: ' \n' },
  },
  {
    report: 'BoltAI/BoltAI#165: a blank block of the system prompt',
    body: { ...messages(HI), system: [text(' '), text('Be brief.')] },
    says: ['Be brief.'],
  },
  {
    report: 'openclaw/openclaw#8525: compaction has removed a call and kept its result',
    body: messages(user(text('Summary.'), result('gone')), assistant(text('So.')), HI),
    says: ['Summary.', 'Result of gone', 'It is empty.'],
  },
  {
    report: 'router-for-me/CLIProxyAPI#1584: reasoning of Gemini in a session that moves to Claude',
    body: messages(HI, assistant(thinking('CiQBjz1rXyab'), text('So.')), HI),
    says: ['So.'],
  },
  {
    report: 'decolua/9router#3795: a fifth mark for the cache',
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
    body: messages(
      HI,
      assistant({ type: 'thinking', signature: 'EpQBCkYIBRgC' }, text('So.')),
      HI,
      assistant(thinking('gAAAAABn'), text('Then.')),
      HI,
    ),
    says: ['So.', 'Then.'],
    lacks: ['"thinking"'],
  },
  {
    report: 'ducks/claux#40: calls without an id, and two of one id',
    body: messages(
      HI,
      assistant(use(''), use('a'), use('a')),
      user(result(''), result('a', 'One.'), result('a', 'Two.')),
    ),
    says: ['It is empty.', 'One.', 'Two.'],
    lacks: ['aborted'],
  },
  {
    report: 'BerriAI/litellm#23712: an image in the result of a tool, from Messages to Gemini',
    isTranslated: true,
    model: /gemini|gpt-4.1/,
    body: messages(HI, assistant(use('a')), user(result('a', [text('A chart.'), IMAGE]))),
    says: ['A chart.', PNG],
  },
  {
    report: 'decolua/9router#1786: a call whose reasoning the client has not kept',
    isTranslated: true,
    model: /^(?:deepseek-|kimi|mimo)/,
    body: messages(HI, assistant(use('a')), user(result('a'))),
    says: ['reasoning_content', 'It is empty.'],
  },
])

const CHAT = reportsOf({ wire: 'chat', model: /gpt-4.1/ }, [
  {
    report: 'ducks/claux#40: the same in chat completions',
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
    body: chat(
      HI_CHAT,
      calling(chatCall('a')),
      told('a', [text('A chart.'), { ...PICTURE, image_url: { url: DATA_URL, detail: 'low' } }]),
    ),
    says: ['A chart.', PNG, '"detail":"low"', '"name":"ann"'],
  },
  {
    report: 'openclaw/openclaw#875: a session that moves from Codex with the ids of its calls',
    body: chat(HI_CHAT, calling(chatCall(LONG_ID)), told(LONG_ID)),
    says: ['It is empty.'],
    lacks: ['aborted', 'Result of'],
  },
])

const RESPONSES = reportsOf({ wire: 'responses', model: /gpt/ }, [
  {
    report: 'earendil-works/pi#4570: an output has survived the compaction of its call',
    body: input(HI_ITEM, output('call_3'), callItem('call_4'), output('call_4')),
    says: ['Result of call_3', '"call_id":"call_4"'],
  },
  {
    report: 'router-for-me/CLIProxyAPI#3688: a call that was never answered is replayed',
    body: input(HI_ITEM, callItem('call_1'), HI_ITEM),
    says: ['The tool call was aborted.'],
  },
  {
    report: 'router-for-me/CLIProxyAPI#5401: an output without the id of its call',
    body: input(HI_ITEM, { ...output(''), call_id: null }, HI_ITEM),
    says: ['Result of a tool call', 'empty'],
  },
  {
    report: 'Yeachan-Heo/gajae-code#1206: an object in place of encrypted reasoning',
    body: input(
      HI_ITEM,
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: { data: 'x' } },
      assistant({ type: 'output_text', text: 'So.' }),
      { type: 'compaction', id: 'cmp_1', encrypted_content: { data: 'x' } },
      HI_ITEM,
    ),
    says: ['So.'],
    lacks: ['"data":"x"'],
  },
  {
    report: 'CommandCodeAI/command-code#745: a call without arguments',
    model: /./,
    body: input(HI_ITEM, { type: 'function_call', call_id: 'a', name: 'read' }, output('a')),
    says: ['"arguments":"{}"', 'empty'],
  },
  {
    report: 'Wei-Shaw/sub2api#6887: the task that Codex gives another agent',
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
])

const GEMINI = reportsOf({ wire: 'gemini', model: /gemini/ }, [
  {
    report: 'google-gemini/gemini-cli#3814: a compressed history has lost a response',
    body: contents(...CALLED, parts('user', response('a'))),
    says: ['"name":"b","response":{"result":"The tool call was aborted."}'],
  },
  {
    report: 'router-for-me/CLIProxyAPI#2104: responses without names',
    body: contents(...CALLED, parts('user', response(''), response(''))),
    says: ['"name":"a","response":{"output":"empty"}', '"name":"b","response":{"output":"empty"}'],
  },
  {
    report: 'vertesia/llumiverse#620: each response of parallel calls in a content of its own',
    body: contents(...CALLED, parts('user', response('a')), parts('user', response('b'))),
    says: ['"name":"a","response":{"output":"empty"}', '"name":"b","response":{"output":"empty"}'],
    lacks: ['Result of', 'aborted'],
  },
])

const developer = (content: string) => ({ role: 'developer', content })

const CHATS = reportsOf({ wire: 'chat' }, [
  {
    report: 'Wei-Shaw/sub2api#2528: contents that are empty lists',
    body: toolChat(HI_ITEM, assistant(), user(), calling(chatCall('a')), told('a', []), HI_ITEM),
  },
  {
    report: 'Wei-Shaw/sub2api#6247: thinking as a part of an answer',
    body: toolChat(
      HI_ITEM,
      { ...assistant(thinking('EqoB'), text('So.')), tool_calls: [chatCall('a')] },
      told('a'),
    ),
    says: ['So.', 'It is empty.'],
  },
  {
    report: 'tashfeenahmed/freellmapi#232: absent calls as null',
    body: chat(HI_ITEM, { ...said('So.'), tool_calls: null, name: null }, HI_ITEM),
    says: ['So.'],
  },
  {
    report: 'NousResearch/hermes-agent#29937: a result that is an object, and one that is a number',
    body: toolChat(
      HI_ITEM,
      calling(chatCall('a'), chatCall('b')),
      told('a', { ok: 'yes' }),
      told('b', 7),
    ),
    says: ['ok', 'yes', '7'],
  },
  {
    report: 'mylxsw/llm-gateway#122: messages of the developer, also in the middle',
    body: chat(developer('First.'), HI_ITEM, said('So.'), developer('Rules.'), HI_ITEM),
    says: ['First.', 'So.', 'Rules.'],
  },
])

test.each([...MESSAGES, ...CHAT, ...RESPONSES, ...GEMINI, ...toEveryWire(CHATS)])(
  '$report',
  expectAccepted,
)
