import { expect, test } from 'vitest'
import { type JsonRecord, parseJson } from '../src/bytes/json-value.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { encodeChat } from './client-request.ts'
import type { Wire } from './histories.ts'
import { CLIENTS, providerAt, requestTo, TARGETS } from './vendors/sent-requests.ts'
import { brokenRules } from './vendors/strict-vendor.ts'

/*
 * Histories of public reports about agents and gateways, each sent to the vendor that refused it in
 * the report. `says` is what the vendor must still get of it.
 */

type Report = {
  readonly report: string
  readonly wire: Wire
  readonly model: RegExp
  /** The vendor speaks another wire than the client. */
  readonly isTranslated?: true
  readonly body: JsonRecord
  readonly says: readonly string[]
  readonly lacks?: readonly string[]
}

const text = (words: string) => ({ type: 'text', text: words })
const user = (...content: unknown[]) => ({ role: 'user', content })
const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
const use = (id: string) => ({ type: 'tool_use', id, name: 'read', input: { path: id } })
const result = (id: string, content: unknown = 'It is empty.') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
})
const HI = user(text('Read the files.'))
const TOOL = { name: 'read', input_schema: { type: 'object', properties: {} } }
const MORE = { model: 'm', max_tokens: 2000, tools: [TOOL] }
const messages = (...list: unknown[]) => ({ ...MORE, messages: list })

const parts = (role: string, ...list: unknown[]) => ({ role, parts: list })
const call = (name: string) => ({ functionCall: { name, args: {} } })
const response = (name: string) => ({ functionResponse: { name, response: { output: 'empty' } } })
const HI_GEMINI = parts('user', { text: 'Read the files.' })
const contents = (...list: unknown[]) => ({ contents: list })

const callItem = (id: string) => ({
  type: 'function_call',
  call_id: id,
  name: 'read',
  arguments: '{}',
})
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'empty' })
const PNG = 'iVBORw0KGgo='
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }
const MARK = { cache_control: { type: 'ephemeral' } }
const marked = (words: string) => ({ ...text(words), ...MARK })

const chatCall = (id: string, name = 'read') => ({
  id,
  type: 'function',
  function: { name, arguments: '{}' },
})
const calling = (...calls: object[]) => ({ role: 'assistant', content: null, tool_calls: calls })
const told = (id: string, content: unknown = 'It is empty.') => ({
  role: 'tool',
  tool_call_id: id,
  content,
})
const HI_CHAT = { role: 'user', content: 'Read the files.', name: 'ann' }
const chat = (...list: unknown[]) => ({ model: 'm', messages: list })

const HI_ITEM = { role: 'user', content: 'Read the files.' }
const input = (...list: unknown[]) => ({ model: 'm', store: false, input: list })

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
    model: /deepseek|kimi|mimo/,
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
]

test.each(REPORTS)('$report', ({ wire, model, body, says, isTranslated = false, lacks = [] }) => {
  const client = CLIENTS[wire] ?? expect.fail(wire)
  const targets = TARGETS.filter(
    (target) =>
      model.test(target.model) &&
      client.wires.includes(providerAt(target).descriptor.dialect) !== isTranslated,
  )
  expect(targets).not.toEqual([])
  for (const target of targets) {
    const provider = providerAt(target)
    const sent = encodeChat(client.dialect(), provider, { model: target.model, body })
    if (isRequestProblem(sent)) expect.fail(sent.message)
    const json = sent.body.toString()
    const request = requestTo(target.vendor, { ...sent, body: parseJson(json) })
    expect(request && brokenRules(target.vendor, request)).toEqual([])
    for (const words of says) expect(json).toContain(words)
    for (const words of lacks) expect(json).not.toContain(words)
  }
})
