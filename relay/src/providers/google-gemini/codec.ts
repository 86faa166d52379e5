import { decodeEmbeddings, encodeEmbeddings } from '../../wires/gemini/embeddings/provider.ts'
import { chatDecoder, decodeChat } from '../../wires/gemini/stream-decoder.ts'
import { encodeChat } from '../../wires/gemini/write-request.ts'
import type { ProviderCodec, EncodedCall, TaskCall } from '../../wires/provider-codec.ts'
import { decodeContentImage, isContentImage, encodeContentImage } from './content-images.ts'
import { decodeImages, encodeImages } from './images.ts'
import { decodeSpeech, encodeSpeech } from './speech.ts'

/*
 * Google's Gemini API (https://ai.google.dev/api/generate-content).
 *
 * | OpenAI | Gemini |
 * |---|---|
 * | system and developer messages | `systemInstruction`, wherever they are |
 * | image_url and file as data URLs, input_audio | `inlineData` |
 * | file with a URI at Google as file_id | `fileData` |
 * | tool_calls, tool messages | functionCall and functionResponse parts; with ids from Gemini 3 |
 * | tools, tool_choice | functionDeclarations, functionCallingConfig; strict tools are VALIDATED |
 * | parallel_tool_calls: false | an instruction in `systemInstruction` |
 * | response_format | responseMimeType, responseJsonSchema (older models: responseSchema) |
 * | reasoning_effort | thinkingLevel from Gemini 3 on, thinkingBudget for 2.5 |
 * | max_completion_tokens, max_tokens, stop, n, seed, temperature, top_p | the same |
 * | penalties, logprobs | the same |
 * | modalities with image | responseModalities; images are `images` of the assistant's message |
 * | task_type, title (Google's, for embeddings) | taskType, title |
 * | safety_settings (Google's) | safetySettings; without them nothing is blocked |
 *
 * Left out as hints: user, logit_bias, service_tier, prediction, verbosity, metadata, store,
 * cache_control. Rejected: n above 8, more than 5 stops, audio output, web_search_options,
 * functions, tools that are not functions, parts of other types, files by id, images by URL, tokens
 * as the input of embeddings.
 *
 * Reasoning is `reasoning_content`. Its signatures are in `extra_content.google.thought_signature`
 * of tool calls, messages and images, and are sent back from there.
 */
export const geminiCodec: ProviderCodec &
  Required<Pick<ProviderCodec, 'answers' | 'encodeTask' | 'decodeTask'>> = {
  encode: (call) => (call.endpoint === 'embeddings' ? encodeEmbeddings(call) : encodeChat(call)),
  encodeTask,
  decodeTask,
  answers: {
    decode: (body, call) =>
      call.endpoint === 'embeddings' ? decodeEmbeddings(body, call) : decodeChat(body, call),
    decoder: chatDecoder,
  },
  inlinesImages: true,
}

function encodeTask(call: TaskCall): EncodedCall {
  if (call.endpoint === 'speech') return encodeSpeech(call)
  return isContentImage(call) ? encodeContentImage(call) : encodeImages(call)
}

function decodeTask(body: Buffer, call: TaskCall): Buffer {
  if (call.endpoint === 'speech') return decodeSpeech(body, call)
  return isContentImage(call) ? decodeContentImage(body, call) : decodeImages(body, call)
}
