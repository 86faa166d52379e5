import { apiBase, type Client, type Setup } from './setup.ts'

const shellQuoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

const clineCommand = (setup: Setup) =>
  [
    'cline auth --provider openai-compatible',
    `--apikey ${shellQuoted(setup.key)}`,
    `--modelid ${shellQuoted(setup.model.id)}`,
    `--baseurl ${shellQuoted(apiBase(setup))}`,
  ].join(' \\\n  ')

export const EDITORS: readonly Client[] = [
  {
    id: 'cursor',
    name: 'Cursor',
    steps: (setup) => [
      { text: 'connect.step.cursorAddress', copies: apiBase(setup) },
      { text: 'connect.step.cursorKey', copies: setup.key },
      { text: 'connect.step.cursorModel', copies: setup.model.id },
    ],
  },
  {
    id: 'cline',
    name: 'Cline',
    steps: (setup) => [
      { text: 'connect.step.clineCommand', copies: clineCommand(setup) },
      { text: 'connect.step.clineAddress', copies: apiBase(setup) },
      { text: 'connect.step.clineModel', copies: setup.model.id },
    ],
  },
]
