import path from 'node:path'
import { AGENTS } from './agents.ts'
import { DOUBLES } from './doubles.ts'
import { EXPECTED } from './expected.ts'
import type { Cell, Outcome } from './matrix.ts'
import { versionOf } from './packages.ts'

export const PAGE = path.join(import.meta.dirname, '../../../docs/reference/agents.md')

const HEAD = `# Coding agents

This page is for customers and operators. It shows which coding agents work with which vendors
through Tollgate. \`npm run agents -- --write-docs\` writes it from a run of the agents' own
programs.

Each agent gets a folder with a file. It has to read the file, edit it with a tool and answer with
what the file holds. Behind the channel stands a double of the vendor, which refuses what the vendor
refuses ([vendor-rules.md](vendor-rules.md)). A pair passes if the file is edited, the answer is
right, the agent exits with 0, and each answer of the vendor has a row in the log with its exact
charge.

| Sign | Meaning |
|---|---|
| ✓ | passes |
| ✗ | refused; the number names the reason below the table |
| known | fails, and the number names what is missing |
| skipped | the agent could not be installed |

`

const AGENTS_HEAD = `## The agents

| Agent | Package | Version | Speaks |
|---|---|---|---|
`

const TITLES = {
  chat: 'Chat Completions',
  responses: 'Responses',
  messages: 'Messages',
  gemini: "Gemini's API",
}

/** Agents by vendor, with the reasons below. */
export function agentTable(cells: readonly Cell[]): string {
  const reasons: string[] = []
  const numberOf = (reason: string) => {
    if (!reasons.includes(reason)) reasons.push(reason)
    return reasons.indexOf(reason) + 1
  }
  const signOf = (outcome: Outcome | undefined) => {
    if (outcome === undefined) return ''
    if (outcome.type === 'passed') return '✓'
    const sign = { refused: '✗', known: 'known', skipped: 'skipped', failed: 'FAILED' }[
      outcome.type
    ]
    return `${sign} ${numberOf(outcome.reason)}`
  }
  const agents = AGENTS.filter((agent) => cells.some((cell) => cell.agent === agent))
  const rows = DOUBLES.filter((double) => cells.some((cell) => cell.double === double)).map(
    (double) => {
      const signs = agents.map((agent) =>
        signOf(cells.find((cell) => cell.agent === agent && cell.double === double)?.outcome),
      )
      return `| ${[double.title, `\`${double.model}\``, ...signs].join(' | ')} |\n`
    },
  )
  const head = `| ${['Vendor', 'Model', ...agents.map(({ title }) => title)].join(' | ')} |\n`
  const rule = `|---|---|${agents.map(() => ':-:|').join('')}\n`
  const notes = reasons.map((reason, index) => listItem(`${index + 1}. ${reason}`))
  return [head, rule, ...rows, notes.length > 0 ? '\n' : '', ...notes].join('')
}

/** Broken at 100 columns, with the further lines indented. */
const listItem = (text: string) => `${text.replaceAll(/(.{1,96})(?: |$)/g, '$1\n    ').trimEnd()}\n`

const SESSIONS = `## Long sessions

\`npm run agents -- --session\` runs a long session for each pair: at least twenty turns with tools,
among them a picture and three calls at once, an answer that the user interrupts, a summary of the
history, some turns with another vendor's model, and the first model again. All charges together
equal what both doubles have reported, and the audit finds no difference.

| Agent | Continues by | Summarizes by |
|---|---|---|
| Codex | \`exec resume --last\` | \`model_auto_compact_token_limit\` |
| Claude Code | \`--continue\` | \`/compact\` |
| opencode | \`--continue\` | a context window that the history exceeds |
| Gemini CLI | \`--resume latest\` | \`compressionThreshold\` |
| Qwen Code | \`--continue\` | \`/compress\` |
| Cline CLI | a terminal only | – |
| Aider | \`--restore-chat-history\` | \`--max-chat-history-tokens\` |

Cline continues a session on a terminal only, which a program cannot script: its twenty turns and
its interrupted answer are sessions of their own, without a summary and without another model. Aider
has no tools: its turns are messages of the user.

Gemini CLI has a session summarized by a Gemini, whatever model it was asked to use, and stops if no
channel serves that Gemini. The aliases \`chat-compression-…\` in \`modelConfigs.customAliases\` of its
settings name another model.

`

const UNPAID = `
## Without balance

A request that its key or its account cannot pay for is refused before a provider is asked, with the
amounts in dollars. Each API has the status at which its agents stop. Agents with such a key, with
three vendors:

| Agent | Status | Requests | Ends |
|---|---|---|---|
| Codex | 429 \`insufficient_quota\` | 1 | at once, with words of its own |
| Claude Code | 402 | 1 | at once |
| opencode | 403 | 2: the turn and its title | at once |
| Gemini CLI | 402 | 1 | at once |
| Qwen Code | 403 | 1 | at once |
| Cline CLI | 403 | 1 | at once |
| Aider | 403 | 9 | after 80 s |

Aider repeats every 403. Chat completions keep this status, which clients of One API expect.
`

/** Pairs that only a long session shows to be refused. */
function sessionRefusals(): string {
  const refused = EXPECTED.filter(({ isLong = false }) => isLong)
  if (refused.length === 0) return 'No pair is known that passes the short session alone.\n'
  const items = refused.map(({ double, agents = [], reason }) => {
    const titles = AGENTS.filter(({ name }) => agents.includes(name)).map(({ title }) => title)
    return listItem(`* ${titles.join(', ')} with \`${double}\`: ${reason}`)
  })
  return `These pairs pass the short session and are refused in the long one:\n\n${items.join('')}`
}

/** The page, as it stands in docs/reference/agents.md. */
export function agentsPage(cells: readonly Cell[]): string {
  const agents = AGENTS.map((agent) => {
    const version = versionOf(agent)
    return `| ${agent.title} | \`${agent.package}\` | ${version} | ${TITLES[agent.dialect]} |\n`
  })
  const table = agentTable(cells)
  const vendors = `\n## Agents by vendor\n\n${table}\n`
  return [HEAD, AGENTS_HEAD, ...agents, vendors, SESSIONS, sessionRefusals(), UNPAID].join('')
}
