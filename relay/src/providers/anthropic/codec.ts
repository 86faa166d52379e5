import type { AnswerCodec, ProviderCodec } from '../../codec/provider-codec.ts'
import { decode } from './answer.ts'
import { encode } from './request.ts'
import { decoder } from './stream.ts'

/*
 * Anthropic's Messages API (fact sheet 03-anthropic).
 *
 * | Of the request | becomes |
 * |---|---|
 * | system and developer messages | `system`; those after the first other message are said by the user |
 * | image_url (address or data URL), file (PDF or text as data URL) | image and document blocks |
 * | tool_calls, tool messages | tool_use and tool_result blocks; results of one turn in one message |
 * | tools, tool_choice, parallel_tool_calls, strict | the same; a tool that must be called excludes thinking |
 * | response_format json_schema | `output_config.format`, or the input of a tool for older models |
 * | response_format json_object, a tool that must be called by a model that always thinks | words in `system` |
 * | reasoning_effort | `thinking` and `output_config.effort`, as the model knows them |
 * | cache_control of the request, of messages, parts, tool calls and tools | the same, for five minutes |
 * | max_completion_tokens, max_tokens | `max_tokens`; without either, as many as the model can write |
 * | stop, user, temperature, top_p | the same, where the model accepts them |
 *
 * Left out as hints: seed, logit_bias, penalties, service_tier, prediction, verbosity, metadata, store.
 * Refused: n above 1, logprobs, other modalities than text, audio, web_search_options, functions, tools that
 * are no functions, parts of other types, files by id.
 *
 * Thoughts. What the model thinks is `reasoning_content`. The signed blocks of it are `thinking_blocks` of
 * the assistant's message (in a stream: of a delta, each block whole, once it has ended): the provider's own
 * `{type, thinking, signature}` or `{type, data}`, with `model` and, unless it was first, `after`. A client that
 * sends its messages back as they came lets the model go on thinking where it was.
 */
export const anthropicCodec: ProviderCodec & { readonly answers: AnswerCodec } = {
  encode,
  answers: { decode, decoder },
}
