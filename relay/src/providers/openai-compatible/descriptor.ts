import { openaiModels } from '../../openai-models.ts'
import {
  OPENAI_ENDPOINTS,
  type ProviderColor,
  type ProviderDescriptor,
  words,
} from '../../provider.ts'
import { openaiApi, ownAddressField } from '../../proxy-address-field.ts'

/* Types for vendors that speak OpenAI's API and need no codec. */

export const openai = {
  ...openaiApi,
  type: 1,
  name: { en: 'OpenAI', zh: 'OpenAI' },
  color: 'green',
  baseUrl: 'https://api.openai.com',
  models: openaiModels,
  balanceUnit: 'usd',
  supports: OPENAI_ENDPOINTS,
} as const satisfies ProviderDescriptor

export const baichuan = {
  ...openaiApi,
  type: 26,
  name: { en: 'Baichuan', zh: '百川大模型' },
  color: 'orange',
  baseUrl: 'https://api.baichuan-ai.com',
  models: words(`
    Baichuan-M2 Baichuan-M3 Baichuan4 Baichuan4-Turbo Baichuan4-Air Baichuan3-Turbo
    Baichuan3-Turbo-128k Baichuan2-Turbo Baichuan2-Turbo-192k Baichuan-Text-Embedding
  `),
  streamUsage: 'always',
  supports: ['chat', 'embeddings'],
} as const satisfies ProviderDescriptor

export const groq = {
  ...openaiApi,
  type: 29,
  name: { en: 'Groq', zh: 'Groq' },
  color: 'orange',
  baseUrl: 'https://api.groq.com/openai',
  models: words(`
    openai/gpt-oss-120b openai/gpt-oss-20b openai/gpt-oss-safeguard-20b qwen/qwen3.8-27b
    groq/compound groq/compound-mini whisper-large-v3-turbo whisper-large-v3
    canopylabs/orpheus-v1-english canopylabs/orpheus-arabic-saudi
    meta-llama/llama-prompt-guard-2-86m meta-llama/llama-prompt-guard-2-22m
  `),
  dropFields: ['logit_bias', 'logprobs', 'top_logprobs'],
  supports: ['chat', 'speech', 'transcriptions', 'translations'],
} as const satisfies ProviderDescriptor

export const lingyiwanwu = {
  ...openaiApi,
  type: 31,
  name: { en: '01.AI', zh: '零一万物' },
  color: 'green',
  baseUrl: 'https://api.lingyiwanwu.com',
  models: words(`
    yi-lightning yi-lightning-lite yi-large yi-medium yi-medium-200k yi-large-turbo yi-large-rag
    yi-large-fc yi-vision yi-vision-v2 yi-spark yi-34b-chat-0205 yi-34b-chat-200k yi-vl-plus
  `),
  streamUsage: 'always',
  supports: ['chat'],
} as const satisfies ProviderDescriptor

export const moonshot = {
  ...openaiApi,
  type: 25,
  name: { en: 'Moonshot AI', zh: 'Moonshot AI' },
  color: 'black',
  baseUrl: 'https://api.moonshot.cn',
  models: [
    'kimi-k3.1-pro',
    'kimi-k3.1-pro-highspeed',
    'kimi-k3',
    'kimi-k2.7-code',
    'kimi-k2.7-code-highspeed',
    'kimi-k2.6',
  ],
  prefill: { member: 'partial', repeatsPrefill: false, excludesJson: true },
  supports: ['chat'],
} as const satisfies ProviderDescriptor

export const qihoo360 = {
  ...openaiApi,
  type: 19,
  name: { en: '360 Zhinao', zh: '360 智脑' },
  color: 'blue',
  baseUrl: 'https://ai.360.cn',
  models: words(`
    360gpt-turbo 360gpt-turbo-responsibility-8k 360zhinao2-o1 360gpt2-o1 360gpt2-pro 360gpt-pro
    360GPT_S2_V9 embedding_s1_v1 embedding-bert-512-v1 semantic_similarity_s1_v1
  `),
  streamUsage: 'always',
  supports: ['chat', 'embeddings'],
} as const satisfies ProviderDescriptor

