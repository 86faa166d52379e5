import { deepseek } from '../../../relay/testing/vendors/deepseek.rules.ts'
import type { StrictVendor } from '../../../relay/testing/vendors/strict-vendor.ts'
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

/** A provider of the matrix with one of its models. */
export type Column = {
  name: string
  row: TypeRow
  /** The vendor of the rules, if it is not that of the channel type. */
  vendor?: StrictVendor
  /** The name of its address, by which the gateway knows the vendor. */
  host?: string
  wire: Wire
  /** The provider's name of an embedding model; null if it offers none. */
  embeddingModel: string | null
  /** Images, audio and the like are not asked for. */
  chatsOnly?: true
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
  /** Rules of the vendor that requests may break. */
  knownToFail?: Readonly<Record<string, Excuse>>
}

export type Excuse = {
  reason: string
  /** Requests that were translated may break it too. */
  inEveryForm?: true
}

/** A request in the provider's own form passes unchanged. */
const own = (what: string): Excuse => ({
  reason: `The client sets ${what}, and a request in the provider's own form passes unchanged.`,
})
const DRAWS: Excuse = {
  reason: 'The client asks for an image, and the model does not draw.',
  inEveryForm: true,
}

const GEMINI_EXCUSES: Readonly<Record<string, Excuse>> = {
  'GEM-001': own('labels, which Vertex AI alone has'),
  'GEM-064': own('an answer with images or audio for a model that writes'),
}

const OPENAI_EXCUSES: Readonly<Record<string, Excuse>> = {
  'OAI-031': own('the format of JSON without naming it'),
  'OAI-034': DRAWS,
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

const OPENAI_PATHS: [RegExp, RegExp] = [/^\/v1\/chat\/completions$/, /^\/v1\/embeddings$/]
const openai = openaiWire({ paths: OPENAI_PATHS, hidesReasoning: true })
const openaiLike = openaiWire({ paths: OPENAI_PATHS, reasonsByDefault: true })

const zhipu = openaiWire({
  paths: [/^\/api\/paas\/v4\/chat\/completions$/, /^\/api\/paas\/v4\/embeddings$/],
  usage: 'last',
  bareImages: true,
  reasonsByDefault: true,
})

export const COLUMNS: readonly Column[] = [
  {
    name: 'OpenAI',
    row: rowOf(1, { model: 'gpt-4.1' }),
    wire: openai,
    knownToFail: OPENAI_EXCUSES,
    embeddingModel: 'text-embedding-3-small',
    tasks: openaiTasks(/^\/v1\/(?<what>(?:images|audio)\/\w+|moderations)$/),
    tellsTokens: true,
  },
  {
    name: 'GPT-5',
    row: rowOf(1, { model: 'gpt-5.1' }),
    wire: openai,
    knownToFail: {
      'OAI-031': own('the format of JSON without naming it'),
      'OAI-034': DRAWS,
      'OAI-105': own('audio, a prediction or sampling for a model without them'),
    },
    embeddingModel: 'text-embedding-3-small',
    chatsOnly: true,
  },
  {
    name: 'Azure',
    // Older API versions have no image edits.
    row: rowOf(3, { model: 'gpt-4.1', other: '2025-04-01-preview' }),
    wire: openaiWire({
      paths: [
        /^\/openai\/deployments\/gpt-41\/chat\/completions$/,
        /^\/openai\/deployments\/text-embedding-3-small\/embeddings$/,
      ],
      hidesReasoning: true,
    }),
    knownToFail: OPENAI_EXCUSES,
    embeddingModel: 'text-embedding-3-small',
    tasks: openaiTasks(/^\/openai\/deployments\/(?<model>[\w-]+)\/(?<what>(?:images|audio)\/\w+)$/),
    tellsTokens: true,
  },
  {
    name: 'Anthropic',
    row: rowOf(14, { model: 'claude-sonnet-4-5' }),
    wire: anthropicWire,
    knownToFail: {
      'ANT-005': own('a member of a beta without its header'),
      'ANT-070': own('an effort for a model with budgets'),
    },
    embeddingModel: null,
  },
  {
    name: 'Claude 4.8',
    row: rowOf(14, { model: 'claude-opus-4-8' }),
    wire: anthropicWire,
    knownToFail: {
      'ANT-005': own('a member of a beta without its header'),
      'ANT-054': own('a budget for a model with efforts'),
      'ANT-123': own('sampling for a model without it'),
    },
    embeddingModel: null,
    chatsOnly: true,
  },
  {
    name: 'Gemini',
    row: rowOf(24, { model: 'gemini-2.5-flash' }),
    wire: geminiWire,
    knownToFail: {
      ...GEMINI_EXCUSES,
      'GEM-111': own('an image in a result for a model before version 3'),
    },
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
    name: 'Gemini 3',
    row: rowOf(24, { model: 'gemini-3.1-pro-preview' }),
    wire: geminiWire,
    knownToFail: GEMINI_EXCUSES,
    embeddingModel: 'gemini-embedding-001',
    chatsOnly: true,
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
    row: rowOf(16, { model: 'glm-4.6' }),
    wire: zhipu,
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
  {
    name: 'GLM-4.6V',
    row: rowOf(16, { model: 'glm-4.6v' }),
    wire: zhipu,
    embeddingModel: 'embedding-3',
    chatsOnly: true,
  },
  {
    name: 'Moonshot',
    row: rowOf(25, { model: 'kimi-k2.6' }),
    wire: openaiLike,
    chatsOnly: true,
    knownToFail: {
      'KIMI-003': own('a forced tool'),
    },
    embeddingModel: null,
  },
  {
    name: 'DeepSeek',
    row: rowOf(8, { model: 'deepseek-v4-pro' }),
    vendor: deepseek,
    host: 'api.deepseek.com',
    chatsOnly: true,
    wire: openaiLike,
    knownToFail: {
      'DS-004': own('a forced tool'),
      'DS-008': own('the role developer'),
      'DS-009': own('an image'),
      'DS-014': own('a schema of the answer'),
    },
    embeddingModel: null,
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
    knownToFail: {
      'MIS-001': {
        ...DRAWS,
        reason: 'The client sets a member that Mistral lacks, such as the image of an answer.',
      },
      'MIS-003': own('a tool of another type'),
      'MIS-010': own('a tool of another type'),
    },
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

/** Sessions begin at these and continue at another provider. */
export const FORMERS: readonly Column[] = COLUMNS.filter(({ name }) =>
  ['Claude 4.8', 'Gemini 3', 'Moonshot'].includes(name),
)

export const TASK_COLUMNS: readonly Column[] = COLUMNS.filter(({ chatsOnly }) => !chatsOnly)
