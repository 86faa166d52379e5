import { expect, test } from 'vitest'
import { settingMembers } from './read-settings.ts'

const JSON_TYPE = { responseMimeType: 'application/json' }
const answerIn = (schema: object) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
})

test.each([
  [{ responseMimeType: 'text/plain' }, {}],
  [JSON_TYPE, { response_format: { type: 'json_object' } }],
  [{ ...JSON_TYPE, responseSchema: { type: 'STRING' } }, answerIn({ type: 'string' })],
  [{ responseJsonSchema: { type: 'object' } }, answerIn({ type: 'object' })],
  [{ responseModalities: ['TEXT'] }, {}],
  [{ responseModalities: ['TEXT', 'IMAGE'] }, { modalities: ['text', 'image'] }],
  [{ thinkingConfig: { thinkingLevel: 'HIGH' } }, { reasoning_effort: 'high' }],
  [{ thinkingConfig: { thinkingBudget: 0 } }, { reasoning_effort: 'none' }],
  [{ thinkingConfig: { thinkingBudget: 1024 } }, { reasoning_effort: 'low' }],
  [{ thinkingConfig: { thinkingBudget: 8192 } }, { reasoning_effort: 'medium' }],
  [{ thinkingConfig: { thinkingBudget: 24_576 } }, { reasoning_effort: 'high' }],
  [{ thinkingConfig: { thinkingBudget: -1 } }, {}],
  [{ thinkingConfig: { includeThoughts: true } }, { reasoning_effort: 'medium' }],
])('the setting %j', (generationConfig, told) => {
  expect(settingMembers({ generationConfig })).toEqual(told)
})
