import type { TestEndpoint } from '@tollgate/contract'
import type { EFFORTS } from '@tollgate/contract/channel-settings'

/*
 * What is known about a model at a vendor: its limits, and what the API accepts. A card describes
 * OpenAI's chat completions unless a member says otherwise.
 */

export type Vendor =
  | 'alibaba'
  | 'anthropic'
  | 'azure'
  | 'baidu'
  | 'cerebras'
  | 'cohere'
  | 'deepseek'
  | 'google'
  | 'groq'
  | 'minimax'
  | 'mistral'
  | 'moonshot'
  | 'openai'
  | 'openrouter'
  | 'tencent'
  | 'xai'
  | 'xiaomi'
  | 'zhipu'
  | 'unknown'

export type Effort = (typeof EFFORTS)[number]

/** What a provider accepts as the name of a tool, or as the id of a call or a user. */
export type Alphabet = { readonly pattern: RegExp; readonly lengthMax: number }

export type Range = { readonly min: number; readonly max: number }

export type ModelCard = {
  /** The maker of the model. */
  readonly vendor: Vendor
  /** False: no row matches, so every value is a default of the vendor or of the protocol. */
  readonly isKnown: boolean
  readonly limits: Limits
  readonly reasoning: Reasoning
  readonly reasoningBack: ReasoningBack
  readonly sampling: Sampling
  readonly tools: ToolRules
  readonly content: ContentRules
  readonly facts: Facts
}

export type Limits = {
  /** Context window in tokens; null if unknown. */
  readonly context: number | null
  /**
   * Most output tokens of a choice, including reasoning; null if unknown. Holds and bounds of usage
   * rely on it.
   */
  readonly output: number | null
  /** The largest output limit that a request may set; null if unknown. */
  readonly outputSetting: number | null
  readonly outputMember: 'max_tokens' | 'max_completion_tokens'
}

export type Reasoning = {
  /**
   * What a request sets: an `effort`, a `level` or a `budget` (Gemini), `adaptive` or a `budget`
   * (Claude), or a `switch`.
   */
  readonly how: 'effort' | 'level' | 'budget' | 'adaptive' | 'switch' | 'none'
  /** Accepted efforts, weakest first; null if any may be sent. */
  readonly efforts: readonly Effort[] | null
  readonly canBeOff: boolean
  /** The member that switches reasoning off. */
  readonly offMember: 'reasoning_effort' | 'thinking' | 'enable_thinking'
  /** The model reasons if a request does not say whether it should. */
  readonly isDefault: boolean
  /** A stream shows none of the reasoning, or a summary. */
  readonly isHidden: boolean
  /** The model reasons in streams only. */
  readonly needsStream: boolean
  /**
   * Which chats OpenAI's chat completions serve: all, all but those with tools and an effort, all
   * but those with tools and without the effort `none`, or none.
   */
  readonly inChat: 'all' | 'no_tools_with_effort' | 'no_tools_unless_off' | 'no_chat'
}

/** What becomes of reasoning that a client sends back with earlier messages. */
export type ReasoningBack = {
  /**
   * `required_with_calls`: a message with tool calls is refused without it. `signed_only`: only
   * signed reasoning is accepted. `ignored`: the vendor ignores or refuses it, so it is left out.
   */
  readonly policy: 'required_with_calls' | 'welcome' | 'signed_only' | 'ignored'
  readonly member: 'reasoning_content' | 'reasoning'
  /** Stands for required reasoning, or for a signature, that is lost; null for none. */
  readonly placeholder: string | null
  /** `reasoning_details` of messages are accepted. */
  readonly takesDetails: boolean
  /** Signatures in `extra_content` of messages and calls are accepted. */
  readonly takesSignatures: boolean
}

export type Sampling = {
  /** Temperature, top_p and logprobs. `without_reasoning`: only with the effort `none`. */
  readonly takes: 'all' | 'without_reasoning' | 'none'
  /** False where logprobs are refused and temperature is not. */
  readonly takesLogprobs: boolean
  /** Accepted values; null for those of OpenAI's API. */
  readonly temperature: Range | null
  readonly topP: Range | null
  readonly takesPenalties: boolean
  /** The most stop sequences; null if unknown. */
  readonly stops: number | null
}