export const openrouter = {
  ...openaiApi,
  type: 20,
  name: { en: 'Proxy: OpenRouter', zh: '代理：OpenRouter' },
  color: 'black',
  baseUrl: 'https://openrouter.ai/api',
  models: words(`
    openrouter/auto openai/gpt-6.2-astra openai/gpt-6.2-sol openai/gpt-6-luna openai/gpt-5.4
    openai/gpt-oss-120b openai/gpt-oss-20b anthropic/claude-fable-5.2 anthropic/claude-opus-5.5
    anthropic/claude-sonnet-5.5 anthropic/claude-haiku-5.5 google/gemini-4-neon
    google/gemini-4-argon google/gemini-3.8-flash x-ai/grok-4.7 deepseek/deepseek-v4-pro
    mistralai/mistral-medium-3.5 mistralai/mistral-nemo qwen/qwen3.8-max moonshotai/kimi-k3.1-pro
    z-ai/glm-5.3 minimax/minimax-m3
  `),
  balanceUnit: 'usd',
  streamUsage: 'always',
  headers: 'openrouter',
  supports: ['chat', 'completions', 'embeddings', 'rerank'],
} as const satisfies ProviderDescriptor

/*
 * Types that One API added after the first 31, with its numbers, so that channels keep their type
 * when a database moves here. All speak OpenAI's API. Some serve it at a path of their own, which a
 * channel's address may or may not contain.
 */

type Row = Omit<ProviderDescriptor, keyof typeof openaiApi> & Partial<ProviderDescriptor>

const ROWS: readonly Row[] = [
  {
    type: 32,
    name: { en: 'StepFun', zh: '阶跃星辰' },
    color: 'blue',
    baseUrl: 'https://api.stepfun.com',
    models: words('step-5-preview step-3.7-flash step-3.5-flash'),
    supports: ['chat', 'images', 'speech', 'transcriptions'],
  },
  {
    type: 35,
    name: { en: 'Cohere', zh: 'Cohere' },
    color: 'blue',
    baseUrl: 'https://api.cohere.ai',
    versionPath: '/compatibility/v1',
    models: words('command-a command-r-plus command-r command-r7b embed-v4.0'),
    // docs.cohere.com/docs/compatibility-api
    dropFields: words(`
      store metadata logit_bias top_logprobs n prediction service_tier parallel_tool_calls
    `),
    supports: ['chat', 'embeddings'],
  },
  {
    type: 36,
    name: { en: 'DeepSeek', zh: 'DeepSeek' },
    color: 'blue',
    baseUrl: 'https://api.deepseek.com',
    models: words('deepseek-v4-pro deepseek-flash'),
    balanceUnit: 'cny',
    supports: ['chat'],
  },
  {
    type: 39,
    name: { en: 'Together AI', zh: 'Together AI' },
    color: 'blue',
    baseUrl: 'https://api.together.xyz',
    models: words(`
      deepseek-ai/DeepSeek-V4.1-Flash moonshotai/Kimi-K3.1-Pro zai-org/GLM-5.3 openai/gpt-oss-120b
    `),
    supports: ['chat', 'completions', 'embeddings', 'images', 'rerank'],
  },
  {
    type: 40,
    name: { en: 'Doubao (Volcengine)', zh: '字节豆包（火山方舟）' },
    color: 'blue',
    baseUrl: 'https://ark.cn-beijing.volces.com',
    versionPath: '/api/v3',
    models: words(`
      doubao-seed-2-1-pro-260915 doubao-seed-2-1-lite-260915 doubao-seed-2-0-mini-260428
    `),
    supports: ['chat', 'embeddings', 'images'],
  },
  {
    type: 41,
    name: { en: 'Novita AI', zh: 'Novita AI' },
    color: 'purple',
    baseUrl: 'https://api.novita.ai/v3/openai',
    versionPath: '',
    models: words('deepseek/deepseek-v3.2 zai-org/glm-4.6 qwen/qwen3-32b'),
    supports: ['chat', 'completions', 'embeddings'],
  },
  {
    type: 44,
    name: { en: 'SiliconFlow', zh: '硅基流动' },
    color: 'violet',
    baseUrl: 'https://api.siliconflow.cn',
    models: words('deepseek-ai/DeepSeek-V3.2 zai-org/GLM-4.6 Qwen/Qwen3-32B'),
    balanceUnit: 'cny',
    supports: ['chat', 'embeddings', 'rerank', 'images', 'speech', 'transcriptions'],
  },
  {
    type: 45,
    name: { en: 'xAI', zh: 'xAI' },
    color: 'black',
    baseUrl: 'https://api.x.ai',
    models: words('grok-4.7 grok-4.6 grok-4.5 grok-code-fast-1'),
    supports: ['chat', 'images'],
  },
  {
    type: 47,
    name: { en: 'Baidu Qianfan V2', zh: '百度千帆 V2' },
    color: 'blue',
    baseUrl: 'https://qianfan.baidubce.com',
    versionPath: '/v2',
    models: words('ernie-5.0-thinking-preview ernie-4.5-turbo-128k ernie-x1-turbo-32k'),
    supports: ['chat', 'embeddings', 'images', 'rerank'],
  },
  {
    type: 48,
    name: { en: 'iFlytek Spark V2', zh: '讯飞星火 V2' },
    color: 'blue',
    baseUrl: 'https://spark-api-open.xf-yun.com',
    models: words('4.0Ultra generalv3.5 max-32k generalv3 pro-128k lite'),
    supports: ['chat'],
  },
  {
    type: 49,
    name: { en: 'Alibaba Bailian (OpenAI API)', zh: '阿里百炼（OpenAI 接口）' },
    color: 'orange',
    baseUrl: 'https://dashscope.aliyuncs.com',
    versionPath: '/compatible-mode/v1',
    models: words('qwen3.7-max qwen3.7-plus qwen3.5-flash qwen3-coder-plus qwen-plus'),
    supports: ['chat', 'embeddings'],
  },
  {
    type: 50,
    name: { en: 'OpenAI compatible (path without /v1)', zh: 'OpenAI 兼容（路径不含 /v1）' },
    color: 'olive',
    baseUrl: '',
    versionPath: '',
    fields: [ownAddressField],
    models: openaiModels,
    supports: OPENAI_ENDPOINTS,
  },
  {
    type: 51,
    name: { en: 'Google Gemini (OpenAI API)', zh: 'Google Gemini（OpenAI 接口）' },
    color: 'orange',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    versionPath: '',
    models: words('gemini-3.8-flash gemini-3.1-pro-preview gemini-2.5-pro gemini-2.5-flash'),
    supports: ['chat', 'embeddings', 'images'],
  },
]

