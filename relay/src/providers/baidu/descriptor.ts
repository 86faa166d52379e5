import { type ProviderDescriptor, words } from '../../provider.ts'
import { ownApi } from '../../proxy-address-field.ts'

export const baidu = {
  ...ownApi,
  type: 15,
  name: { en: 'Baidu Wenxin', zh: '百度文心千帆' },
  color: 'blue',
  baseUrl: 'https://aip.baidubce.com',
  dialect: 'baidu',
  keyFormat: 'APIKey|SecretKey',
  // A token and a V2 key have one part.
  keyPattern: /^(?:bce-v3\/.+|[^|]+|[^|]+\|[^|]+)$/,
  models: words(`
    ernie-5.0-thinking-preview ernie-4.5-turbo-128k ernie-4.5-turbo-32k ernie-4.5-turbo-latest
    ernie-4.5-turbo-vl ernie-x1.1-preview ernie-x1-turbo-32k ernie-4.5-8k-preview
    ernie-4.5-21b-a3b ernie-speed-8k ernie-speed-128k ernie-lite-8k ernie-tiny-8k
    ernie-speed-pro-128k ernie-lite-pro-128k ernie-char-8k ernie-novel-8k ERNIE-4.0-8K
    ERNIE-3.5-8K Embedding-V1 bge-large-zh bge-large-en tao-8k bce-reranker-base qwen3-reranker-8b
    ERNIE-3.5-8K-0205 ERNIE-3.5-8K-1222 ERNIE-3.5-4K-0205 ERNIE-Speed-8K ERNIE-Speed-128K
    ERNIE-Lite-8K-0922 ERNIE-Lite-8K-0308 ERNIE-Tiny-8K
  `),
  supports: ['chat', 'embeddings', 'images', 'rerank'],
} as const satisfies ProviderDescriptor
