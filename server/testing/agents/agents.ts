import path from 'node:path'
import { type Change, FILE, type Move, type Script } from './play.ts'

/** Where an agent runs, and what it is to use. */
export type Place = {
  /** The gateway's address, without `/v1`. */
  readonly url: string
  readonly key: string
  readonly model: string
  /** All that the session uses. */
  readonly models: readonly string[]
  readonly home: string
  readonly work: string
  /** The folder of `e2e/agents`. */
  readonly packages: string
}

export type Agent = {
  readonly name: string
  readonly title: string
  /** In `e2e/agents`: of npm, or of Python. */
  readonly package: string
  readonly dialect: 'chat' | 'responses' | 'messages' | 'gemini'
  /** Variables that switch telemetry and updates off, and settings of the user. */
  readonly env: (place: Place) => Readonly<Record<string, string>>
  /** Files by their path in the home folder. */
  readonly files: (place: Place) => Readonly<Record<string, string>>
  /** Before the run; it sends nothing. */
  readonly prepare?: (place: Place) => readonly string[]
  readonly command: (place: Place, task: string) => readonly string[]
  readonly script: Script
}

const move = (tool: string, args: (change: Change) => Readonly<Record<string, unknown>>): Move => ({
  tool,
  arguments: args,
})

const patchOf = ({ file, from, to }: Change) => `*** Begin Patch
*** Update File: ${file}
@@
-${from}
+${to}
*** End Patch`

const readBy = ({ file }: Change) => `cat ${file}`
const editBy = ({ file, from, to }: Change) => `sed -i 's/${from}/${to}/' ${file}`

/** Models of OpenAI's newer families call Codex's tools from JavaScript. */
const inCode = (cmd: string) =>
  `const { output } = await tools.exec_command({ cmd: ${JSON.stringify(cmd)} })\ntext(output)`

const inModules = ({ packages }: Place, ...parts: string[]) =>
  path.join(packages, 'node_modules', ...parts)

/** Vendors name the builds of their binaries after the platform, each in its own way. */
const binary = (place: Place, name: string, windows: string) => {
  const platform = process.platform === 'win32' ? windows : process.platform
  return (file: string) => inModules(place, `${name}-${platform}-${process.arch}`, file)
}

const node = (place: Place, ...script: string[]) => [process.execPath, inModules(place, ...script)]

const codex: Agent = {
  name: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  dialect: 'responses',
  env: ({ key }) => ({ TOLLGATE_KEY: key }),
  files: ({ url, model }) => ({
    '.codex/config.toml': `model = "${model}"
model_provider = "tollgate"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.tollgate]
name = "Tollgate"
base_url = "${url}/v1"
env_key = "TOLLGATE_KEY"
wire_api = "responses"
`,
  }),
  command: (place, task) => [
    ...node(place, '@openai', 'codex', 'bin', 'codex.js'),
    'exec',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    task,
  ],
  script: {
    moves: {
      read: [
        move('exec_command', (change) => ({ cmd: readBy(change) })),
        move('exec', (change) => ({ input: inCode(readBy(change)) })),
      ],
      edit: [
        move('apply_patch', (change) => ({ input: patchOf(change) })),
        move('exec_command', (change) => ({ cmd: editBy(change) })),
        move('exec', (change) => ({ input: inCode(editBy(change)) })),
      ],
    },
  },
}

const claude: Agent = {
  name: 'claude',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  dialect: 'messages',
  env: ({ url, key, model }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  files: () => ({}),
  command: (place, task) => [
    binary(place, '@anthropic-ai/claude-code', 'win32')('claude'),
    '-p',
    task,
    '--allowedTools',
    'Read,Edit',
  ],
  script: {
    moves: {
      read: [move('Read', ({ at }) => ({ file_path: at }))],
      edit: [
        move('Edit', ({ at, from, to }) => ({ file_path: at, old_string: from, new_string: to })),
      ],
    },
  },
}

const opencode: Agent = {
  name: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  dialect: 'chat',
  env: ({ key }) => ({
    TOLLGATE_KEY: key,
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_SHARE: '1',
  }),
  files: ({ url, models }) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      provider: {
        tollgate: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Tollgate',
          options: { baseURL: `${url}/v1`, apiKey: '{env:TOLLGATE_KEY}' },
          models: Object.fromEntries(
            models.map((model) => [
              model,
              {
                name: model,
                limit: { context: 200_000, output: 32_000 },
                attachment: true,
                modalities: { input: ['text', 'image'], output: ['text'] },
                tool_call: true,
                reasoning: true,
              },
            ]),
          ),
        },
      },
    }),
  }),
  command: (place, task) => [
    binary(place, 'opencode', 'windows')('bin/opencode'),
    'run',
    '--model',
    `tollgate/${place.model}`,
    task,
  ],
  script: {
    moves: {
      read: [move('read', ({ at }) => ({ filePath: at }))],
      edit: [
        move('edit', ({ at, from, to }) => ({ filePath: at, oldString: from, newString: to })),
        move('apply_patch', (change) => ({ patchText: patchOf(change) })),
      ],
    },
  },
}

