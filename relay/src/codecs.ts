import { memoizeFor } from './bytes/memoize.ts'
import type { Steps } from './bytes/steps.ts'
import {
  isTaskEndpoint,
  type ProviderDescriptor,
  type ProviderDialect,
  type RelayEndpoint,
  type TaskEndpoint,
} from './provider.ts'
import { aiProxyLibraryCodec } from './providers/ai-proxy-library/codec.ts'
import { aliCodec } from './providers/ali/codec.ts'
import { anthropicCodec } from './providers/anthropic/codec.ts'
import { azureCodec } from './providers/azure-openai/codec.ts'
import { baiduCodec } from './providers/baidu/codec.ts'
import { geminiCodec } from './providers/google-gemini/codec.ts'
import { palmCodec } from './providers/google-palm/codec.ts'
import { minimaxCodec } from './providers/minimax/codec.ts'
import { mistral } from './providers/mistral/descriptor.ts'
import { mistralSpeech } from './providers/mistral/speech.ts'
import { ollamaCodec } from './providers/ollama/codec.ts'
import { responsesCodec, responsesNative } from './providers/openai-responses/codec.ts'
import { sparkCodec } from './providers/spark/codec.ts'
import { tencentCodec } from './providers/tencent/codec.ts'
import { zhipuCodec } from './providers/zhipu/codec.ts'
import type { NativeTarget, RelayRequest } from './relay-request.ts'
import { anthropicNative } from './wires/anthropic-messages/native-codec.ts'
import { geminiNative } from './wires/gemini/native-codec.ts'
import type { NativeCodec } from './wires/native-codec.ts'
import { readsWhole } from './wires/openai-chat/encode-request.ts'
import { prepareRequest } from './wires/openai-chat/read-head.ts'
import { changesMessages } from './wires/openai-chat/vendor-messages.ts'
import type { ProviderCodec, TaskCodec } from './wires/provider-codec.ts'

/** Chat completions need no codec. Responses differ in address by channel type. */
type OwnDialect = Exclude<ProviderDialect, 'openai' | 'responses'>

const codecs: Readonly<Record<OwnDialect, ProviderCodec>> = {
  'ai-proxy-library': aiProxyLibraryCodec,
  ali: aliCodec,
  anthropic: anthropicCodec,
  azure: azureCodec,
  baidu: baiduCodec,
  gemini: geminiCodec,
  minimax: minimaxCodec,
  ollama: ollamaCodec,
  palm: palmCodec,
  spark: sparkCodec,
  tencent: tencentCodec,
  zhipu: zhipuCodec,
}

export function codecOf(descriptor: ProviderDescriptor): ProviderCodec | undefined {
  const { dialect } = descriptor
  if (dialect === 'openai') return undefined
  return dialect === 'responses' ? responsesCodecsOf(descriptor).codec : codecs[dialect]
}

const responsesCodecsOf = memoizeFor((descriptor: ProviderDescriptor) => ({
  codec: responsesCodec(descriptor),
  native: responsesNative(descriptor),
}))

type PreparedTarget = NativeTarget & {
  readonly baseUrl: string
  readonly isTranslated: boolean
}

/** Reads in steps what encoding the request needs for this provider; null if its bytes suffice. */
export function preparation(
  request: RelayRequest,
  descriptor: ProviderDescriptor,
  { isTranslated, baseUrl, ...target }: PreparedTarget,
): Steps<unknown> | null {
  const { native } = request
  if (!isTranslated && native?.dialect === descriptor.dialect) return native.prepare(target)
  const isForeign = request.isTranslated === true
  const isParsed = isForeign || changesMessages(descriptor) || codecOf(descriptor) !== undefined
  const isRead = isParsed || readsWhole(request, { ...target, descriptor, baseUrl })
  return isRead ? prepareRequest(request) : null
}

/** Codecs for single endpoints of providers with OpenAI's dialect, by channel type. */
const taskCodecs: Readonly<Record<number, Readonly<Partial<Record<TaskEndpoint, TaskCodec>>>>> = {
  [mistral.type]: { speech: mistralSpeech },
}

/** Undefined where the endpoint uses the provider's general dialect. */
export const taskCodecOf = (
  { type }: ProviderDescriptor,
  endpoint: RelayEndpoint,
): TaskCodec | undefined => (isTaskEndpoint(endpoint) ? taskCodecs[type]?.[endpoint] : undefined)

const nativeCodecs: Readonly<Partial<Record<ProviderDialect, NativeCodec>>> = {
  anthropic: anthropicNative,
  gemini: geminiNative,
}

/** Codecs of providers whose own dialect clients may speak too. */
export const nativeCodecOf = (descriptor: ProviderDescriptor): NativeCodec | undefined =>
  descriptor.dialect === 'responses'
    ? responsesCodecsOf(descriptor).native
    : nativeCodecs[descriptor.dialect]
