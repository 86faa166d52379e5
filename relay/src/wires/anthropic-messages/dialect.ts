import { singleStep } from '../../bytes/steps.ts'
import { type CipherFor, NO_CIPHER, NO_USER } from '../../form/content-cipher.ts'
import type { ClientDialect } from '../client-dialect.ts'
import { readCountRequest, readMessagesRequest } from './read-request.ts'
import { MessageStreamEncoder } from './stream-encoder.ts'
import { messageAnswer } from './write-answer.ts'
import { errorOf, errorText } from './write-error.ts'
import { anthropicModel, anthropicModels } from './write-models.ts'

/*
 * Anthropic's Messages API for clients (https://docs.anthropic.com/en/api/messages).
 *
 * | Request member | Becomes |
 * |---|---|
 * | `system`, without a line for Anthropic's billing | the first message |
 * | text, image (base64, URL), document (PDF, text) | parts of the message |
 * | tool_use, tool_result | tool_calls, tool messages; result images follow in a user message |
 * | signed thinking and redacted_thinking | `thinking_blocks` of the message with positions |
 * | tools, tool_choice, disable_parallel_tool_use | tools, tool_choice, parallel_tool_calls |
 * | stop_sequences, temperature, top_p, metadata.user_id | stop, temperature, top_p, user |
 * | thinking, output_config.effort | reasoning_effort |
 * | output_config.format, or the older output_format | response_format |
 * | cache_control | the same, for providers that support it |
 * | bash, text_editor, memory, computer (run by the client) | functions (client-tools.ts) |
 * | tool_reference | a text that names the tool |
 *
 * Blocks of the history that no other API can express never fail a request, since clients send
 * them again each time. Results stand behind their calls (fit/pairs.ts).
 *
 * Omitted: tools that Anthropic runs and their results, other blocks of earlier messages, top_k,
 * service_tier, container, context_management, mcp_servers. Omitted from the answer: images, since
 * a Message has no block for them.
 * Rejected: a tool_choice of a tool that Anthropic runs, and in the last message documents by URL
 * or id, images by id, blocks of other types.
 *
 * This applies to channels of other providers. Anthropic's own channels get the client's request
 * (native-form.ts), and their answers pass through.
 */
export function anthropicDialect(cipherFor: CipherFor): ClientDialect {
  let cipher = NO_CIPHER
  const cipherOf = (owner = NO_USER) => {
    cipher = cipherFor(owner)
    return cipher
  }
  return {
    requestIdHeader: 'request-id',
    readRequest: (endpoint, body, headers, owner) =>
      readMessagesRequest(body, { endpoint, headers, cipher: cipherOf(owner) }),
    counting: {
      read: (body, owner) => readCountRequest(body, cipherOf(owner)),
      answer: (tokens) => ({ input_tokens: tokens }),
    },
    models: { formatOne: anthropicModel, formatList: anthropicModels },
    readsChatCompletions: false,
    passed: (body) => body,
    answer: (answer, charged) => messageAnswer(answer, charged, cipher),
    embeddings: singleStep,
    error: (error) => ({ status: errorOf(error).status, body: errorText(error) }),
    usagePaths: { answer: ['usage'], stream: ['usage'] },
    streamType: 'text/event-stream',
    createEncoder: () => new MessageStreamEncoder(cipher),
  }
}
