import { versionedAddress, jsonHeaders, taskHeaders } from '../../addresses/upstream-request.ts'
import { RELAY_PATHS } from '../../provider.ts'
import type { ProviderCodec } from '../../wires/provider-codec.ts'
import { chatFormAnswers } from './answer.ts'
import { zhipu } from './descriptor.ts'
import { embeddingsBody, chatBody } from './request.ts'
import { authorizationOf } from './sign.ts'
import { taskBody } from './tasks.ts'

/*
 * Zhipu's v4 (https://docs.bigmodel.cn and the z-ai SDK, 2026-04): OpenAI's format with
 * narrower limits. Members that are not named here pass unchanged, so Zhipu's own (`thinking`,
 * `do_sample` …) can be used.
 *
 *   translated  max_completion_tokens, user, developer messages, reasoning_effort, temperature and
 *               top_p (open intervals), stop (a list of one), images as data (without their prefix)
 *   rejected    n, logprobs, json_schema, audio, files, several stops, a tool_choice that forces a
 *               call, several texts for embedding-2, tokens for embeddings
 *               images: n above 1, response_format b64_json, stream
 *               speech: formats other than wav (the default) and pcm, events
 *   left out    penalties, logit_bias, parallel_tool_calls, service_tier, store, metadata,
 *               prediction, verbosity
 *               images: n, response_format url, partial_images
 *   unchanged   transcriptions, the rest of images and speech; rerank, with texts for objects
 */

const VERSION = '/api/paas/v4'

export const zhipuCodec = {
  encode: (call) => {
    const { endpoint, channel, stream, now } = call
    const isChat = endpoint === 'chat'
    const path = isChat ? '/chat/completions' : '/embeddings'
    return {
      url: versionedAddress(channel.baseUrl || zhipu.baseUrl, VERSION, path),
      headers: { ...jsonHeaders(stream), authorization: authorizationOf(channel.key, now) },
      body: Buffer.from(JSON.stringify(isChat ? chatBody(call) : embeddingsBody(call))),
    }
  },
  encodeTask: (call) => {
    const { endpoint, channel, now, contentType } = call
    const path = RELAY_PATHS[endpoint].replace(/^\/v1/, '')
    return {
      url: versionedAddress(channel.baseUrl || zhipu.baseUrl, VERSION, path),
      headers: {
        ...taskHeaders(contentType),
        authorization: authorizationOf(channel.key, now),
      },
      body: taskBody(call),
    }
  },
  answers: chatFormAnswers,
} satisfies ProviderCodec
