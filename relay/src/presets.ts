import { ACCOUNT } from './proxy-address-field.ts'

/**
 * A provider that needs no channel type of its own: it speaks the protocol of `type`, at its own
 * address. The console fills the form of a new channel from it.
 */
export type ChannelPreset = {
  readonly id: string
  readonly name: string
  /** The channel type: custom channel (OpenAI's form), Anthropic, or a type with its own codec. */
  readonly type: number
  /** An address may contain `ACCOUNT`. */
  readonly baseUrl: string
  /** Models offered at first; the form can fetch the provider's own list. */
  readonly models: readonly string[]
  /** The provider's page on keys and addresses, which is also the source of this row. */
  readonly page: string
}

const CUSTOM = 8
const ANTHROPIC = 14

const GLM = ['glm-5.3', 'glm-5.3-flash', 'glm-5.2', 'glm-4.7']
const KIMI = ['kimi-k3.1-pro', 'kimi-k3.1-pro-highspeed', 'kimi-k3', 'kimi-k2.7-code']
const MINIMAX = ['MiniMax-M3.1-Flash', 'MiniMax-M3']
const DOUBAO = [
  'doubao-seed-2-1-pro-260915',
  'doubao-seed-2-1-lite-260915',
  'doubao-seed-2-0-mini-260428',
]
const DEEPSEEK = ['deepseek-v4-pro', 'deepseek-flash']
const MIMO = ['mimo-v2.6-pro', 'mimo-v2.6-flash']
const QWEN_CODE = ['qwen3.8-max', 'qwen3.8-flash', 'qwen3.7-max', 'qwen3-coder-plus']

type Row = Omit<ChannelPreset, 'type' | 'models'> & Partial<ChannelPreset>

