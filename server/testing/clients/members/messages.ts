import { OUTPUT_TOKENS_MOST, PNG, THINKING_TOKENS, WEATHER, WEATHER_SCHEMA } from '../client.ts'
import { type DialectProbes, OTHER_TOOL, PDF } from './member.ts'

const toolOf = ({ name, description, parameters }: typeof WEATHER) => ({
  name,
  description,
  input_schema: parameters,
})
const one = { tools: [toolOf(WEATHER)] }
const two = { tools: [toolOf(WEATHER), toolOf(OTHER_TOOL)] }
const text = { type: 'text', text: 'hi' }
const ofUser = (...blocks: object[]) => ({
  messages: [{ role: 'user', content: [text, ...blocks] }],
})
const pixel = { type: 'base64', media_type: 'image/png', data: PNG }
const showing = (...content: object[]) => ({
  messages: [
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_7', name: 'weather', input: {} }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_7', content }] },
  ],
})

export const MESSAGES: DialectProbes = {
  title: 'Messages, `/v1/messages`',
  dialect: 'messages',
  path: '/v1/messages',
  minimal: {
    model: 'claude-sonnet-4-6',
    max_tokens: OUTPUT_TOKENS_MOST,
    messages: [{ role: 'user', content: 'hi' }],
  },
  probes: [
    { name: '`system`', with: { system: 'Be brief.' } },
    { name: '`max_tokens`', with: { max_tokens: 77 } },
    { name: '`temperature`', with: { temperature: 0.3 } },
    { name: '`top_p`', with: { top_p: 0.3 } },
    { name: '`top_k`', with: { top_k: 3 } },
    { name: '`stop_sequences`, one', with: { stop_sequences: ['END'] } },
    { name: '`stop_sequences`, two', with: { stop_sequences: ['END', 'OVER'] } },
    { name: '`metadata.user_id`', with: { metadata: { user_id: 'customer-7' } } },
    {
      name: '`thinking`',
      with: { thinking: { type: 'enabled', budget_tokens: THINKING_TOKENS } },
    },
    { name: '`output_config.effort`', with: { output_config: { effort: 'low' } } },
    {
      name: '`output_config.format`',
      with: { output_config: { format: { type: 'json_schema', schema: WEATHER_SCHEMA } } },
    },
    {
      name: '`output_format`, which is older',
      with: { output_format: { type: 'json_schema', schema: WEATHER_SCHEMA } },
    },
    { name: '`tools`', with: one },
    { name: '`tool_choice` `none`', with: { tool_choice: { type: 'none' } }, common: one },
    { name: '`tool_choice` `any`, one tool', with: { tool_choice: { type: 'any' } }, common: one },
    { name: '`tool_choice` `any`, two tools', with: { tool_choice: { type: 'any' } }, common: two },
    {
      name: '`tool_choice` `tool`',
      with: { tool_choice: { type: 'tool', name: 'weather' } },
      common: two,
    },
    {
      name: '`disable_parallel_tool_use`',
      with: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      common: { ...two, tool_choice: { type: 'auto' } },
    },
    {
      name: '`web_search_20250305`, a tool',
      with: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    },
    {
      name: '`mcp_servers`',
      with: { mcp_servers: [{ type: 'url', name: 'm', url: 'https://example.com' }] },
    },
    { name: '`service_tier`', with: { service_tier: 'standard_only' } },
    {
      name: '`cache_control`',
      with: {
        messages: [{ role: 'user', content: [{ ...text, cache_control: { type: 'ephemeral' } }] }],
      },
    },
    { name: 'an image as data', with: ofUser({ type: 'image', source: pixel }) },
    {
      name: 'an image by file id',
      with: ofUser({ type: 'image', source: { type: 'file', file_id: 'file_7' } }),
    },
    {
      name: 'a PDF as data',
      with: ofUser({
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: PDF },
      }),
    },
    {
      name: 'a PDF by address',
      with: ofUser({
        type: 'document',
        source: { type: 'url', url: 'https://example.com/a.pdf' },
      }),
    },
    {
      name: 'a document of text',
      with: ofUser({
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: 'It rains.' },
      }),
    },
    {
      name: 'an image in a result of a tool',
      with: showing({ type: 'text', text: 'It rains.' }, { type: 'image', source: pixel }),
      common: { ...one, ...showing({ type: 'text', text: 'It rains.' }) },
    },
    {
      name: 'reasoning of another vendor in an earlier answer',
      with: {
        messages: [
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Hm, a greeting.', signature: '' },
              { type: 'text', text: 'Hello.' },
            ],
          },
          { role: 'user', content: 'Go on.' },
        ],
      },
    },
    {
      name: 'every setting at once',
      with: {
        system: 'Be brief.',
        temperature: 0.3,
        top_k: 3,
        metadata: { user_id: 'customer-7' },
        thinking: { type: 'disabled' },
        tool_choice: { type: 'auto' },
        service_tier: 'auto',
        stream: true,
        ...two,
      },
    },
    {
      name: '`search_result`',
      with: ofUser({
        type: 'search_result',
        source: 'https://example.com',
        title: 'Rain',
        content: [text],
      }),
    },
  ],
}
