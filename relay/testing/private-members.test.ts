import { expect, test } from 'vitest'
import { catalogue } from '../src/catalogue.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { anthropicDialect } from '../src/wires/anthropic-messages/dialect.ts'
import { cipherFor } from '../src/wires/openai-responses/testing/readable-cipher.ts'
import { encodeChat } from './client-request.ts'

/* Signed reasoning and marks of caches mean something to Anthropic alone. */

const MARK = { cache_control: { type: 'ephemeral' } }
const SIGNED = { type: 'thinking', thinking: 'Hm.', signature: 'EqoBCkgIARAB' }

const body = {
  model: 'm',
  max_tokens: 100,
  system: [{ type: 'text', text: 'Be brief.', ...MARK }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'hi', ...MARK }] },
    { role: 'assistant', content: [SIGNED, { type: 'text', text: 'Hello.' }] },
    { role: 'user', content: 'And now?' },
  ],
}

/** Alibaba's own API has the same marks. */
const MARKING = ['ali', 'anthropic']

const types = catalogue
  .filter(({ dialect, supports }) => supports.includes('chat') && !MARKING.includes(dialect))
  .map((descriptor) => [descriptor.name.en, descriptor] as const)

const KEY = 'id|secret|third'
/** Keys that select the vendor's API in OpenAI's form. */
const OTHER_KEYS: Readonly<Record<string, string>> = { baidu: 'bce-v3/ALTAK-x/y', tencent: 'sk-x' }

test.each(types)('%s gets no members of Anthropic', (_name, descriptor) => {
  for (const key of [KEY, OTHER_KEYS[descriptor.dialect] ?? KEY]) {
    const channel = { baseUrl: descriptor.baseUrl || 'https://a.example', key, other: '' }
    const model = descriptor.models?.[0] ?? 'm'
    const sent = encodeChat(anthropicDialect(cipherFor), { descriptor, channel }, { model, body })
    if (isRequestProblem(sent)) continue
    const text = sent.body.toString()
    expect(text).toContain('And now?')
    expect(text).not.toMatch(/cache_control|thinking_blocks|signature|EqoBCkgIARAB/)
  }
})
