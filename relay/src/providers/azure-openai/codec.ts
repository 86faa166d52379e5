import { headerText, jsonHeaders, taskHeaders } from '../../addresses/upstream-request.ts'
import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, member } from '../../bytes/json-value.ts'
import { blockData, SseSplitter } from '../../bytes/sse.ts'
import { cardFor } from '../../cards/card-of.ts'
import type { ChunkDecoder } from '../../form/chat-chunk.ts'
import { azureUrl, azureVersion } from '../../wires/azure-address.ts'
import { plainRequest } from '../../wires/openai-chat/plain-request.ts'
import type { ProviderCall, ProviderCodec } from '../../wires/provider-codec.ts'
import { bodyFor, checkTask } from './body.ts'

/*
 * Azure OpenAI: OpenAI's protocol at URLs of its own, without the members that each version lacks
 * (body.ts). Failures have OpenAI's format too. A stream may begin with a filter report on the
 * prompt, in an event without choices. Clients do not expect that event, so it is removed. Filter
 * reports on choices pass.
 */
export const azureCodec = {
  encode: (call) => {
    const version = azureVersion(call.channel.other)
    return {
      url: azureUrl(call, version),
      headers: { 'api-key': headerText(call.channel.key), ...jsonHeaders(call.stream) },
      body: Buffer.from(
        JSON.stringify(bodyFor(plainRequest(call, cardFor(call, 'azure')), version)),
      ),
    }
  },
  encodeTask: (call) => {
    const version = azureVersion(call.channel.other)
    checkTask(call, version)
    return {
      url: azureUrl(call, version),
      headers: { 'api-key': headerText(call.channel.key), ...taskHeaders(call.contentType) },
      body: call.body,
    }
  },
  answers: {
    decode: (body: Buffer, _call: ProviderCall) => body,
    decoder: (_call: ProviderCall) => withoutPromptReport(),
  },
} as const satisfies ProviderCodec

function withoutPromptReport(): ChunkDecoder {
  const splitter = new SseSplitter()
  let hasStarted = false
  const isForwarded = (block: Buffer) => {
    if (hasStarted) return true
    const data = blockData(block)
    if (data === null) return true
    hasStarted = !isPromptReport(data)
    return hasStarted
  }
  return {
    form: 'chunks',
    push: (chunk) => splitter.push(chunk).filter(isForwarded),
    end: () => [splitter.end()].filter((rest) => rest.length > 0 && isForwarded(rest)),
  }
}

function isPromptReport(data: Buffer): boolean {
  const json = jsonIn(data)
  const choices = member(json, 'choices')
  const isEmpty = Array.isArray(choices) && choices.length === 0
  return isEmpty && !isRecord(member(json, 'usage')) && member(json, 'error') === undefined
}