const ROWS: readonly Row[] = [
  {
    id: 'deepseek',
    name: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com',
    models: DEEPSEEK,
    page: 'https://api-docs.deepseek.com',
  },
  {
    id: 'deepseek-anthropic',
    name: 'DeepSeek (Anthropic API)',
    type: ANTHROPIC,
    baseUrl: 'https://api.deepseek.com/anthropic',
    models: DEEPSEEK,
    page: 'https://api-docs.deepseek.com/guides/anthropic_api',
  },
  {
    id: 'xai',
    name: 'xAI',
    baseUrl: 'https://api.x.ai',
    models: ['grok-4.7', 'grok-4.6', 'grok-4.5', 'grok-4.3', 'grok-build-0.1'],
    page: 'https://docs.x.ai',
  },
  {
    id: 'volcengine',
    name: 'Volcengine (Doubao)',
    baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
    models: DOUBAO,
    page: 'https://www.volcengine.com/docs/82379',
  },
  {
    id: 'doubao-coding-plan',
    name: 'Doubao Coding Plan (Anthropic API)',
    type: ANTHROPIC,
    baseUrl: 'https://ark.cn-beijing.volces.com/api/coding',
    models: DOUBAO,
    page: 'https://www.volcengine.com/docs/82379',
  },
  {
    id: 'siliconflow',
    name: 'SiliconFlow',
    baseUrl: 'https://api.siliconflow.cn',
    models: ['deepseek-ai/DeepSeek-V3.2', 'zai-org/GLM-4.6', 'Qwen/Qwen3-32B'],
    page: 'https://docs.siliconflow.cn',
  },
  {
    id: 'zhipu-coding-plan',
    name: 'GLM Coding Plan (Anthropic API)',
    type: ANTHROPIC,
    baseUrl: 'https://open.bigmodel.cn/api/anthropic',
    models: GLM,
    page: 'https://docs.bigmodel.cn',
  },
  {
    id: 'zai',
    name: 'z.ai',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    models: GLM,
    page: 'https://docs.z.ai',
  },
  {
    id: 'zai-coding-plan',
    name: 'z.ai GLM Coding Plan (Anthropic API)',
    type: ANTHROPIC,
    baseUrl: 'https://api.z.ai/api/anthropic',
    models: GLM,
    page: 'https://docs.z.ai/devpack/overview',
  },
  {
    id: 'zai-coding-plan-openai',
    name: 'z.ai GLM Coding Plan (OpenAI API)',
    baseUrl: 'https://api.z.ai/api/coding/paas/v4',
    models: GLM,
    page: 'https://docs.z.ai/devpack/overview',
  },
  {
    id: 'moonshot-international',
    name: 'Moonshot AI (international)',
    type: 25,
    baseUrl: 'https://api.moonshot.ai',
    models: KIMI,
    page: 'https://platform.moonshot.ai/docs',
  },
  {
    id: 'moonshot-anthropic',
    name: 'Moonshot AI (Anthropic API)',
    type: ANTHROPIC,
    baseUrl: 'https://api.moonshot.cn/anthropic',
    models: KIMI,
    page: 'https://platform.moonshot.cn/docs',
  },
  {
    id: 'kimi-coding-plan',
    name: 'Kimi Coding Plan (Anthropic API)',
    type: ANTHROPIC,
    baseUrl: 'https://api.kimi.com/coding',
    models: ['kimi-for-coding'],
    page: 'https://www.kimi.com/coding/docs',
  },
  {
    id: 'minimax-international',
    name: 'MiniMax (international)',
    type: 27,
    baseUrl: 'https://api.minimax.io',
    models: MINIMAX,
    page: 'https://platform.minimax.io/docs',
  },
  {
    id: 'minimax-anthropic',
    name: 'MiniMax Coding Plan (Anthropic API)',
    type: ANTHROPIC,
    baseUrl: 'https://api.minimaxi.com/anthropic',
    models: MINIMAX,
    page: 'https://platform.minimaxi.com/docs',
  },
  {
    id: 'qwen-coding-plan',
    name: 'Qwen Coding Plan (Anthropic API)',
    type: ANTHROPIC,
    baseUrl: 'https://coding.dashscope.aliyuncs.com/apps/anthropic',
    models: QWEN_CODE,
    page: 'https://help.aliyun.com/zh/model-studio',
  },
  {
    id: 'qwen-international',
    name: 'Qwen (international)',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    models: QWEN_CODE,
    page: 'https://www.alibabacloud.com/help/en/model-studio',
  },
  {
    id: 'xiaomi-mimo',
    name: 'Xiaomi MiMo',
    baseUrl: 'https://api.xiaomimimo.com',
    models: MIMO,
    page: 'https://platform.xiaomimimo.com',
  },
  {
    id: 'xiaomi-mimo-anthropic',
    name: 'Xiaomi MiMo (Anthropic API)',
    type: ANTHROPIC,
    baseUrl: 'https://api.xiaomimimo.com/anthropic',
    models: MIMO,
    page: 'https://platform.xiaomimimo.com',
  },
  {
    id: 'perplexity',
    name: 'Perplexity',
    baseUrl: 'https://api.perplexity.ai/chat/completions',
    models: ['sonar', 'sonar-pro', 'sonar-reasoning-pro'],
    page: 'https://docs.perplexity.ai',
  },
  {
    id: 'together',
    name: 'Together AI',
    baseUrl: 'https://api.together.xyz',
    models: [
      'deepseek-ai/DeepSeek-V4.1-Flash',
      'moonshotai/Kimi-K3.1-Pro',
      'zai-org/GLM-5.3',
      'openai/gpt-oss-120b',
    ],
    page: 'https://docs.together.ai',
  },
  {
    id: 'fireworks',
    name: 'Fireworks AI',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    models: [
      'accounts/fireworks/models/deepseek-v4p1-flash',
      'accounts/fireworks/models/kimi-k3p1-pro',
      'accounts/fireworks/models/glm-5p3',
    ],
    page: 'https://docs.fireworks.ai',
  },
  {
    id: 'cerebras',
    name: 'Cerebras',
    baseUrl: 'https://api.cerebras.ai',
    models: ['gpt-oss-120b', 'qwen-3.8-27b', 'zai-glm-4.7'],
    page: 'https://inference-docs.cerebras.ai',
  },
  {
    id: 'nvidia',
    name: 'NVIDIA NIM',
    baseUrl: 'https://integrate.api.nvidia.com',
    models: ['openai/gpt-oss-120b', 'meta/llama-3.3-70b-instruct'],
    page: 'https://docs.api.nvidia.com',
  },
  {
    id: 'cohere',
    name: 'Cohere',
    type: 35,
    baseUrl: 'https://api.cohere.ai/compatibility/v1',
    models: ['command-a-plus-05-2026', 'command-a-reasoning-08-2025', 'embed-v5.0-pro'],
    page: 'https://docs.cohere.com/docs/compatibility-api',
  },
  {
    id: 'jina',
    name: 'Jina AI',
    baseUrl: 'https://api.jina.ai',
    models: ['jina-reranker-v3.5', 'jina-reranker-m0'],
    page: 'https://jina.ai',
  },
  {
    id: 'voyage',
    name: 'Voyage AI',
    baseUrl: 'https://api.voyageai.com',
    models: ['voyage-4-large', 'voyage-4', 'voyage-4-lite', 'voyage-code-4'],
    page: 'https://docs.voyageai.com',
  },
  {
    id: 'cloudflare',
    name: 'Cloudflare Workers AI',
    baseUrl: `https://api.cloudflare.com/client/v4/accounts/${ACCOUNT}/ai/v1`,
    models: ['@cf/openai/gpt-oss-120b', '@cf/meta/llama-3.3-70b-instruct-fp8-fast'],
    page: 'https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility',
  },
  {
    id: 'github-models',
    name: 'GitHub Models',
    baseUrl: 'https://models.github.ai/inference/chat/completions',
    models: ['openai/gpt-4.1', 'openai/gpt-4.1-mini', 'deepseek/DeepSeek-V3-0324'],
    page: 'https://docs.github.com/en/rest/models',
  },
  {
    id: 'vllm',
    name: 'vLLM',
    baseUrl: 'http://127.0.0.1:8000',
    page: 'https://docs.vllm.ai',
  },
  {
    id: 'sglang',
    name: 'SGLang',
    baseUrl: 'http://127.0.0.1:30000',
    page: 'https://docs.sglang.ai',
  },
  {
    id: 'lm-studio',
    name: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234',
    page: 'https://lmstudio.ai/docs',
  },
  {
    id: 'llama-cpp',
    name: 'llama.cpp server',
    baseUrl: 'http://127.0.0.1:8080',
    page: 'https://github.com/ggml-org/llama.cpp/tree/master/tools/server',
  },
]

/** In the order of the console's list. Data only: browsers load it too. */
export const presets = ROWS.map((row): ChannelPreset => ({ type: CUSTOM, models: [], ...row }))