export type ToolRules = {
  /** Which forced tool calls are accepted while the model reasons. */
  readonly forcedWhileReasoning: 'all' | 'any_tool' | 'none'
  /** A function may say whether its schema is strict. */
  readonly takesStrict: boolean
  /** Schemas may have `$schema` and `$id`. */
  readonly takesSchemaIds: boolean
  /** Schemas may say which other properties an object has. */
  readonly takesAdditionalProperties: boolean
  /** The history may have calls of tools that the request does not declare. */
  readonly takesUndeclaredCalls: boolean
  /** A tool may come without `parameters`. */
  readonly takesNoParameters: boolean
  /** Schemas of answers and of strict tools are enforced. */
  readonly enforcesSchemas: boolean
  /** Tool calls are signed, and must be sent back with their signature. */
  readonly signsCalls: boolean
}

export type ContentRules = {
  /** The content of a message may be several texts. */
  readonly takesTextLists: boolean
  /** `first`: one system message, before all others. `none`: no system message. */
  readonly system: 'any' | 'first' | 'none'
  /** The role `developer` is accepted; otherwise its messages become those of the system. */
  readonly takesDeveloper: boolean
  /** A message with tool calls may have no text. */
  readonly takesNullContent: boolean
  /** The content of a tool result may be several texts. */
  readonly takesResultLists: boolean
  /** A message of the user may follow tool results directly. */
  readonly takesUserAfterTool: boolean
  /** The order is demanded wherever the model is served; otherwise only translations keep it. */
  readonly demandsOrder: boolean
  /** A message of the user may follow another one, and one of the assistant too. */
  readonly takesRepeatedRoles: boolean
  /** A last message of the assistant is the beginning of the answer. */
  readonly takesPrefill: boolean
  /** Unknown members of messages, calls and tools are ignored; otherwise they are refused. */
  readonly takesUnknownMembers: boolean
  /** The model refuses parts other than texts. */
  readonly takesTextOnly: boolean
  /** A file may be given by its address. */
  readonly takesFileAddresses: boolean
  /** Answers may have to follow a JSON schema. */
  readonly takesAnswerSchemas: boolean
  /** Alibaba serves models that read images, audio or video at an address of their own. */
  readonly isMultimodal: boolean
  /** Ids of end users; null accepts any. */
  readonly userId: (Alphabet & { readonly lengthMin: number }) | null
}

/** For lists of models. */
export type Facts = {
  readonly input: readonly Modality[]
  readonly output: readonly Modality[]
  /** The first day on which the vendor no longer serves the model. */
  readonly shutdown: string | null
  /** Null if it is not known; then a known model serves chats. */
  readonly endpoint: ServingEndpoint | null
}

/** `none`: no endpoint of the gateway serves such models, which make videos. */
export type ServingEndpoint = TestEndpoint | 'realtime' | 'none'

export type Modality = 'text' | 'image' | 'audio' | 'video' | 'pdf'

type Sections = Omit<ModelCard, 'vendor' | 'isKnown'>

/** Values that replace those of a card. */
export type CardPart = { readonly [Name in keyof Sections]?: Partial<Sections[Name]> }

/** Facts about a family of models. The first row that matches the plain name counts. */
export type CardRow = {
  readonly family: RegExp
  /** A public page or issue. */
  readonly source: string
  readonly card: CardPart
}

export type VendorRows = {
  readonly vendor: Vendor
  /** The plain names of the models that the vendor makes; absent for a vendor that makes none. */
  readonly models?: RegExp
  /** What holds for the models that it makes, at any address. */
  readonly card?: CardPart
  readonly rows?: readonly CardRow[]
  /** What its own address accepts, whoever made the model. */
  readonly host?: { readonly card: CardPart; readonly rows?: readonly CardRow[] }
}

/** Makes rows from one page; a row may state another. */
export const rowFrom =
  (page: string) =>
  (family: RegExp, card: CardPart, source = page): CardRow => ({ family, source, card })