const gemini: Agent = {
  name: 'gemini',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  dialect: 'gemini',
  env: ({ url, key }) => ({
    GEMINI_API_KEY: key,
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_CLI_NO_RELAUNCH: 'true',
  }),
  files: () => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    }),
  }),
  command: (place, task) => [
    ...node(place, '@google', 'gemini-cli', 'bundle', 'gemini.js'),
    '--model',
    place.model,
    '--approval-mode',
    'yolo',
    '--prompt',
    task,
  ],
  script: {
    moves: {
      read: [move('read_file', ({ file }) => ({ file_path: file }))],
      edit: [
        move('replace', ({ file, from, to }) => ({
          file_path: file,
          instruction: 'Set the status.',
          old_string: from,
          new_string: to,
        })),
      ],
    },
  },
}

const qwen: Agent = {
  name: 'qwen',
  title: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  dialect: 'chat',
  env: ({ url, key, model }) => ({
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: model,
  }),
  files: () => ({
    '.qwen/settings.json': JSON.stringify({
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
    }),
  }),
  command: (place, task) => [
    ...node(place, '@qwen-code', 'qwen-code', 'cli-entry.js'),
    '--auth-type',
    'openai',
    '--approval-mode',
    'yolo',
    '--prompt',
    task,
  ],
  script: {
    moves: {
      read: [move('read_file', ({ at }) => ({ file_path: at }))],
      edit: [
        move('edit', ({ at, from, to }) => ({ file_path: at, old_string: from, new_string: to })),
      ],
    },
  },
}

const cline: Agent = {
  name: 'cline',
  title: 'Cline CLI',
  package: 'cline',
  dialect: 'chat',
  env: () => ({ CLINE_NO_AUTO_UPDATE: '1', CLINE_SESSION_BACKEND_MODE: 'local' }),
  files: () => ({
    '.cline/data/settings/global-settings.json': JSON.stringify({
      telemetryOptOut: true,
      autoUpdateEnabled: false,
    }),
  }),
  prepare: (place) => [
    binary(place, '@cline/cli', 'windows')('bin/cline'),
    'auth',
    '--provider',
    'openai-compatible',
    '--apikey',
    place.key,
    '--modelid',
    place.model,
    '--baseurl',
    `${place.url}/v1`,
  ],
  command: (place, task) => [binary(place, '@cline/cli', 'windows')('bin/cline'), task],
  script: {
    moves: {
      read: [move('read_files', ({ at }) => ({ files: [{ path: at }] }))],
      edit: [
        move('editor', ({ at, from, to }) => ({
          command: 'str_replace',
          path: at,
          old_text: from,
          new_text: to,
        })),
        move('apply_patch', (change) => ({ input: patchOf(change) })),
      ],
    },
  },
}

const aider: Agent = {
  name: 'aider',
  title: 'Aider',
  package: 'aider-chat',
  dialect: 'chat',
  env: ({ url, key }) => ({
    OPENAI_API_BASE: `${url}/v1`,
    OPENAI_API_KEY: key,
    AIDER_ANALYTICS: 'false',
    AIDER_CHECK_UPDATE: 'false',
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
  }),
  files: () => ({}),
  command: (place, task) => [
    inModules(place, '.cache/aider/bin/aider'),
    '--model',
    `openai/${place.model}`,
    '--yes-always',
    '--no-git',
    '--no-show-model-warnings',
    '--no-detect-urls',
    '--edit-format',
    'diff',
    '--message',
    task,
    FILE,
  ],
  script: {
    blocks: ({ file, from, to }) => `The ticket is 4711.

${file}
\`\`\`
<<<<<<< SEARCH
${from}
=======
${to}
>>>>>>> REPLACE
\`\`\``,
  },
}

export const AGENTS: readonly Agent[] = [codex, claude, opencode, gemini, qwen, cline, aider]
