import type { StrictVendor } from '../../../relay/testing/vendors/strict-vendor.ts'
import { VENDORS } from '../../../relay/testing/vendors/vendors.ts'
import type { Wire } from '../clients/received-chat.ts'
import { anthropicWire } from '../clients/wires/anthropic.ts'
import { geminiWire } from '../clients/wires/gemini.ts'
import { ollamaWire } from '../clients/wires/ollama.ts'
import { openaiWire } from '../clients/wires/openai.ts'

/** A channel at the address of a vendor, whose double refuses what the vendor refuses. */
export type Double = {
  readonly name: string
  readonly title: string
  /** Checked in order; a rule set is silent about paths that its vendor does not have. */
  readonly vendors: readonly StrictVendor[]
  readonly type: number
  /** Over plain HTTP. The channel's proxy leads there, so that the product sees the real host. */
  readonly address: string
  readonly other?: string
  /** Unique: the model of a request chooses the channel. */
  readonly model: string
  readonly wire: Wire
  /** Where chat completions of the vendor hold reasoning; null if it is hidden. */
  readonly reasoningMember: 'reasoning_content' | 'reasoning' | null
  /** Its runs become tapes. The other doubles leave the same kinds of history. */
  readonly isTaped: boolean
  readonly callId: (name: string, index: number) => string
}

const CUSTOM = 8
const ANY = /^\//
const chat = openaiWire({ paths: [ANY, ANY] })

const vendor = (name: string): StrictVendor => {
  const found = VENDORS.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no rules of ${name}`)
  return found
}

type Row = Pick<Double, 'type' | 'address' | 'model'> & Partial<Double>

const row = (name: string, { vendors = [vendor(name)], ...given }: Row): Double => ({
  name,
  title: vendors[0]?.title ?? name,
  vendors,
  wire: chat,
  reasoningMember: 'reasoning_content',
  isTaped: false,
  callId: (_name, index) => `call_${index}`,
  ...given,
})

const DIGITS = 9

/** As Mistral's parser of calls gives them, also in vLLM. */
const shortId: Double['callId'] = (_name, index) => String(index).padStart(DIGITS, 'a')

const OPENAI = [vendor('openai'), vendor('openai-responses')]

export const DOUBLES: readonly Double[] = [
  row('openai', {
    vendors: OPENAI,
    title: 'OpenAI',
    type: 1,
    address: 'http://api.openai.com',
    model: 'gpt-5.4',
    reasoningMember: null,
  }),
  row('openai-5.6', {
    vendors: OPENAI,
    title: 'OpenAI',
    type: 1,
    address: 'http://api.openai.com',
    model: 'gpt-5.6-luna',
    reasoningMember: null,
    isTaped: true,
  }),
  row('openai-responses', {
    vendors: OPENAI,
    title: 'OpenAI',
    reasoningMember: null,
    type: 1,
    address: 'http://api.openai.com',
    model: 'gpt-5.3-codex',
  }),
  row('azure', {
    reasoningMember: null,
    type: 3,
    address: 'http://my-resource.openai.azure.com',
    other: '2024-10-21',
    model: 'gpt-4.1',
  }),
  row('anthropic', {
    isTaped: true,
    type: 14,
    address: 'http://api.anthropic.com',
    model: 'claude-sonnet-4-6',
    wire: anthropicWire,
    callId: (_name, index) => `toolu_01A${index}`,
  }),
  row('gemini-2.5', {
    vendors: [vendor('gemini')],
    type: 24,
    address: 'http://generativelanguage.googleapis.com',
    model: 'gemini-2.5-flash',
    wire: geminiWire,
  }),
  row('gemini-3', {
    isTaped: true,
    vendors: [vendor('gemini')],
    type: 24,
    address: 'http://generativelanguage.googleapis.com',
    model: 'gemini-3.1-pro-preview',
    wire: geminiWire,
  }),
  row('deepseek', {
    isTaped: true,
    type: CUSTOM,
    address: 'http://api.deepseek.com',
    model: 'deepseek-v4-pro',
    callId: (_name, index) => `call_00_${index}abcdefghijklmnopqrstuvw`,
  }),
  row('moonshot', {
    type: 25,
    address: 'http://api.moonshot.cn',
    model: 'kimi-k3',
    callId: (name, index) => `functions.${name}:${index}`,
  }),
  row('zhipu', { type: 16, address: 'http://open.bigmodel.cn', model: 'glm-5.2' }),
  row('minimax', { type: 27, address: 'http://api.minimax.chat', model: 'MiniMax-M3' }),
  row('qwen', {
    type: CUSTOM,
    address: 'http://dashscope.aliyuncs.com/compatible-mode/v1',
    model: 'qwen-plus',
  }),
  row('mimo', { type: CUSTOM, address: 'http://api.xiaomimimo.com/v1', model: 'mimo-v2.5-pro' }),
  row('openrouter', {
    vendors: [vendor('openrouter'), vendor('openai-responses')],
    reasoningMember: 'reasoning',
    type: 20,
    address: 'http://openrouter.ai/api',
    model: 'anthropic/claude-sonnet-4.6',
    callId: (_name, index) => `toolu_01B${index}`,
  }),
  row('xai', {
    vendors: [vendor('xai'), vendor('openai-responses')],
    type: CUSTOM,
    address: 'http://api.x.ai',
    model: 'grok-4',
  }),
  row('mistral', {
    type: 28,
    address: 'http://api.mistral.ai',
    model: 'mistral-large-latest',
    callId: shortId,
  }),
  row('groq', {
    reasoningMember: 'reasoning',
    type: 29,
    address: 'http://api.groq.com/openai',
    model: 'openai/gpt-oss-120b',
  }),
  row('cohere', {
    title: 'Cohere',
    type: 35,
    address: 'http://api.cohere.ai',
    model: 'command-a-03-2025',
    callId: (name, index) => `${name}${index}`,
  }),
  row('ollama', {
    type: 30,
    address: 'http://ollama.example.com',
    model: 'qwen3',
    wire: ollamaWire,
  }),
  row('vllm', {
    type: CUSTOM,
    address: 'http://vllm.example.com',
    model: 'mistral-7b-instruct',
    callId: shortId,
  }),
  row('vllm-qwen', {
    vendors: [vendor('vllm')],
    type: CUSTOM,
    address: 'http://vllm.example.com',
    model: 'Qwen/Qwen3.6-27B',
    callId: (_name, index) => `chatcmpl-tool-${index}`,
  }),
]
