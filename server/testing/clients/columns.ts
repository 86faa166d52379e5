import { OPENAI_ROWS } from '../every-type/openai-rows.ts'
import { OWN_ROWS } from '../every-type/own-rows.ts'
import { SIGNED_ROWS } from '../every-type/signed-rows.ts'
import type { TypeRow } from '../every-type/type-row.ts'
import type { Wire } from './received-chat.ts'
import type { TaskWire } from './tasks/received-task.ts'
import { MODELS } from './tasks/task-client.ts'
import { aliWire } from './wires/ali.ts'
import { anthropicWire } from './wires/anthropic.ts'
import { baiduWire } from './wires/baidu.ts'
import { geminiWire } from './wires/gemini.ts'
import { ollamaWire } from './wires/ollama.ts'
import { openaiWire } from './wires/openai.ts'
import { sparkWire } from './wires/spark.ts'
import { aliTasks } from './wires/tasks/ali.ts'
import { geminiTasks } from './wires/tasks/gemini.ts'
import { minimaxTasks } from './wires/tasks/minimax.ts'
import { mistralTasks } from './wires/tasks/mistral.ts'
import { openaiTasks } from './wires/tasks/openai.ts'
import { zhipuTasks } from './wires/tasks/zhipu.ts'
import { tencentWire } from './wires/tencent.ts'

/** A provider of the matrix: one per wire format, plus one more that uses OpenAI's. */
export type Column = {
  name: string
  row: TypeRow
  wire: Wire
  /** The provider's name of an embedding model; null if it offers none. */
  embeddingModel: string | null
  /** Images, audio and the like; absent if the provider offers none. */
  tasks?: TaskWire
  /** Provider model names, by the OpenAI model that clients request. */
  taskModels?: Readonly<Record<string, string>>
  /** Speech voice; OpenAI's by default. */
  voice?: string
  /** Reports tokens for images, speech and transcripts. */
  tellsTokens?: true
  /** Edited images come as URLs, whatever format the client requests. */
  redrawsAddresses?: true
}

const ROWS = [...OPENAI_ROWS, ...OWN_ROWS, ...SIGNED_ROWS]

function rowOf(type: number, own: Partial<TypeRow> = {}): TypeRow {
  const row = ROWS.find((one) => one.type === type)
  if (row === undefined) throw new Error(`no row for type ${type}`)
  return { ...row, isSigned: row.isSigned ?? showsKeyOf(row), ...own }
}

/** Checks the headers that contain the key. An access token in the URL is not checked here. */
function showsKeyOf(row: TypeRow): NonNullable<TypeRow['isSigned']> {
  const { headers } = row.call({ stream: false })
  const keyed = Object.entries(headers).filter(([, value]) => value.includes(row.key))
  return (call) => keyed.every(([name, value]) => call.headers[name] === value)
}

const openai = openaiWire({ paths: [/^\/v1\/chat\/completions$/, /^\/v1\/embeddings$/] })

