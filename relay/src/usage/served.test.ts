import { expect, test } from 'vitest'
import { servedIn, servedInMessage, servedMembers, servedOf, tierNamed } from './served.ts'

test.each([
  ['default', undefined],
  ['SERVICE_TIER_PRIORITY', 'priority'],
  ['fast', 'priority'],
  ['flex', 'flex'],
  [7, undefined],
])('the service tier %j is %j', (value, name) => {
  expect(tierNamed(value)).toBe(name)
})

test('a chat completion tells its tier at the top level, and the rest in its usage', () => {
  expect(servedIn({ prompt_tokens: 1 }, 'default')).toBeUndefined()
  expect(servedIn(null, 'flex')).toEqual({ tier: 'flex' })
  const details = { web_search_calls: 2, x_search_calls: 0, mcp_calls: -1 }
  const toolCalls = [{ tool: 'web_search', calls: 2 }]
  expect(servedIn({ server_side_tool_usage_details: details }, undefined)).toEqual({ toolCalls })
})

test("Anthropic's usage survives the translation to a chat completion", () => {
  const usage = {
    service_tier: 'standard',
    speed: 'fast',
    inference_geo: 'us',
    server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
  }
  const toolCalls = [{ tool: 'web_search', calls: 2 }]
  const served = servedInMessage(usage)
  expect(served).toEqual({ tier: 'fast', region: 'us', toolCalls })
  expect(servedIn(servedMembers(served ?? {}), undefined)).toEqual(served)
  const batch = servedInMessage({ service_tier: 'batch', inference_geo: 'global' })
  expect(batch).toEqual({ tier: 'batch' })
})

test('counts that no answer reaches are ignored', () => {
  expect(servedIn({ server_tool_use: { web_search_requests: 1e6 } }, undefined)).toBeUndefined()
  const none = servedOf({ tier: undefined, toolCalls: [{ tool: 'web_search', calls: 0 }] })
  expect(none).toBeUndefined()
})
