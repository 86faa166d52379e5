import type { ClientDialect } from '../client-dialect.ts'
import { messageOf } from './answer.ts'
import { errorOf, errorText } from './errors.ts'
import { anthropicModel, anthropicModels } from './models.ts'
import { readCountRequest, readMessagesRequest } from './request.ts'
import { MessageSpeaker } from './speaker.ts'

/*
 * Anthropic's Messages API for clients (fact sheets 13-inbound-native, 2, and 03-anthropic).
 *
 * | Of the request | becomes |
 * |---|---|
 * | `system` | the first message |
 * | text, image (base64, address), document (PDF, text) | parts of the message |
 * | tool_use, tool_result | tool_calls, and a tool message each; pictures in results follow as the user's |
 * | thinking and redacted_thinking that are signed | `thinking_blocks` of the message, in their place |
 * | tools, tool_choice, disable_parallel_tool_use | tools, tool_choice, parallel_tool_calls |
 * | stop_sequences, temperature, top_p, metadata.user_id | stop, temperature, top_p, user |
 * | thinking, output_config.effort | reasoning_effort |
 * | output_config.format, or else the older output_format | response_format |
 * | cache_control | the same, for providers that know it |
 *
 * Left out: tools that Anthropic runs itself, top_k, service_tier, container, context_management, mcp_servers.
 * Left out of the answer: images, since a Message has no block for them.
 * Refused: documents by address or id, images by id, blocks of other types.
 *
 * All of this only where others than Anthropic are asked: its own channels get the request as it came
 * (native.ts), and what they answer goes back as it came.
 */
export const anthropicDialect: ClientDialect = {
  requestIdHeader: 'request-id',
  readRequest: readMessagesRequest,
  counting: { read: readCountRequest, answer: (tokens) => ({ input_tokens: tokens }) },
  models: { one: anthropicModel, list: anthropicModels },
  passes: false,
  answer: messageOf,
  error: (error) => ({ status: errorOf(error).status, body: errorText(error) }),
  streamType: 'text/event-stream',
  speak: () => new MessageSpeaker(),
}
