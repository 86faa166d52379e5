import { test } from 'vitest'
import {
  calling,
  callItem,
  chat,
  chatCall,
  HI_CHAT,
  HI_ITEM,
  input,
  MARK,
  output,
  told,
  expectAccepted,
  type Report,
} from './reports.ts'

/* Second turns through gateways: a call and its result, reasoning, marks for caches. */

const SIGNED = { type: 'thinking', thinking: 'Hm.', signature: 'EqoBCkgIARAB', ...MARK }

const REPORTS: readonly Report[] = [
  {
    report: 'QuantumNous/new-api#3040: results of parallel calls, each in a message of its own',
    wire: 'chat',
    isTranslated: true,
    model: /claude/,
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
    wire: 'chat',
    isTranslated: true,
    model: /gemini-3/,
    body: chat(HI_CHAT, calling(chatCall('a')), told('a')),
    says: ['"thoughtSignature"', 'It is empty.'],
  },
  {
    report: 'router-for-me/CLIProxyAPI#3587: reasoning under the name of another vendor',
    wire: 'chat',
    model: /^(?:deepseek-v4|mimo|kimi-k3)/,
    body: chat(HI_CHAT, { ...calling(chatCall('a')), reasoning: 'Hm.' }, told('a')),
    says: ['"reasoning_content":"Hm."', 'It is empty.'],
    lacks: ['"reasoning":'],
  },
  {
    report: 'danny-avila/LibreChat#13366: lost reasoning of a model that OpenRouter serves',
    wire: 'chat',
    model: /^deepseek\//,
    body: chat(HI_CHAT, calling(chatCall('a')), told('a')),
    says: ['"reasoning":" "', 'It is empty.'],
  },
  {
    report:
      'zeroclaw-labs/zeroclaw#3572: the name stands at the call, and not only in its function',
    wire: 'chat',
    model: /^mistral-large/,
    body: chat(HI_CHAT, calling({ ...chatCall('abcDEF123'), name: null }), told('abcDEF123')),
    says: ['It is empty.'],
    lacks: ['"name":null'],
  },
  {
    report: 'BerriAI/litellm#24031: the index of a call, kept from a stream',
    wire: 'chat',
    model: /^(?:command|llama)/,
    body: chat(HI_CHAT, calling({ ...chatCall('a'), index: 0 }), told('a')),
    says: ['It is empty.'],
    lacks: ['"index"'],
  },
  {
    report: 'vercel/ai#8057: reasoning sent back to a model without it',
    wire: 'chat',
    model: /^llama/,
    body: chat(HI_CHAT, { ...calling(chatCall('a')), reasoning: 'Hm.' }, told('a')),
    says: ['It is empty.'],
    lacks: ['Hm.'],
  },
  {
    report: 'Wei-Shaw/sub2api#225: a mark for the cache on a message with reasoning',
    wire: 'chat',
    isTranslated: true,
    model: /claude/,
    body: chat(
      HI_CHAT,
      { role: 'assistant', content: 'So.', thinking_blocks: [SIGNED], ...MARK },
      HI_CHAT,
    ),
    says: ['So.', 'EqoBCkgIARAB'],
    lacks: ['"EqoBCkgIARAB","cache_control"'],
  },
  {
    report: 'looplj/axonhub#2220: reasoning between parallel calls of Codex',
    wire: 'responses',
    isTranslated: true,
    model: /deepseek-v4|gpt-4.1|kimi|mistral|claude/,
    body: input(
      HI_ITEM,
      callItem('call_1'),
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      callItem('call_2'),
      output('call_2'),
      { role: 'assistant', content: [{ type: 'output_text', text: 'So.' }] },
      output('call_1'),
      HI_ITEM,
    ),
    says: ['So.', 'empty'],
    lacks: ['aborted'],
  },
  {
    report:
      'BerriAI/litellm#38053: a system message in the middle, which must not change the prefix',
    wire: 'chat',
    isTranslated: true,
    model: /claude/,
    body: chat(
      { role: 'system', content: 'Be brief.' },
      HI_CHAT,
      { role: 'assistant', content: 'So.' },
      { role: 'system', content: 'Be kind.' },
      HI_CHAT,
    ),
    says: ['"system":[{"type":"text","text":"Be brief."}]', 'Be kind.'],
  },
]

test.each(REPORTS)('$report', expectAccepted)
