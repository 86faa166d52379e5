import type { ProviderCodec } from './codec/provider-codec.ts'
import type { ProviderDescriptor, ProviderDialect } from './provider.ts'
import { aliCodec } from './providers/ali/codec.ts'
import { anthropicCodec } from './providers/anthropic/codec.ts'
import { baiduCodec } from './providers/baidu/codec.ts'
import { geminiCodec } from './providers/google-gemini/codec.ts'
import { palmCodec } from './providers/google-palm/codec.ts'
import { tencentCodec } from './providers/tencent/codec.ts'
import { zhipuCodec } from './providers/zhipu/codec.ts'

/** Of every dialect that is spoken, except OpenAI's, which needs none. */
const codecs: Readonly<Partial<Record<ProviderDialect, ProviderCodec>>> = {
  ali: aliCodec,
  anthropic: anthropicCodec,
  baidu: baiduCodec,
  gemini: geminiCodec,
  palm: palmCodec,
  tencent: tencentCodec,
  zhipu: zhipuCodec,
}

/** Undefined for providers that speak OpenAI's dialect. */
export const codecOf = ({ dialect }: ProviderDescriptor): ProviderCodec | undefined =>
  codecs[dialect]
