import { anthropic } from './anthropic.rules.ts'
import { azure } from './azure.rules.ts'
import { cohere } from './cohere.rules.ts'
import { deepseek } from './deepseek.rules.ts'
import { gemini } from './gemini.rules.ts'
import { groq } from './groq.rules.ts'
import { mimo } from './mimo.rules.ts'
import { minimax } from './minimax.rules.ts'
import { mistral } from './mistral.rules.ts'
import { moonshot } from './moonshot.rules.ts'
import { ollama } from './ollama.rules.ts'
import { openaiResponses } from './openai-responses.rules.ts'
import { openai } from './openai.rules.ts'
import { openrouter } from './openrouter.rules.ts'
import { qwen } from './qwen.rules.ts'
import type { StrictVendor } from './strict-vendor.ts'
import { vllm } from './vllm.rules.ts'
import { xai } from './xai.rules.ts'
import { zhipu } from './zhipu.rules.ts'

export const VENDORS: readonly StrictVendor[] = [
  openai,
  openaiResponses,
  azure,
  anthropic,
  gemini,
  deepseek,
  moonshot,
  zhipu,
  minimax,
  qwen,
  mimo,
  openrouter,
  xai,
  mistral,
  groq,
  cohere,
  ollama,
  vllm,
]

const BY_TYPE: Readonly<Record<number, StrictVendor>> = {
  1: openai,
  3: azure,
  14: anthropic,
  16: zhipu,
  20: openrouter,
  24: gemini,
  25: moonshot,
  27: minimax,
  28: mistral,
  29: groq,
  30: ollama,
  35: cohere,
  36: deepseek,
  45: xai,
  49: qwen,
  1002: openaiResponses,
  1003: anthropic,
}

/** The vendor of a channel type; undefined for types without rules. */
export const vendorOfType = (type: number): StrictVendor | undefined => BY_TYPE[type]
