export { BALANCE_TYPES, balanceQuery, isMoneyBalance } from './balance.ts'
export { modelListRequest, readModelList } from './model-list.ts'
export { ByteCollector } from './bytes/byte-collector.ts'
export { catalogue, descriptorOf, isServable, moneyBalance } from './catalogue.ts'
export {
  isTaskEndpoint,
  RELAY_PATHS,
  type ChannelOffer,
  type ProviderDescriptor,
  type RelayEndpoint,
} from './provider.ts'
export { siteHeaders, upstreamHeaders, upstreamUrl } from './addresses/upstream-request.ts'
export { Adaptations } from './fit/adaptations.ts'
export { codecOf, nativeCodecOf, preparation, taskCodecOf } from './codecs.ts'
export type { AnswerHead, StreamEvent } from './form/events.ts'
export { outputText } from './form/events.ts'
export type { EventReader } from './streams/event-reader.ts'
export type { NativeCodec } from './wires/native-codec.ts'
export { openaiFormDecoder } from './wires/openai-chat/openai-form.ts'
export { NameRestorer } from './fit/names.ts'
export type { ContentCipher } from './form/content-cipher.ts'
export type { ChatForm } from './form/request.ts'
export {
  type EncodedCall,
  type KeyExchange,
  type ProviderCodec,
  type ProviderCall,
  type TaskCodec,
  type TaskQueue,
} from './wires/provider-codec.ts'
export { type Decoded } from './form/answer.ts'
export { type StreamDecoder } from './form/chat-chunk.ts'
export { MalformedKey, UnsupportedParameterError } from './form/codec-errors.ts'
export { encodeRequest, ownRenames, requestForCodec } from './wires/openai-chat/encode-request.ts'
export { type EncodingTarget, fitRequest } from './wires/fit-request.ts'
export { textBytes } from './wires/openai-chat/read-head.ts'
export type { CountOptions, NativeForm, RelayRequest, Task } from './relay-request.ts'
export { type AnswerForm, type AnswerSummary, summaryOf } from './usage/answer-summary.ts'
export type { Answer } from './form/answer.ts'
export { gathered } from './streams/gather-answer.ts'
export { isRequestProblem, type RequestProblem } from './errors/request-problem.ts'
export { readChatAnswer } from './wires/openai-chat/chat-answer.ts'
export { readAnswer, skippedMembers } from './wires/openai-chat/answer-summary.ts'
export { isTextOnly, hasPrefill, isContinuable } from './wires/openai-chat/vendor-messages.ts'
export { readTask } from './tasks/read-task.ts'
export { formType, newBoundary, writeForm } from './tasks/form.ts'
export { pricedPiece } from './tasks/priced-piece.ts'
export { type AnswerObserver, TaskObserver } from './tasks/task-observer.ts'
export {
  chatDialect as openaiDialect,
  textToolsDialect,
} from './wires/openai-responses/chat-dialect.ts'
export { anthropicDialect } from './wires/anthropic-messages/dialect.ts'
export { compactDialect } from './wires/openai-responses/compact-dialect.ts'
export { createResponsesDialect } from './wires/openai-responses/dialect.ts'
export { RecentItems } from './wires/openai-responses/recent-items.ts'
export { geminiCallAt, geminiDialect } from './wires/gemini/dialect.ts'
export type {
  ClientDialect,
  ListedModel,
  ClientError,
  FinalUsage,
  PassedStream,
  StreamEncoder,
  TokenCounting,
  StoredEntry,
} from './wires/client-dialect.ts'
export { NativeStream } from './watch/native-stream.ts'
export { headOf } from './wires/openai-chat/final-usage.ts'
export { StreamContinuation } from './watch/continuation.ts'
export { StreamObserver } from './watch/stream-observer.ts'
export { ChatStream } from './watch/chat-stream.ts'
export { withUsage } from './wires/openai-chat/final-usage.ts'
export { withCost, withCostAtEnd } from './wires/cost-member.ts'
export type { CountableOutput } from './watch/output-buffer.ts'
export { isRecord, type JsonRecord, member, parseJson, textOf } from './bytes/json-value.ts'
export { NO_USAGE, parseUsage, sumOf, type Usage } from './usage/usage.ts'
export { reportedCostIn } from './usage/reported-cost.ts'
export { rejectTextTranscript } from './tasks/transcription.ts'
export { usageForUnits } from './tasks/units.ts'
export { realtimeCall } from './realtime/call.ts'
export { readTurnFrame, type TurnFrame } from './wires/openai-responses/turn-frame.ts'
export {
  type PromptAddition,
  promptAddition,
  type ClientEvent,
  readClientEvent,
} from './realtime/client-event.ts'
export {
  Conversation,
  inputAudioTokens,
  type Mark,
  NO_TOKENS,
  outputAudioTokens,
  type Tokens,
} from './realtime/conversation.ts'
export {
  appendedBytes,
  isTooLarge,
  readEvent,
  type RealtimeEvent,
  responseIdOf,
  type OutputDelta,
  readOutputDelta,
} from './realtime/event.ts'
export {
  INITIAL_SETTINGS,
  outputLimitOf,
  readSettings,
  type SessionSettings,
  audioAllowed,
} from './realtime/settings.ts'
export {
  classifyUpstreamError,
  CALL_DETAILS,
  detailInBoth,
  isAboutRequest,
  problemFromEncoding,
  problemFromSetup,
  problemFromTransport,
  type TransportFailure,
  type UpstreamProblem,
} from './errors/upstream-error.ts'
export {
  type Api,
  compactsConversations,
  descriptorFor,
  isTriedOnly,
  takesNative,
} from './choose-api.ts'
export { channelAddressFault } from './channel-address.ts'
export { type UpstreamSecrets, hideSecrets, redact } from './errors/redact.ts'
export { countOptions, countPrompt, countPromptUpperBound, countsExactly } from './count-tokens.ts'
export { countText } from './tokens/count-text.ts'
export {
  countTextsInProcess,
  type EncodingName,
  onEncodingLoadFailure,
} from './tokens/token-encodings.ts'
export { countNodes } from './bytes/json-limits.ts'
export { outlineOf } from './bytes/json-outline.ts'
export { answerNodesMax, isReadAtOnce, jsonIn, prepareAnswer } from './bytes/json-parse.ts'
export { finish, singleStep, type Steps, asSteps } from './bytes/steps.ts'
export { FILE_TOKENS_MAX, FINE_IMAGE_TOKENS_MAX, maxImageTokens } from './tokens/attachments.ts'
export { modelFacts, type ModelFacts } from './cards/listed-facts.ts'
export {
  contextWindow,
  hasBuiltInSearch,
  maxOutputTokens,
  usesHiddenReasoning,
} from './cards/model-facts.ts'
export { mayReason, mayUseHiddenReasoning, reasoningOutsideLimit } from './reasoning.ts'
export { cardOf, cardsWith, type CardLookup, hostOf } from './cards/card-of.ts'
export type { ModelCard } from './cards/model-card.ts'
export { editParameters, type ParameterEdits, parameterEdits } from './parameter-edits.ts'
export { type BilledFeature, SEARCH_ANSWER } from './usage/billed-features.ts'
export { speechTokens } from './tokens/speech-tokens.ts'
