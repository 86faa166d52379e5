import { PNG_URL, WEATHER, WEATHER_SCHEMA } from '../client.ts'
import { type DialectProbes, OTHER_TOOL, PDF, SOUND } from './member.ts'

const functionOf = (named: object) => ({ type: 'function', strict: false, ...named })
const one = { tools: [functionOf(WEATHER)] }
const two = { tools: [functionOf(WEATHER), functionOf(OTHER_TOOL)] }
const ofUser = (...parts: object[]) => ({
  input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }, ...parts] }],
})
const allowed = {
  type: 'allowed_tools',
  mode: 'auto',
  tools: [{ type: 'function', name: 'weather' }],
}

const namespaceOf = (name: string) => ({
  type: 'namespace',
  name,
  description: `Tools for ${name}.`,
  tools: [functionOf(WEATHER)],
})
const call = { type: 'function_call', call_id: 'call_7', name: 'weather', arguments: '{}' }
const showing = (...output: object[]) => ({
  input: [
    { role: 'user', content: 'hi' },
    call,
    { type: 'function_call_output', call_id: 'call_7', output },
  ],
})
const rain = { type: 'input_text', text: 'It rains.' }

export const RESPONSES: DialectProbes = {
  title: 'Responses, `/v1/responses`',
  dialect: 'responses',
  path: '/v1/responses',
  minimal: { model: 'gpt-5-mini', input: 'hi' },
  probes: [
    { name: '`instructions`', with: { instructions: 'Be brief.' } },
    { name: '`max_output_tokens`', with: { max_output_tokens: 77 } },
    { name: '`temperature`', with: { temperature: 0.3 } },
    { name: '`top_p`', with: { top_p: 0.3 } },
    { name: '`top_logprobs`', with: { top_logprobs: 2 } },
    { name: '`user`', with: { user: 'customer-7' } },
    { name: '`safety_identifier`', with: { safety_identifier: 'customer-7' } },
    { name: '`prompt_cache_key`', with: { prompt_cache_key: 'customer-7' } },
    { name: '`text.format` `json_object`', with: { text: { format: { type: 'json_object' } } } },
    {
      name: '`text.format` `json_schema`',
      with: { text: { format: { type: 'json_schema', name: 'weather', schema: WEATHER_SCHEMA } } },
    },
    { name: '`text.verbosity`', with: { text: { verbosity: 'low' } } },
    { name: '`reasoning.effort`', with: { reasoning: { effort: 'low' } } },
    { name: '`tools` of type `function`', with: one },
    {
      name: '`tools` of type `custom`',
      with: { tools: [{ type: 'custom', name: 'sql', description: 'Runs SQL.' }] },
    },
    {
      name: '`tools` of type `namespace`, a function in two',
      with: { tools: ['files', 'mails'].map(namespaceOf) },
    },
    { name: '`tool_choice` `none`', with: { tool_choice: 'none' }, common: one },
    { name: '`tool_choice` `required`, one tool', with: { tool_choice: 'required' }, common: one },
    { name: '`tool_choice` `required`, two tools', with: { tool_choice: 'required' }, common: two },
    {
      name: '`tool_choice`, a function',
      with: { tool_choice: { type: 'function', name: 'weather' } },
      common: two,
    },
    { name: '`tool_choice` `allowed_tools`', with: { tool_choice: allowed }, common: two },
    { name: '`parallel_tool_calls` false', with: { parallel_tool_calls: false }, common: two },
    { name: '`max_tool_calls`', with: { max_tool_calls: 1 }, common: two },
    { name: '`web_search`, a tool', with: { tools: [{ type: 'web_search' }] } },
    {
      name: '`file_search`, a tool',
      with: { tools: [{ type: 'file_search', vector_store_ids: ['vs_7'] }] },
    },
    { name: '`computer`, a tool', with: { tools: [{ type: 'computer' }] } },
    { name: '`previous_response_id`', with: { previous_response_id: 'resp_7' } },
    { name: '`conversation`', with: { conversation: 'conv_7' } },
    { name: '`prompt`', with: { prompt: { id: 'pmpt_7' } } },
    { name: '`background`', with: { background: true } },
    { name: '`store`', with: { store: true } },
    { name: '`metadata`', with: { metadata: { a: 'b' } } },
    { name: '`service_tier`', with: { service_tier: 'flex' } },
    { name: '`truncation`', with: { truncation: 'auto' } },
    {
      name: 'an image as data',
      with: ofUser({ type: 'input_image', image_url: PNG_URL, detail: 'auto' }),
    },
    {
      name: 'a PDF as `file_data`',
      with: ofUser({
        type: 'input_file',
        filename: 'a.pdf',
        file_data: `data:application/pdf;base64,${PDF}`,
      }),
    },
    { name: 'a file by id', with: ofUser({ type: 'input_file', file_id: 'file-7' }) },
    {
      name: 'a file by address',
      with: ofUser({ type: 'input_file', file_url: 'https://example.com/a.pdf' }),
    },
    {
      name: '`input_audio`',
      with: ofUser({ type: 'input_audio', input_audio: { data: SOUND, format: 'wav' } }),
    },
    {
      name: 'an image in a result of a tool',
      with: showing(rain, { type: 'input_image', image_url: PNG_URL, detail: 'auto' }),
      common: { ...one, ...showing(rain) },
    },
    {
      name: 'an earlier call of a custom tool',
      with: {
        input: [
          { role: 'user', content: 'hi' },
          { type: 'custom_tool_call', call_id: 'call_8', name: 'sql', input: 'SELECT 8' },
          { type: 'custom_tool_call_output', call_id: 'call_8', output: '8' },
        ],
      },
      common: { tools: [{ type: 'custom', name: 'sql', description: 'Runs SQL.' }] },
    },
    {
      name: 'every setting at once',
      with: {
        instructions: 'Be brief.',
        max_output_tokens: 77,
        temperature: 0.3,
        top_p: 0.3,
        user: 'customer-7',
        prompt_cache_key: 'key-7',
        reasoning: { effort: 'low', summary: 'auto' },
        text: { verbosity: 'low' },
        include: ['reasoning.encrypted_content'],
        parallel_tool_calls: true,
        tool_choice: 'auto',
        metadata: { a: 'b' },
        store: false,
        truncation: 'auto',
        service_tier: 'auto',
        stream: true,
        ...two,
      },
    },
    {
      name: '`item_reference`',
      with: {
        input: [
          { role: 'user', content: 'hi' },
          { type: 'item_reference', id: 'msg_7' },
        ],
      },
    },
  ],
}
