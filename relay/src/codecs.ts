import type { ProviderCodec } from './codec/provider-codec.ts'
import type { ProviderDescriptor, ProviderDialect } from './provider.ts'
import { anthropicCodec } from './providers/anthropic/codec.ts'
import { geminiCodec } from './providers/google-gemini/codec.ts'
import { palmCodec } from './providers/google-palm/codec.ts'

/** Of every dialect that is spoken, except OpenAI's, which needs none. */
const codecs: Readonly<Partial<Record<ProviderDialect, ProviderCodec>>> = {
  anthropic: anthropicCodec,
  gemini: geminiCodec,
  palm: palmCodec,
}

/** Undefined for providers that speak OpenAI's dialect. */
export const codecOf = ({ dialect }: ProviderDescriptor): ProviderCodec | undefined =>
  codecs[dialect]