export const COLUMNS: readonly Column[] = [
  {
    name: 'OpenAI',
    row: rowOf(1, { model: 'gpt-5-mini' }),
    wire: openai,
    embeddingModel: 'text-embedding-3-small',
    tasks: openaiTasks(/^\/v1\/(?<what>(?:images|audio)\/\w+|moderations)$/),
    tellsTokens: true,
  },
  {
    name: 'Azure',
    // Older API versions have no image edits.
    row: rowOf(3, { model: 'gpt-5-mini', other: '2025-04-01-preview' }),
    wire: openaiWire({
      paths: [
        /^\/openai\/deployments\/gpt-5-mini\/chat\/completions$/,
        /^\/openai\/deployments\/text-embedding-3-small\/embeddings$/,
      ],
    }),
    embeddingModel: 'text-embedding-3-small',
    tasks: openaiTasks(/^\/openai\/deployments\/(?<model>[\w-]+)\/(?<what>(?:images|audio)\/\w+)$/),
    tellsTokens: true,
  },
  { name: 'Anthropic', row: rowOf(14), wire: anthropicWire, embeddingModel: null },
  {
    name: 'Gemini',
    row: rowOf(24, { model: 'gemini-2.5-flash' }),
    wire: geminiWire,
    embeddingModel: 'gemini-embedding-001',
    tasks: geminiTasks,
    taskModels: {
      [MODELS.draw]: 'imagen-4.0-generate-001',
      [MODELS.drawByToken]: 'gemini-2.5-flash-image',
      [MODELS.speak]: 'gemini-2.5-flash-preview-tts',
      [MODELS.speakByToken]: 'gemini-2.5-flash-preview-tts',
    },
    voice: 'Kore',
    tellsTokens: true,
  },
  {
    name: 'Ali',
    row: rowOf(17),
    wire: aliWire,
    embeddingModel: 'text-embedding-v4',
    tasks: aliTasks(),
    taskModels: { [MODELS.draw]: 'wanx-v1', [MODELS.drawByToken]: 'qwen-image-edit-plus' },
    redrawsAddresses: true,
  },
  {
    name: 'Zhipu',
    row: rowOf(16),
    wire: openaiWire({
      paths: [/^\/api\/paas\/v4\/chat\/completions$/, /^\/api\/paas\/v4\/embeddings$/],
      usage: 'last',
      bareImages: true,
    }),
    embeddingModel: 'embedding-3',
    tasks: zhipuTasks,
    taskModels: {
      [MODELS.draw]: 'cogview-3-flash',
      [MODELS.drawByToken]: 'cogview-3-flash',
      [MODELS.speak]: 'glm-tts',
      [MODELS.speakByToken]: 'glm-tts',
      [MODELS.hear]: 'glm-asr-2512',
      [MODELS.hearByToken]: 'glm-asr-2512',
    },
    voice: 'tongtong',
  },
  { name: 'Baidu', row: rowOf(15), wire: baiduWire, embeddingModel: 'Embedding-V1' },
  { name: 'Tencent', row: rowOf(23), wire: tencentWire, embeddingModel: 'hunyuan-embedding' },
  {
    name: 'Spark',
    row: rowOf(18, { model: 'Spark-Max', other: '' }),
    wire: sparkWire,
    embeddingModel: null,
  },
  {
    name: 'MiniMax',
    row: rowOf(27, { model: 'MiniMax-M2' }),
    wire: openaiWire({
      paths: [/^\/v1\/text\/chatcompletion_v2$/, /^\/v1\/embeddings$/],
      usage: 'last',
      repeats: true,
      embeds: 'texts',
      extraMembers: { base_resp: { status_code: 0, status_msg: '' } },
    }),
    embeddingModel: 'embo-01',
    tasks: minimaxTasks,
    taskModels: {
      [MODELS.draw]: 'image-01',
      [MODELS.drawByToken]: 'image-01',
      [MODELS.speak]: 'speech-2.8-hd',
      [MODELS.speakByToken]: 'speech-2.8-hd',
    },
    voice: 'male-qn-qingse',
  },
  { name: 'Ollama', row: rowOf(30), wire: ollamaWire, embeddingModel: 'nomic-embed-text' },
  {
    name: 'Mistral',
    row: rowOf(28),
    wire: openaiWire({
      paths: [/^\/v1\/chat\/completions$/, /^\/v1\/embeddings$/],
      usage: 'last',
    }),
    embeddingModel: 'mistral-embed',
    tasks: mistralTasks,
    taskModels: {
      [MODELS.hear]: 'voxtral-mini-latest',
      [MODELS.hearByToken]: 'voxtral-mini-latest',
      [MODELS.speak]: 'voxtral-mini-tts-2603',
      [MODELS.speakByToken]: 'voxtral-mini-tts-2603',
    },
    voice: 'en_paul_neutral',
  },
]
