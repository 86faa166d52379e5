import type { ClientDialect } from '../client-dialect.ts'
import { openaiDialect } from '../openai/dialect.ts'
import { responseAnswer } from './answer.ts'
import { NOTHING_ASKED } from './asked.ts'
import { readInputTokensRequest, readResponsesRequest } from './request.ts'
import { ResponseSpeaker } from './speaker.ts'

/*
 * OpenAI's Responses API for clients (fact sheet 13-inbound-native, 1).
 *
 * | Of the request | becomes |
 * |---|---|
 * | `instructions`, system and developer messages | system messages; those that follow each other are one |
 * | input_text, input_image (address, data URL), input_file (`file_data`), input_audio | parts of the message |
 * | messages and calls of the assistant that follow each other | one message with its tool_calls |
 * | function_call_output, custom_tool_call_output | a tool message; what it shows follows as the user's |
 * | image_generation_call | `images` of the assistant's message, signed again where they were |
 * | reasoning: its text | `reasoning_content`, for providers that want it back |
 * | reasoning: `encrypted_content` (see sealed.ts) | `thinking_blocks` in their place, and `extra_content` |
 * | function, custom (a function with the text `input`), and both of them in a namespace | tools |
 * | tool_choice, parallel_tool_calls; allowed_tools | the same; the other tools are not shown |
 * | text.format, text.verbosity, reasoning.effort | response_format, verbosity, reasoning_effort |
 * | max_output_tokens, temperature, top_p, user or safety_identifier, prompt_cache_key | the same |
 * | top_logprobs, include message.output_text.logprobs | logprobs, top_logprobs |
 *
 * Nothing is stored: `store` counts as false, which every response says. Refused for that reason:
 * previous_response_id, conversation, prompt, background, item_reference, files by id.
 * Left out: tools that the provider runs by itself (web_search, file_search, code_interpreter,
 * image_generation, mcp, tool_search) and what they have done but for pictures, metadata (said again), service_tier,
 * truncation, context_management, max_tool_calls, stream_options.
 * Refused: tools of OpenAI's own that the client runs (computer, shell, apply_patch) and their calls, a
 * tool_choice of any of these, compaction items, files by address.
 *
 * Of the answer: reasoning_content becomes the summary of a reasoning item, content and refusal a message,
 * tool_calls what was defined, images (data URLs) an image_generation_call each; `length` and
 * `content_filter` make the response incomplete.
 */

/** For one request: what its answer looks like depends on what was asked. */
export function createResponsesDialect(): ClientDialect {
  let asked = NOTHING_ASKED
  return {
    ...openaiDialect,
    *readRequest(_endpoint, body) {
      const read = yield* readResponsesRequest(body)
      if (!('relayed' in read)) return read
      asked = read.asked
      return read.relayed
    },
    counting: {
      read: readInputTokensRequest,
      answer: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
    },
    passes: false,
    answer: (body, usage) => responseAnswer(body, asked, usage),
    speak: () => new ResponseSpeaker(asked),
  }
}
