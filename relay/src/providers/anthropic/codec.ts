import { decode, decoder } from '../../wires/anthropic-messages/stream-decoder.ts'
import { encode } from '../../wires/anthropic-messages/write-request.ts'
import type { AnswerCodec, ProviderCodec } from '../../wires/provider-codec.ts'

/*
 * Anthropic's Messages API (https://docs.anthropic.com/en/api/messages).
 *
 * | OpenAI | Anthropic |
 * |---|---|
 * | system and developer messages | `system`; after the first other message, user messages |
 * | image_url (URL or data URL), file (PDF or text as data URL) | image and document blocks |
 * | tool_calls, tool messages | tool_use and tool_result blocks; one message for a turn's results |
 * | tools, tool_choice, parallel_tool_calls, strict | the same; a forced call excludes reasoning |
 * | response_format json_schema | `output_config.format`; for older models the input of a tool |
 * | response_format json_object | an instruction in `system` |
 * | a forced tool call, if the model always reasons | an instruction in `system` |
 * | reasoning_effort | `thinking` and `output_config.effort`, as the model supports them |
 * | cache_control of the request, messages, parts, calls, tools | the same, for five minutes |
 * | max_completion_tokens, max_tokens | `max_tokens`; without either, the model's maximum |
 * | stop, user, temperature, top_p | the same, if the model accepts them |
 *
 * Left out as hints: seed, logit_bias, penalties, service_tier, prediction, verbosity, metadata,
 * store. Rejected: n above 1, logprobs, modalities other than text, audio, web_search_options,
 * functions, tools that are not functions, parts of other types, files by id.
 *
 * Reasoning is `reasoning_content`. Its signed blocks are `thinking_blocks` of the assistant's
 * message (in a stream: of a delta, each block as a whole once it has ended). They are the
 * provider's own `{type, thinking, signature}` or `{type, data}`, with `model` and, unless the
 * block was first, `after`. A client that returns its messages unchanged lets the model continue
 * its reasoning.
 */
export const anthropicCodec: ProviderCodec & { readonly answers: AnswerCodec } = {
  encode,
  answers: { decode, decoder },
}