export const openaiCompatible = ROWS.map((row): ProviderDescriptor => ({ ...openaiApi, ...row }))

type Reseller = readonly [
  type: number,
  name: string,
  color: ProviderColor,
  baseUrl: string,
  balanceUnit: ProviderDescriptor['balanceUnit'],
]

const RESELLERS: readonly Reseller[] = [
  [2, 'API2D', 'blue', 'https://oa.api2d.net', null],
  [5, 'OpenAI-SB', 'brown', 'https://api.openai-sb.com', 'cny/10000'],
  [7, 'OhMyGPT', 'purple', 'https://api.ohmygpt.com', null],
  [10, 'AI Proxy', 'purple', 'https://api.aiproxy.io', 'number'],
  [4, 'CloseAI', 'teal', 'https://api.closeai-proxy.xyz', 'cny'],
  [6, 'OpenAI Max', 'violet', 'https://api.openaimax.com', null],
  [9, 'AI.LS', 'yellow', 'https://api.caipacity.com', null],
  [12, 'API2GPT', 'blue', 'https://api.api2gpt.com', 'cny'],
  [13, 'AIGC2D', 'purple', 'https://api.aigc2d.com', 'number'],
]

/** Resellers of OpenAI's API, in the order of the console's forms. */
export const resellers = RESELLERS.map(
  ([type, name, color, baseUrl, balanceUnit]): ProviderDescriptor => ({
    ...openaiApi,
    type,
    name: { en: `Proxy: ${name}`, zh: `代理：${name}` },
    color,
    baseUrl,
    models: openaiModels,
    balanceUnit,
    supports: OPENAI_ENDPOINTS,
  }),
)
