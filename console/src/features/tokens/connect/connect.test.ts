import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { CHAT_APPS } from './chat-apps.ts'
import { CODING_AGENTS } from './coding-agents.ts'
import { EDITORS } from './editors.ts'
import { PROGRAMS } from './programs.ts'
import type { Setup } from './setup.ts'

const setup: Setup = {
  address: 'https://api.example.com',
  key: 'sk-abc',
  model: { id: 'gpt-5.1', api: 'chat', context: 400_000, output: 128_000 },
  systemName: `Ann's "API" (测试)`,
}
const CLIENTS = [...PROGRAMS, ...CODING_AGENTS, ...EDITORS, ...CHAT_APPS]

const stepsOf = (id: string, given = setup) =>
  CLIENTS.find((client) => client.id === id)?.steps(given) ?? []

const copies = (id: string, index = 0, given = setup) => stepsOf(id, given)[index]?.copies ?? ''

/** The JSON of a link whose parameter is base64. */
function decoded(id: string, parameter: string): unknown {
  const { searchParams } = new URL(stepsOf(id)[0]?.link ?? '')
  const bytes = Uint8Array.from(atob(searchParams.get(parameter) ?? ''), (character) =>
    Number(character.codePointAt(0)),
  )
  return JSON.parse(new TextDecoder().decode(bytes))
}

test.each(CLIENTS)(
  '$name opens by a link or has one to three steps, which contain the key and the address',
  (client) => {
    const steps = client.steps(setup)
    expect(steps.filter(({ link }) => link === undefined).length).toBeLessThanOrEqual(3)
    const texts = steps.map(({ copies: text = '', link = '' }) => text + decodeURIComponent(link))
    const base64 = texts.join('\n').match(/[\w+/]{40,}={0,2}/g) ?? []
    const all = [...texts, ...base64.map((text) => atob(text))].join('\n')
    expect(all).toContain('sk-abc')
    expect(all).toContain('api.example.com')
  },
)

test('Claude Code gets its settings, with the limits of models that are not Claude', () => {
  expect(JSON.parse(copies('claude-code'))).toEqual({
    env: {
      ANTHROPIC_BASE_URL: 'https://api.example.com',
      ANTHROPIC_AUTH_TOKEN: 'sk-abc',
      ANTHROPIC_MODEL: 'gpt-5.1',
      ANTHROPIC_DEFAULT_FABLE_MODEL: 'gpt-5.1',
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'gpt-5.1',
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'gpt-5.1',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'gpt-5.1',
      CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: '400000',
    },
  })
  const claude = { ...setup, model: { ...setup.model, id: 'claude-sonnet-5' } }
  expect(copies('claude-code', 0, claude)).not.toContain('CLAUDE_CODE')
})

test('Codex gets TOML with a provider that speaks Responses, and reads the key from the shell', () => {
  expect(parse(copies('codex'))).toEqual({
    model: 'gpt-5.1',
    model_provider: 'tollgate',
    model_providers: {
      tollgate: {
        name: setup.systemName,
        base_url: 'https://api.example.com/v1',
        env_key: 'TOLLGATE_API_KEY',
        wire_api: 'responses',
      },
    },
  })
  expect(copies('codex', 1)).toBe("export TOLLGATE_API_KEY='sk-abc'")
})

test('Gemini CLI gets the address without a version, and its kind of authentication', () => {
  expect(copies('gemini-cli').split('\n')).toEqual([
    "export GEMINI_API_KEY='sk-abc'",
    "export GOOGLE_GEMINI_BASE_URL='https://api.example.com'",
    "export GEMINI_MODEL='gpt-5.1'",
  ])
  expect(JSON.parse(copies('gemini-cli', 1))).toEqual({
    security: { auth: { selectedType: 'gemini-api-key' } },
  })
})

test('opencode gets a provider with the limits of the model, if they are known', () => {
  expect(JSON.parse(copies('opencode'))).toMatchObject({
    model: 'tollgate/gpt-5.1',
    provider: {
      tollgate: {
        options: { baseURL: 'https://api.example.com/v1', apiKey: '{env:TOLLGATE_API_KEY}' },
        models: { 'gpt-5.1': { limit: { context: 400_000, output: 128_000 } } },
      },
    },
  })
  const unknown = { ...setup, model: { ...setup.model, context: null } }
  expect(copies('opencode', 0, unknown)).not.toContain('limit')
})

test('Qwen Code and Aider get the address with its version, in variables of the shell', () => {
  expect(copies('qwen-code').split('\n')).toEqual([
    "export OPENAI_API_KEY='sk-abc'",
    "export OPENAI_BASE_URL='https://api.example.com/v1'",
    "export OPENAI_MODEL='gpt-5.1'",
  ])
  expect(copies('aider').split('\n')).toEqual([
    "export OPENAI_API_KEY='sk-abc'",
    "export OPENAI_API_BASE='https://api.example.com/v1'",
    "export AIDER_MODEL='openai/gpt-5.1'",
  ])
})

test('CC Switch and NextChat get the address without a version', () => {
  const { protocol, searchParams } = new URL(stepsOf('cc-switch')[0]?.link ?? '')
  expect(protocol).toBe('ccswitch:')
  expect(Object.fromEntries(searchParams)).toEqual({
    resource: 'provider',
    app: 'claude',
    homepage: 'https://api.example.com',
    name: setup.systemName,
    endpoint: 'https://api.example.com',
    apiKey: 'sk-abc',
    model: 'gpt-5.1',
  })
  const [, settings = ''] = (stepsOf('nextchat')[0]?.link ?? '').split('/#/?settings=')
  expect(JSON.parse(decodeURIComponent(settings))).toEqual({
    key: 'sk-abc',
    url: 'https://api.example.com',
  })
})

test('Cherry Studio gets JSON without the characters that it would change', () => {
  expect(decoded('cherry-studio', 'data')).toEqual({
    id: 'tollgate',
    name: 'Anns "API" 测试',
    type: 'openai',
    baseUrl: 'https://api.example.com',
    apiKey: 'sk-abc',
  })
})

test('Chatbox gets a provider with the model', () => {
  expect(decoded('chatbox', 'config')).toMatchObject({
    name: setup.systemName,
    type: 'openai',
    settings: {
      apiHost: 'https://api.example.com',
      apiPath: '/v1/chat/completions',
      apiKey: 'sk-abc',
      models: [{ modelId: 'gpt-5.1', contextWindow: 400_000, maxOutput: 128_000 }],
    },
  })
})

test.each(CHAT_APPS.filter(({ id }) => id !== 'open-webui'))(
  'the steps of $name by hand name the address, the key and the model',
  ({ steps }) => {
    const byHand = steps(setup).filter(({ link }) => link === undefined)
    expect(byHand.map(({ copies: text }) => text)).toEqual([
      expect.stringMatching(/^https:\/\/api\.example\.com/),
      'sk-abc',
      'gpt-5.1',
    ])
  },
)

test('LobeChat gets its settings in the address', () => {
  const { searchParams } = new URL(stepsOf('lobehub')[0]?.link ?? '')
  expect(JSON.parse(searchParams.get('settings') ?? '')).toEqual({
    keyVaults: { openai: { apiKey: 'sk-abc', baseURL: 'https://api.example.com/v1' } },
  })
})

test('a model that does not chat gets its own command', () => {
  const whisper = {
    ...setup,
    model: { ...setup.model, id: 'whisper-1', api: 'transcriptions' as const },
  }
  expect(copies('python', 0, whisper)).toContain(
    'curl https://api.example.com/v1/audio/transcriptions',
  )
})
