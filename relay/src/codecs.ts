import type { ProviderCodec } from './codec/provider-codec.ts'
import type { ProviderDescriptor, ProviderDialect } from './provider.ts'
import { azureCodec } from './providers/azure-openai/codec.ts'
import { ollamaCodec } from './providers/ollama/codec.ts'

/** Of every dialect that is spoken, except OpenAI's, which needs none. */
const codecs: Readonly<Partial<Record<ProviderDialect, ProviderCodec>>> = {
  azure: azureCodec,
  ollama: ollamaCodec,
}

/** Undefined for providers that speak OpenAI's dialect. */
export const codecOf = ({ dialect }: ProviderDescriptor): ProviderCodec | undefined =>
  codecs[dialect]
