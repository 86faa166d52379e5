import { openaiModels } from '../../openai-models.ts'
import { OPENAI_ENDPOINTS, type ProviderDescriptor, words } from '../../provider.ts'
import { openaiApi, ownAddressField } from '../../proxy-address-field.ts'

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
      store metadata logit_bias top_logprobs prediction service_tier parallel_tool_calls
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
