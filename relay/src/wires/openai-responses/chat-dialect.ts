import type { ClientDialect } from '../client-dialect.ts'
import { writeChatAnswer } from '../openai-chat/chat-answer.ts'
import { openaiDialect } from '../openai-chat/dialect.ts'
import { readChatRequest } from './chat-requests.ts'
import { TextToolEncoder, withTextInputs } from './text-tools.ts'

/** Chat completions, whose requests may have the form of Responses, or some of its members. */
export const chatDialect: ClientDialect = { ...openaiDialect, readRequest: readChatRequest }

/** For a request with such tools: the client reads the input of their calls as a text. */
export const textToolsDialect = (tools: ReadonlySet<string>): ClientDialect => ({
  ...chatDialect,
  readsChatCompletions: false,
  answer: (answer, charged) => writeChatAnswer(withTextInputs(answer, tools), charged),
  createEncoder: () => new TextToolEncoder(tools),
})
