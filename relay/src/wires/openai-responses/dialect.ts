import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, listOf, member, textOf } from '../../bytes/json-value.ts'
import { type CipherFor, NO_USER } from '../../form/content-cipher.ts'
import type { ClientDialect } from '../client-dialect.ts'
import { openaiDialect } from '../openai-chat/dialect.ts'
import { readInputTokensRequest, type ReadOptions, readResponsesRequest } from './read-request.ts'
import type { RecentItems } from './recent-items.ts'
import { EMPTY_CONTEXT } from './response-context.ts'
import { ResponseStreamEncoder } from './stream-encoder.ts'
import { responseAnswer } from './write-answer.ts'

/*
 * OpenAI's Responses API for clients
 * (https://platform.openai.com/docs/api-reference/responses).
 *
 * | Request member | Becomes |
 * |---|---|
 * | `instructions`, system and developer messages | system messages; neighbours are merged |
 * | input_text, input_image (URL), input_file (`file_data`), input_audio | parts of the message |
 * | agent_message: its texts | a message of the user |
 * | consecutive messages and calls of the assistant | one message with its tool_calls |
 * | function_call_output, custom_tool_call_output | tool messages; media in a user message |
 * | image_generation_call | `images` of the assistant's message, with their signatures |
 * | reasoning: its text | `reasoning_content`, for providers that need it back |
 * | reasoning: `encrypted_content` (encrypted-content.ts) | `thinking_blocks`, `extra_content` |
 * | function, custom (a function with a string `input`), both also in a namespace | tools |
 * | tool_choice, parallel_tool_calls; allowed_tools | the same; other tools are omitted |
 * | text.format, text.verbosity, reasoning.effort | response_format, verbosity, reasoning_effort |
 * | max_output_tokens, temperature, top_p, prompt_cache_key | the same |
 * | user or safety_identifier | user |
 * | top_logprobs, include message.output_text.logprobs | logprobs, top_logprobs |
 * | members of chat completions (chat-members.ts) | the same |
 *
 * Items of the history that no other API can express never fail a request, since clients send
 * them again each time. Tools in items (additional_tools, tool_search_output) count as `tools`.
 * Calls of tools that the client runs (shell, apply_patch, computer) become tool_calls. Its own
 * search for tools is a function. Results stand behind their calls (fit/pairs.ts). Tools of the
 * same name get their namespace in front. A compaction_trigger asks the model for a summary
 * (compaction.ts).
 *
 * This applies to channels of other APIs. A channel that offers Responses gets the client's own
 * request (native-form.ts), and its answers pass through.
 *
 * Nothing is stored at providers: they get `store` as false. Unless the client sends that too, the
 * gateway keeps responses and the items that clients refer to (recent-items.ts), and puts them in
 * place of item_reference and previous_response_id. Rejected since they are not stored:
 * conversation, prompt, background, references to other items, files by id.
 * Omitted: built-in tools that the provider runs (web_search, file_search, code_interpreter,
 * image_generation, mcp, OpenAI's tool_search) and their results except images, compaction items of
 * other systems, unknown items, metadata (repeated in the response), service_tier, truncation,
 * context_management, max_tool_calls, stream_options.
 * Rejected unless a channel offers Responses: OpenAI's built-in tools that the client runs
 * (computer, shell, apply_patch), a tool_choice of any of these, files by URL.
 *
 * In the answer reasoning_content becomes the summary of a reasoning item, content and refusal a
 * message, tool_calls a call of the defined tool, each image (data URL) an image_generation_call.
 * `length` and `content_filter` make the response incomplete.
 */

type Options = {
  readonly now: () => number
  /** Encrypts what clients keep for the user. */
  readonly cipherFor: CipherFor
  /** Null if nothing is kept. */
  readonly recentItems?: RecentItems | null
  /** Features that are billed in addition to tokens may be used. */
  readonly allowsUnpriced?: () => boolean
}

/** Creates the dialect of one request, since the answer repeats settings of the request. */
export function createResponsesDialect(options: Options): ClientDialect {
  const { now, recentItems, cipherFor, allowsUnpriced = () => false } = options
  let context = EMPTY_CONTEXT
  const missing = new Set<string>()
  const loaded = new Map<string, Buffer>()
  const optionsFor = (owner: number | undefined): ReadOptions => {
    missing.clear()
    const items = owner === undefined ? null : (recentItems?.of(owner, missing, loaded) ?? null)
    const cipher = cipherFor(owner ?? NO_USER)
    return { now, allowsUnpriced: allowsUnpriced(), items, cipher }
  }
  return {
    ...openaiDialect,
    missing: () => [...missing],
    receive: (entries) => {
      for (const { name, content } of entries) loaded.set(name, content)
    },
    *readRequest(_endpoint, body, headers = {}, owner) {
      const read = yield* readResponsesRequest(body, { ...optionsFor(owner), headers })
      if (!('context' in read)) return read
      context = read.context
      return read.request
    },
    counting: {
      read: (body, owner) => readInputTokensRequest(body, optionsFor(owner)),
      answer: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
    },
    readsChatCompletions: false,
    passed: (body) => {
      const { keepItems, keepResponse } = context
      if (keepItems === null) return body
      const response = jsonIn(body)
      const output = listOf(member(response, 'output')).filter(isRecord)
      const id = textOf(member(response, 'id'))
      keepItems(output)
      if (id !== '') keepResponse?.(id, output)
      return body
    },
    answer: (answer, charged) => responseAnswer(answer, context, charged),
    usagePaths: { answer: ['usage'], stream: ['response', 'usage'] },
    createEncoder: () => new ResponseStreamEncoder(context),
  }
}
