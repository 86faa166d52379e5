import type { ProviderCodec } from './codec/provider-codec.ts'
import type { ProviderDescriptor, ProviderDialect } from './provider.ts'
import { aiProxyLibraryCodec } from './providers/ai-proxy-library/codec.ts'
import { azureCodec } from './providers/azure-openai/codec.ts'
import { minimaxCodec } from './providers/minimax/codec.ts'
import { ollamaCodec } from './providers/ollama/codec.ts'
import { sparkCodec } from './providers/spark/codec.ts'

/** Of every dialect that is spoken, except OpenAI's, which needs none. */
const codecs: Readonly<Partial<Record<ProviderDialect, ProviderCodec>>> = {
  azure: azureCodec,
  minimax: minimaxCodec,
  ollama: ollamaCodec,
  spark: sparkCodec,
  'ai-proxy-library': aiProxyLibraryCodec,
}

/** Undefined for providers that speak OpenAI's dialect. */
export const codecOf = ({ dialect }: ProviderDescriptor): ProviderCodec | undefined =>
  codecs[dialect]
