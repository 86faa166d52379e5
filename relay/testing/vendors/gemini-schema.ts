import { z } from 'zod'
import { isRecord, type JsonRecord, listOf } from '../../src/bytes/json-value.ts'

/* The members of generateContent at Google (googleapis/python-genai 3.6). */

const camel = (name: string) =>
  name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())
const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Google knows every member in both spellings. */
const proto = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess(
    (value) =>
      isRecord(value)
        ? Object.fromEntries(Object.entries(value).map(([name, own]) => [camel(name), own]))
        : value,
    z.strictObject(shape),
  )

/** A member in either spelling. */
export const field = (value: unknown, name: string): unknown =>
  isRecord(value) ? (value[name] ?? value[snake(name)]) : undefined

export const records = (value: unknown): JsonRecord[] => listOf(value).filter(isRecord)

const free = z.looseObject({})
const string = z.string().optional()
const number = z.number().optional()
const flag = z.boolean().optional()
/** Numbers of 64 bits may stand as text. */
const integer = z.union([z.int(), z.string()]).optional()

export const DATA_MEMBERS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
]

const part = proto({
  text: string,
  inlineData: proto({ mimeType: z.string(), data: z.string(), displayName: string }).optional(),
  fileData: proto({ mimeType: string, fileUri: z.string(), displayName: string }).optional(),
  functionCall: proto({ id: string, name: z.string(), args: free.optional() }).optional(),
  functionResponse: proto({
    id: string,
    name: z.string(),
    response: z.unknown().optional(),
    parts: z.array(free).optional(),
    willContinue: flag,
    scheduling: string,
  }).optional(),
  executableCode: free.optional(),
  codeExecutionResult: free.optional(),
  toolCall: free.optional(),
  toolResponse: free.optional(),
  thought: flag,
  thoughtSignature: string,
  videoMetadata: free.optional(),
  mediaResolution: free.optional(),
  partMetadata: free.optional(),
})
const content = proto({ role: string, parts: z.array(part).optional() })

/** The Schema type, not JSON Schema: `parameters` and `responseSchema`. */
export const SCHEMA_WORDS = new Set(
  (
    'type format title description nullable enum items minItems maxItems properties required ' +
    'minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering ' +
    'default minimum maximum additionalProperties ref defs'
  )
    .split(' ')
    .flatMap((name) => [name, snake(name)]),
)

const declaration = proto({
  name: z.string(),
  description: string,
  parameters: free.optional(),
  parametersJsonSchema: z.unknown().optional(),
  response: free.optional(),
  responseJsonSchema: z.unknown().optional(),
  behavior: string,
})
const tool = proto({
  functionDeclarations: z.array(declaration).optional(),
  googleSearch: free.optional(),
  googleSearchRetrieval: free.optional(),
  codeExecution: free.optional(),
  urlContext: free.optional(),
  googleMaps: free.optional(),
  fileSearch: free.optional(),
  computerUse: free.optional(),
  mcpServers: z.array(free).optional(),
})

export const geminiRequest = proto({
  model: string,
  contents: z.array(content).optional(),
  systemInstruction: content.optional(),
  tools: z.array(tool).optional(),
  toolConfig: proto({
    functionCallingConfig: proto({
      mode: string,
      allowedFunctionNames: z.array(z.string()).optional(),
    }).optional(),
    retrievalConfig: free.optional(),
    includeServerSideToolInvocations: flag,
  }).optional(),
  safetySettings: z
    .array(proto({ category: z.string(), threshold: z.string(), method: string }))
    .optional(),
  generationConfig: proto({
    temperature: number,
    topP: number,
    topK: number,
    candidateCount: integer,
    maxOutputTokens: integer,
    stopSequences: z.array(z.string()).optional(),
    responseLogprobs: flag,
    logprobs: integer,
    presencePenalty: number,
    frequencyPenalty: number,
    seed: integer,
    responseMimeType: string,
    responseSchema: free.optional(),
    responseJsonSchema: z.unknown().optional(),
    responseModalities: z.array(z.string()).optional(),
    mediaResolution: string,
    speechConfig: free.optional(),
    audioTimestamp: flag,
    thinkingConfig: proto({
      includeThoughts: flag,
      thinkingBudget: z.int().optional(),
      thinkingLevel: string,
    }).optional(),
    imageConfig: free.optional(),
    enableEnhancedCivicAnswers: flag,
  }).optional(),
  cachedContent: string,
  serviceTier: string,
  store: flag,
})
