import { PNG, THINKING_TOKENS, WEATHER, WEATHER_SCHEMA } from '../client.ts'
import { type DialectProbes, OTHER_TOOL, PDF, type Probe, SOUND } from './member.ts'

const declarationOf = ({ name, description, parameters }: typeof WEATHER) => ({
  name,
  description,
  parametersJsonSchema: parameters,
})
const one = { tools: [{ functionDeclarations: [declarationOf(WEATHER)] }] }
const two = { tools: [{ functionDeclarations: [WEATHER, OTHER_TOOL].map(declarationOf) }] }
const ofUser = (...parts: object[]) => ({
  contents: [{ role: 'user', parts: [{ text: 'hi' }, ...parts] }],
})
const data = (mimeType: string, base64: string) => ({ inlineData: { mimeType, data: base64 } })
const setting = (name: string, config: object): Probe => ({
  name,
  with: { generationConfig: config },
})
const choice = (name: string, config: object, common: object): Probe => ({
  name,
  with: { toolConfig: { functionCallingConfig: config } },
  common,
})

const resultWith = (more: object) => ({
  contents: [
    { role: 'user', parts: [{ text: 'hi' }] },
    {
      role: 'model',
      parts: [{ functionCall: { name: 'weather', args: {} }, thoughtSignature: 'CiQB' }],
    },
    {
      role: 'user',
      parts: [{ functionResponse: { name: 'weather', response: { sky: 'rain' }, ...more } }],
    },
  ],
})

export const GEMINI: DialectProbes = {
  title: 'Gemini, `/v1beta/models/{model}:generateContent`',
  dialect: 'gemini',
  path: '/v1beta/models/gemini-2.5-flash:generateContent',
  minimal: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  probes: [
    {
      name: '`systemInstruction`',
      with: { systemInstruction: { parts: [{ text: 'Be brief.' }] } },
    },
    setting('`maxOutputTokens`', { maxOutputTokens: 77 }),
    setting('`temperature`', { temperature: 0.3 }),
    setting('`topP`', { topP: 0.3 }),
    setting('`topK`', { topK: 3 }),
    setting('`stopSequences`, one', { stopSequences: ['END'] }),
    setting('`stopSequences`, two', { stopSequences: ['END', 'OVER'] }),
    setting('`candidateCount` above 1', { candidateCount: 2 }),
    setting('`seed`', { seed: 7 }),
    setting('`presencePenalty`', { presencePenalty: 0.5 }),
    setting('`frequencyPenalty`', { frequencyPenalty: 0.5 }),
    setting('`responseLogprobs`', { responseLogprobs: true, logprobs: 2 }),
    setting('`responseMimeType` JSON', { responseMimeType: 'application/json' }),
    setting('`responseJsonSchema`', {
      responseMimeType: 'application/json',
      responseJsonSchema: WEATHER_SCHEMA,
    }),
    setting('`responseModalities` `IMAGE`', { responseModalities: ['TEXT', 'IMAGE'] }),
    setting('`responseModalities` `AUDIO`', { responseModalities: ['AUDIO'] }),
    setting('`speechConfig`', { speechConfig: { languageCode: 'en-US' } }),
    setting('`thinkingConfig`', {
      thinkingConfig: { thinkingBudget: THINKING_TOKENS, includeThoughts: true },
    }),
    setting('`mediaResolution`', { mediaResolution: 'MEDIA_RESOLUTION_LOW' }),
    {
      name: '`safetySettings`',
      with: {
        safetySettings: [
          { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_LOW_AND_ABOVE' },
        ],
      },
    },
    { name: '`functionDeclarations`', with: one },
    choice('`functionCallingConfig` `NONE`', { mode: 'NONE' }, one),
    choice('`functionCallingConfig` `ANY`, one function', { mode: 'ANY' }, one),
    choice('`functionCallingConfig` `ANY`, two functions', { mode: 'ANY' }, two),
    choice('`allowedFunctionNames`', { mode: 'ANY', allowedFunctionNames: ['weather'] }, two),
    { name: '`googleSearch`, a tool', with: { tools: [{ googleSearch: {} }] } },
    { name: '`codeExecution`, a tool', with: { tools: [{ codeExecution: {} }] } },
    { name: '`cachedContent`', with: { cachedContent: 'cachedContents/7' } },
    { name: '`labels`', with: { labels: { a: 'b' } } },
    { name: 'an image as data', with: ofUser(data('image/png', PNG)) },
    { name: 'audio as data', with: ofUser(data('audio/wav', SOUND)) },
    { name: 'a PDF as data', with: ofUser(data('application/pdf', PDF)) },
    {
      name: 'an image in a result of a function',
      with: resultWith({ parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }] }),
      common: { ...one, ...resultWith({}) },
    },
    {
      name: 'every setting at once',
      with: {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        generationConfig: {
          maxOutputTokens: 7777,
          temperature: 0.3,
          topP: 0.3,
          topK: 3,
          seed: 7,
          presencePenalty: 0.5,
          frequencyPenalty: 0.5,
          thinkingConfig: { thinkingBudget: THINKING_TOKENS, includeThoughts: true },
        },
        toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
        ...two,
      },
    },
    {
      name: 'a file at Google',
      with: ofUser({
        fileData: {
          mimeType: 'application/pdf',
          fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/7',
        },
      }),
    },
  ],
}
