import { describe, expect, test } from 'vitest'
import {
  chargeFor,
  chat,
  chatStream,
  claude,
  CLAUDE,
  claudeStream,
  embeddings,
  EMBEDDINGS,
  FILE,
  gemini,
  HI,
  ollama,
  PICTURE,
  type ReportRow,
  saying,
  shareReportsWorld,
  reportedUsage,
} from '../../../testing/worlds/reported-usage.ts'

/* Reports of honest providers, most with the numbers of published reports. */

const GEMINI = '/v1beta/models/gemini-2.5-pro:generateContent'
const TOOLS = [{ name: 'bash', input_schema: { type: 'object' } }]
const SEARCH = [{ type: 'web_search_20250305', name: 'web_search' }]
const HEX = 'c0ffee15deadbeef'.repeat(2000)
const CHINESE = '网关的账本必须精确到最后一个单位。'.repeat(400)

const HONEST: ReportRow[] = [
  {
    title: 'reasoning within the limit',
    channel: 'openai',
    body: { model: 'o3', messages: HI, max_completion_tokens: 4096 },
    answers: chat(reportedUsage(8, 4000, 3900)),
  },
  {
    title: 'reasoning without a limit, in a stream',
    channel: 'openai',
    body: { model: 'gpt-5', messages: HI, stream: true },
    answers: chatStream(reportedUsage(8, 60_000, 59_000)),
  },
  {
    title: 'two answers of the whole limit each',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: HI, max_tokens: 500, n: 2 },
    answers: chat(reportedUsage(8, 1000)),
  },
  {
    title: 'a picture, whose tokens differ from model to model',
    channel: 'openai',
    body: {
      model: 'gpt-4o',
      messages: saying([{ type: 'image_url', image_url: { url: PICTURE } }]),
    },
    answers: chat(reportedUsage(2833 + 9, 5)),
  },
  {
    title: 'hexadecimal digits, of which few make a token',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: saying(HEX) },
    answers: chat(reportedUsage(Math.ceil(HEX.length / 1.6), 5)),
  },
  {
    title: 'the schema of an answer, which is part of the prompt',
    channel: 'openai',
    body: {
      model: 'gpt-4o',
      messages: HI,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { type: 'object', description: HEX } },
      },
    },
    answers: chat(reportedUsage(Math.ceil(HEX.length / 1.6), 5)),
  },
  {
    title: 'a file as long as the window of its model',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: saying([FILE]), max_tokens: 5 },
    answers: chat(reportedUsage(120_000, 5)),
  },
  {
    title: 'embeddings of many texts',
    channel: 'openai',
    path: EMBEDDINGS,
    body: { model: 'text-embedding-3-small', input: Array(200).fill('a few words of a text') },
    answers: embeddings(1000),
  },
  {
    title: 'embeddings whose total is larger',
    channel: 'openai',
    path: EMBEDDINGS,
    body: { model: 'text-embedding-3-small', input: 'a few words' },
    answers: embeddings(3, 8),
    charged: [3, 0],
  },
  {
    title: 'the 700 tokens that xAI has before a prompt',
    channel: 'custom',
    body: { model: 'grok-4', messages: HI, max_tokens: 50 },
    answers: chat(reportedUsage(708, 40, 30)),
  },
  {
    title: 'thoughts that are shown, and that a limit is not for',
    channel: 'custom',
    body: { model: 'deepseek-r1', messages: HI, max_tokens: 10 },
    answers: chat(reportedUsage(8, 3010, 3000), { reasoning_content: 'so '.repeat(3000) }),
  },
  {
    title: 'the same of ByteDance',
    channel: 'custom',
    body: { model: 'doubao-seed-1-6', messages: HI, max_tokens: 10 },
    answers: chat(reportedUsage(8, 3010, 3000), { reasoning_content: 'so '.repeat(3000) }),
  },
  {
    title: 'Chinese in the tokens of a model that has none for it',
    channel: 'custom',
    body: { model: 'llama-2-70b', messages: saying(CHINESE) },
    answers: chat(reportedUsage(CHINESE.length * 2.5, 5)),
  },
  {
    title: 'tools, whose use Anthropic explains to its models',
    channel: 'anthropic',
    path: CLAUDE,
    body: { model: 'claude-sonnet-4-5', max_tokens: 50, messages: HI, tools: TOOLS },
    answers: claude({ input_tokens: 2100, output_tokens: 40 }),
  },
  {
    title: 'a budget for thoughts that do not show',
    channel: 'anthropic',
    path: CLAUDE,
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens: 6000,
      messages: HI,
      thinking: { type: 'enabled', budget_tokens: 5000 },
    },
    answers: claude({ input_tokens: 30, output_tokens: 5100 }),
  },
  {
    title: 'a prompt that comes from the cache, in a stream',
    channel: 'anthropic',
    path: CLAUDE,
    body: {
      model: 'claude-sonnet-4-5',
      max_tokens: 50,
      stream: true,
      messages: saying('word '.repeat(20_000)),
    },
    answers: claudeStream(
      { input_tokens: 4, cache_read_input_tokens: 20_100, output_tokens: 1 },
      { output_tokens: 5 },
    ),
  },
  {
    title: 'thoughts of Gemini',
    channel: 'gemini',
    body: { model: 'gemini-2.5-pro', messages: HI, max_tokens: 9000 },
    answers: gemini({ promptTokenCount: 8, candidatesTokenCount: 5, thoughtsTokenCount: 8000 }),
  },
  {
    title: 'reasoning that only the total of xAI includes, in a stream',
    channel: 'custom',
    body: { model: 'grok-3-mini', messages: HI, stream: true },
    answers: chatStream({ ...reportedUsage(12, 2, 317), total_tokens: 331 }),
    charged: [12, 319],
  },
  {
    title: 'thoughts without an answer, which only the total includes',
    channel: 'custom',
    body: { model: 'gemini-2.5-flash', messages: HI },
    answers: chat({ ...reportedUsage(21, 0, 60), total_tokens: 81 }),
    charged: [21, 60],
  },
  {
    title: 'thoughts that only the total includes, unnamed',
    channel: 'custom',
    body: { model: 'gemini-2.5-flash', messages: HI },
    answers: chat({ prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 }),
    charged: [20, 603],
  },
  {
    title: 'the same in a stream',
    channel: 'custom',
    body: { model: 'gemini-2.5-flash', messages: HI, stream: true },
    answers: chatStream({ prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 }),
    charged: [20, 603],
  },
  {
    title: 'a total with more, of a model that has no such habit',
    channel: 'openai',
    body: { model: 'gpt-4o', messages: HI },
    answers: chat({ ...reportedUsage(8, 5), total_tokens: 5013 }),
    charged: [8, 5],
  },
  {
    title: 'a cache in addition to the prompt, in no total',
    channel: 'custom',
    body: { model: 'claude-sonnet-4', messages: saying('word '.repeat(5000)) },
    answers: chat({
      ...reportedUsage(10, 5),
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 5000 },
    }),
    charged: [5010, 5],
  },
  {
    title: 'a cache that only the total includes',
    channel: 'custom',
    body: { model: 'claude-sonnet-4', messages: saying('word '.repeat(100_000)) },
    answers: chat({
      ...reportedUsage(4, 297),
      total_tokens: 187_691,
      prompt_tokens_details: { cached_tokens: 187_354 },
      cache_creation_input_tokens: 36,
    }),
    charged: [187_394, 297],
  },
  {
    title: 'a cache that the total includes twice',
    channel: 'custom',
    body: { model: 'deepseek-v4-flash', messages: saying('word '.repeat(14_000)) },
    answers: chat({
      ...reportedUsage(14_075, 5),
      total_tokens: 28_002,
      prompt_tokens_details: { cached_tokens: 13_922 },
    }),
    charged: [14_075, 5],
  },
  {
    title: 'a cache that the total includes twice, with another that was written',
    channel: 'custom',
    body: { model: 'claude-sonnet-4', messages: saying('word '.repeat(110_000)) },
    answers: chat({
      ...reportedUsage(211_000, 301),
      total_tokens: 395_301,
      prompt_tokens_details: { cached_tokens: 184_000, cache_write_tokens: 1000 },
    }),
    charged: [211_000, 301],
  },
  {
    title: 'research whose reasoning is billed apart',
    channel: 'custom',
    body: { model: 'sonar-deep-research', messages: saying('word '.repeat(100)) },
    answers: chat({
      prompt_tokens: 108,
      completion_tokens: 3256,
      total_tokens: 3364,
      citation_tokens: 7299,
      num_search_queries: 74,
      reasoning_tokens: 73_248,
    }),
    charged: [108, 3256],
  },
  {
    title: "results of OpenRouter's web search, by the suffix of a model",
    channel: 'custom',
    body: { model: 'openai/gpt-4o:online', messages: saying('What is OpenRouter?') },
    answers: chat({ ...reportedUsage(2188, 154), total_tokens: 2342 }),
  },
  {
    title: 'results of the ten tool calls of a system of Groq',
    channel: 'custom',
    body: { model: 'groq/compound', messages: HI },
    answers: chat(reportedUsage(12_000, 5)),
  },
  {
    title: 'seconds of audio that only the total of Mistral includes, as tokens',
    channel: 'custom',
    body: { model: 'voxtral-small', messages: HI },
    answers: chat({ ...reportedUsage(4, 9), total_tokens: 99, prompt_audio_seconds: 11 }),
    charged: [4, 9],
  },
  {
    title: 'thoughts of a Claude whose request names an effort',
    channel: 'custom',
    body: { model: 'claude-opus-4-7', messages: HI, reasoning_effort: 'high' },
    answers: chat(reportedUsage(29, 1700, 1500)),
  },
  {
    title: "documents of Azure's data sources",
    channel: 'openai',
    body: {
      model: 'gpt-4o',
      messages: saying('hello there'),
      data_sources: [{ type: 'azure_search', parameters: { index_name: 'books' } }],
    },
    answers: chat(reportedUsage(2604, 5)),
  },
  {
    title: "results of Anthropic's web search, from and to the cache",
    channel: 'anthropic',
    path: CLAUDE,
    body: { model: 'claude-sonnet-4-5', max_tokens: 8000, messages: HI, tools: SEARCH },
    answers: claude({
      input_tokens: 105,
      output_tokens: 6039,
      cache_read_input_tokens: 7123,
      cache_creation_input_tokens: 7345,
      server_tool_use: { web_search_requests: 1 },
    }),
    charged: [14_573, 6039],
  },
  {
    title: 'a window that every round of a web search reads again',
    channel: 'anthropic',
    path: CLAUDE,
    body: { model: 'claude-haiku-4-5', max_tokens: 500, messages: HI, tools: SEARCH },
    answers: claude({ input_tokens: 278_000, output_tokens: 400 }),
  },
  {
    title: 'pages that Gemini fetches',
    channel: 'gemini',
    path: GEMINI,
    body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], tools: [{ urlContext: {} }] },
    answers: gemini({
      promptTokenCount: 27,
      candidatesTokenCount: 45,
      toolUsePromptTokenCount: 10_309,
      thoughtsTokenCount: 31,
      totalTokenCount: 10_412,
    }),
    charged: [10_336, 76],
  },
  {
    title: 'what Ollama counts',
    channel: 'ollama',
    body: { model: 'qwen3', messages: HI },
    answers: ollama({ prompt_eval_count: 30, eval_count: 900 }),
  },
]

const world = shareReportsWorld()

describe('a plausible report is charged unchanged', () => {
  test.each(HONEST)('$channel: $title', async (row) => {
    const { source, isMarked, log } = await chargeFor(world, row)
    expect({ source, isMarked }).toEqual({ source: 'reported', isMarked: false })
    if (row.charged === undefined) return
    expect([log?.prompt_tokens, log?.completion_tokens]).toEqual(row.charged)
  })
})
