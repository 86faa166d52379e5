import { PNG_URL, WEATHER, WEATHER_SCHEMA } from '../client.ts'
import { type DialectProbes, OTHER_TOOL, PDF, SOUND } from './member.ts'

const functionOf = (named: object) => ({ type: 'function', function: named })
const one = { tools: [functionOf(WEATHER)] }
const two = { tools: [functionOf(WEATHER), functionOf(OTHER_TOOL)] }
const ofUser = (...parts: object[]) => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }, ...parts] }],
})
const named = { type: 'function', function: { name: WEATHER.name } }

export const CHAT: DialectProbes = {
  title: 'Chat completions, `/v1/chat/completions`',
  dialect: 'chat',
  path: '/v1/chat/completions',
  minimal: { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'hi' }] },
  probes: [
    { name: '`max_tokens`', with: { max_tokens: 77 } },
    { name: '`max_completion_tokens`', with: { max_completion_tokens: 77 } },
    { name: '`temperature`', with: { temperature: 0.3 } },
    { name: '`top_p`', with: { top_p: 0.3 } },
    { name: '`stop`, one', with: { stop: ['END'] } },
    { name: '`stop`, two', with: { stop: ['END', 'OVER'] } },
    { name: '`n` above 1', with: { n: 2 } },
    { name: '`seed`', with: { seed: 7 } },
    { name: '`presence_penalty`', with: { presence_penalty: 0.5 } },
    { name: '`frequency_penalty`', with: { frequency_penalty: 0.5 } },
    { name: '`logit_bias`', with: { logit_bias: { 50256: -100 } } },
    { name: '`logprobs`, `top_logprobs`', with: { logprobs: true, top_logprobs: 2 } },
    { name: '`user`', with: { user: 'customer-7' } },
    {
      name: '`response_format` `json_object`',
      with: { response_format: { type: 'json_object' } },
    },
    {
      name: '`response_format` `json_schema`',
      with: {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'weather', schema: WEATHER_SCHEMA },
        },
      },
    },
    { name: '`tools`', with: one },
    { name: '`tool_choice` `none`', with: { tool_choice: 'none' }, common: one },
    { name: '`tool_choice` `required`, one tool', with: { tool_choice: 'required' }, common: one },
    { name: '`tool_choice` `required`, two tools', with: { tool_choice: 'required' }, common: two },
    { name: '`tool_choice`, a function', with: { tool_choice: named }, common: two },
    { name: '`parallel_tool_calls` false', with: { parallel_tool_calls: false }, common: two },
    {
      name: '`tools` of type `custom`',
      with: { tools: [{ type: 'custom', custom: { name: 'sql' } }] },
    },
    { name: '`functions`', with: { functions: [WEATHER] } },
    { name: '`reasoning_effort`', with: { reasoning_effort: 'low' } },
    { name: '`verbosity`', with: { verbosity: 'low' } },
    { name: '`web_search_options`', with: { web_search_options: {} } },
    {
      name: '`audio` as an answer',
      with: { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
    },
    { name: '`prediction`', with: { prediction: { type: 'content', content: 'Hello' } } },
    { name: '`service_tier`', with: { service_tier: 'flex' } },
    { name: '`store`, `metadata`', with: { store: true, metadata: { a: 'b' } } },
    { name: '`prompt_cache_key`', with: { prompt_cache_key: 'customer-7' } },
    { name: 'an image as data', with: ofUser({ type: 'image_url', image_url: { url: PNG_URL } }) },
    {
      name: '`input_audio`',
      with: ofUser({ type: 'input_audio', input_audio: { data: SOUND, format: 'wav' } }),
    },
    {
      name: 'a PDF as `file_data`',
      with: ofUser({
        type: 'file',
        file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
      }),
    },
    {
      name: 'every setting at once',
      with: {
        max_completion_tokens: 77,
        temperature: 0.3,
        top_p: 0.3,
        seed: 7,
        presence_penalty: 0.5,
        frequency_penalty: 0.5,
        user: 'customer-7',
        reasoning_effort: 'low',
        parallel_tool_calls: true,
        tool_choice: 'auto',
        prompt_cache_key: 'key-7',
        store: false,
        service_tier: 'auto',
        stream: true,
        stream_options: { include_usage: true },
        ...two,
      },
    },
    { name: 'a file by id', with: ofUser({ type: 'file', file: { file_id: 'file-7' } }) },
  ],
}
