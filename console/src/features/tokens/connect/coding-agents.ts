import {
  apiBase,
  type Client,
  exportLine,
  KEY_VARIABLE,
  PROVIDER_ID,
  type Setup,
  toJson,
  tomlString,
} from './setup.ts'

const ROLES = ['FABLE', 'OPUS', 'SONNET', 'HAIKU'] as const

/** The address has no `/v1`. All roles get the chosen model, since others may not be served. */
function claudeSettings({ address, key, model }: Setup): string {
  const roles = ROLES.map((role) => [`ANTHROPIC_DEFAULT_${role}_MODEL`, model.id] as const)
  const isClaude = model.id.startsWith('claude-')
  return toJson({
    env: {
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model.id,
      ...Object.fromEntries(roles),
      // Claude Code knows the limits of Claude models alone, and sends others its beta features.
      ...(!isClaude && {
        CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
        ...(model.context !== null && { CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(model.context) }),
      }),
    },
  })
}

const codexConfig = (setup: Setup) =>
  [
    `model = ${tomlString(setup.model.id)}`,
    `model_provider = "${PROVIDER_ID}"`,
    '',
    `[model_providers.${PROVIDER_ID}]`,
    `name = ${tomlString(setup.systemName)}`,
    `base_url = ${tomlString(apiBase(setup))}`,
    `env_key = "${KEY_VARIABLE}"`,
    'wire_api = "responses"',
  ].join('\n')

/** Without the settings, runs without a terminal stop for lack of an authentication method. */
const GEMINI_SETTINGS = toJson({ security: { auth: { selectedType: 'gemini-api-key' } } })

/** Gemini CLI reads ~/.gemini/.env in trusted folders only, and the shell's variables anywhere. */
const geminiVariables = ({ address, key, model }: Setup) =>
  [
    exportLine('GEMINI_API_KEY', key),
    exportLine('GOOGLE_GEMINI_BASE_URL', address),
    exportLine('GEMINI_MODEL', model.id),
  ].join('\n')

/** Without limits, opencode never compacts a conversation. */
function opencodeConfig(setup: Setup): string {
  const { id, context, output } = setup.model
  const limit = context !== null && { limit: { context, output: output ?? OUTPUT_DEFAULT } }
  return toJson({
    $schema: 'https://opencode.ai/config.json',
    provider: {
      [PROVIDER_ID]: {
        npm: '@ai-sdk/openai-compatible',
        name: setup.systemName,
        options: { baseURL: apiBase(setup), apiKey: `{env:${KEY_VARIABLE}}`, setCacheKey: true },
        models: { [id]: { name: id, tool_call: true, ...limit } },
      },
    },
    model: `${PROVIDER_ID}/${id}`,
  })
}

const OUTPUT_DEFAULT = 32_000

const qwenVariables = (setup: Setup) =>
  [
    exportLine('OPENAI_API_KEY', setup.key),
    exportLine('OPENAI_BASE_URL', apiBase(setup)),
    exportLine('OPENAI_MODEL', setup.model.id),
  ].join('\n')

const aiderVariables = (setup: Setup) =>
  [
    exportLine('OPENAI_API_KEY', setup.key),
    exportLine('OPENAI_API_BASE', apiBase(setup)),
    // The prefix names the kind of provider and is not sent.
    exportLine('AIDER_MODEL', `openai/${setup.model.id}`),
  ].join('\n')

const setKey = ({ key }: Setup) => ({
  text: 'connect.step.setKey' as const,
  copies: exportLine(KEY_VARIABLE, key),
})

export const CODING_AGENTS: readonly Client[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    steps: (setup) => [
      {
        file: '~/.claude/settings.json',
        copies: claudeSettings(setup),
      },
      { command: 'claude' },
    ],
  },
  {
    id: 'codex',
    name: 'Codex',
    steps: (setup) => [
      {
        file: '~/.codex/config.toml',
        copies: codexConfig(setup),
      },
      setKey(setup),
      { command: 'codex' },
    ],
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    steps: (setup) => [
      { text: 'connect.step.setVariables', copies: geminiVariables(setup) },
      {
        file: '~/.gemini/settings.json',
        copies: GEMINI_SETTINGS,
      },
      { command: 'gemini' },
    ],
  },
  {
    id: 'opencode',
    name: 'opencode',
    steps: (setup) => [
      {
        file: '~/.config/opencode/opencode.json',
        copies: opencodeConfig(setup),
      },
      setKey(setup),
      { command: 'opencode' },
    ],
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    steps: (setup) => [
      { text: 'connect.step.setVariables', copies: qwenVariables(setup) },
      { command: 'qwen --auth-type openai' },
    ],
  },
  {
    id: 'aider',
    name: 'Aider',
    steps: (setup) => [
      { text: 'connect.step.setVariables', copies: aiderVariables(setup) },
      { command: 'aider' },
    ],
  },
]
