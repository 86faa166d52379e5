import { descriptorOf } from '@tollgate/relay'
import { COLUMNS } from './columns.ts'
import { CLIENTS, type Line, type Outcome } from './matrix.ts'
import type { MemberOutcome, MemberTable } from './members/run.ts'
import { TASK_CLIENTS, type TaskLine } from './tasks/run.ts'
import { MODELS } from './tasks/task-client.ts'

const HEAD = `# What each client may ask of each provider

Written by \`npm run clients -- --write-docs\` from a run of the official clients through the gateway, before providers
that answer in their own forms and take nothing else; a test fails when this page is stale.

A client speaks one of four dialects, a channel belongs to a provider with a form of its own, and any of the one goes with
any of the other. What a provider has no word for, and without which the answer would be another, is refused with status 400
before anything is sent, and costs nothing. Left out are hints, such as penalties and seeds, what a provider of OpenAI's form is
known to forbid (\`logprobs\` at Mistral), and the tools that OpenAI and Anthropic run themselves, which their own applications
name in every request. What a provider bills beside tokens goes through as below with the option \`UnpricedFeaturesEnabled\`, and
is refused without it (\`docs/operate/prices.md\`).

| Sign | Meaning |
|---|---|
| ✓ | goes through, and what comes back is as the client expects |
| – | left out: the provider is not told, the answer comes all the same |
| ✗ | refused with status 400; the number names the message below the table |
| one | goes through, but this provider calls one tool at a time, so that it takes more turns |
| none | the provider has no such endpoint: status 400, *No provider of the model … offers … here*, or 503 for a session of Realtime; unless another channel serves the model |
| unread | the provider answers and is paid, but gives an address where this client reads data only, and has no way to say so |
`

const PROVIDERS_HEAD = `
## The providers

| Column | Type of channel | Model that was asked |
|---|---|---|
`

const PROVIDERS_TAIL = `
What a model takes may differ from one to the next: older and newer ones of a provider have other limits, which the tables at
the head of each \`relay/src/providers/*/codec.ts\` tell. All other types of channels speak OpenAI's form and are told what
*OpenAI* is told, without the members that their descriptors name in \`dropFields\`; but *Google PaLM* and *AI Proxy (knowledge
base)* take text only. With a key \`bce-v3/…\` Baidu speaks OpenAI's form too, and so does Tencent with a key of one part.

Mistral is told the role \`developer\` as \`system\`, and another id for a tool call whose own it would refuse, the same with its
result. An answer that the client has begun, with a last message of the assistant's, is marked for Mistral (\`prefix\`) and Moonshot
(\`partial\`, but not beside the wish for JSON) to go on from; Mistral says the beginning again.
`

const CLIENTS_HEAD = `
## Official clients

Each line is asked as an application would ask it: text and streams arrive whole, usage is the provider's, tools are called and
their results go back until there is an answer, an image and a schema have to arrive in the provider's own form, and errors
are of the client's own class: for a key that nobody has, and for a channel whose key the provider refuses.
*Thoughts sent back*: whether a model that has thought before it called a tool is shown its thoughts again with the result.

A picture that a model draws in its answer to a chat is \`images\` of the message for clients of chat completions, as OpenRouter
has it, an item \`image_generation_call\` for those of Responses, and \`inlineData\` for Google's. A Message of Anthropic's has no
place for it: there it is left out, and so it is of Responses where the provider gives an address instead of the picture. It is
paid for all the same.
`

const TASKS_HEAD = `
## Images, audio, moderations and Realtime

As above, and each request that goes through leaves one row in the log with what it costs to the unit, at the tokens that the
provider tells or else by the piece; one that is refused, or that nobody serves, costs nothing. Clients name a voice that the
provider has, and speech in events is asked for as WAV. Azure is asked by its version \`2025-04-01-preview\`; older ones change no
images. \`@google/genai\` asks for images of Vertex AI alone. *Realtime* is a session for one question in writing, and *aloud* for one
that is spoken. Rerank has no official client here; its tests are \`server/src/gateway/answers/rerank.test.ts\`.

Models of other providers are mapped:

`

const MEMBERS_HEAD = `
## Member by member

Each member is put into a request that is otherwise the least there is, and what reaches the provider is compared.
`

/** Messages of refusals below a table, each once. */
class Notes {
  readonly #numbers = new Map<string, number>()

  numberOf(message: string): number {
    const number = this.#numbers.get(message) ?? this.#numbers.size + 1
    this.#numbers.set(message, number)
    return number
  }

  get text(): string {
    const lines = [...this.#numbers].map(([message, number]) => `${number}. ${message}\n`)
    return lines.length === 0 ? '' : `\n${lines.join('')}`
  }
}

function signOf(outcome: Outcome | MemberOutcome, notes: Notes): string {
  switch (outcome.type) {
    case 'done':
    case 'told':
      return '✓'
    case 'left-out':
      return '–'
    case 'one-by-one':
      return 'one'
    case 'unserved':
      return 'none'
    case 'unread':
      return 'unread'
    case 'refused':
      return `✗ ${notes.numberOf(outcome.message)}`
    case 'failed':
      return `FAILED ${notes.numberOf(outcome.message.replaceAll(/\s+/g, ' '))}`
  }
}

/** A table with a line for each name, and its notes. */
function table(
  corner: string,
  lines: readonly { name: string; outcomes: readonly (Outcome | MemberOutcome)[] }[],
): string {
  const notes = new Notes()
  const head = `| ${[corner, ...COLUMNS.map(({ name }) => name)].join(' | ')} |\n`
  const rule = `|---|${COLUMNS.map(() => ':-:|').join('')}\n`
  const rows = lines.map(({ name, outcomes }) => {
    const signs = outcomes.map((outcome) => signOf(outcome, notes))
    return `| ${[name, ...signs].join(' | ')} |\n`
  })
  return head + rule + rows.join('') + notes.text
}

/** What each client gets, for the terminal too. */
export function clientTables(matrix: readonly Line[]): string {
  return CLIENTS.map(({ name }) => {
    const lines = matrix.filter(({ client }) => client.name === name)
    const rows = lines.map(({ feature, outcomes }) => ({ name: feature.name, outcomes }))
    return `\n### ${name}\n\n${table('', rows)}`
  }).join('')
}

/** The same of what is not about text alone. */
export function taskTables(tasks: readonly TaskLine[]): string {
  return TASK_CLIENTS.map(({ name }) => {
    const lines = tasks.filter(({ client }) => client.name === name)
    const rows = lines.map(({ feature, outcomes }) => ({ name: feature.name, outcomes }))
    return `\n### ${name}\n\n${table('', rows)}`
  }).join('')
}

/** Which model of a provider stands for one of OpenAI's. */
function mappedTable(): string {
  const mapped = COLUMNS.filter(({ taskModels }) => taskModels !== undefined)
  const asked = Object.values(MODELS).filter((model) =>
    mapped.some(({ taskModels }) => taskModels?.[model] !== undefined),
  )
  const rows = asked.map((model) => {
    const own = mapped.map(({ taskModels }) => taskModels?.[model])
    const cells = own.map((name) => (name === undefined ? '' : `\`${name}\``))
    return `| ${[`\`${model}\``, ...cells].join(' | ')} |\n`
  })
  const head = `| ${['Asked for', ...mapped.map(({ name }) => name)].join(' | ')} |\n`
  const rule = `|---|${mapped.map(() => '---|').join('')}\n`
  return [head, rule, ...rows].join('')
}

export type Run = {
  matrix: readonly Line[]
  tasks: readonly TaskLine[]
  members: readonly MemberTable[]
}

/** The page, as it stands in docs/reference/dialects.md. */
export function dialectsPage({ matrix, tasks, members }: Run): string {
  const providers = COLUMNS.map(
    ({ name, row }) => `| ${name} | ${descriptorOf(row.type)?.name.en} | \`${row.model}\` |\n`,
  )
  const tables = members.map(({ title, lines }) => {
    const rows = lines.map(({ probe, outcomes }) => ({ name: probe.name, outcomes }))
    return `\n### ${title}\n\n${table('', rows)}`
  })
  return [
    HEAD,
    PROVIDERS_HEAD,
    ...providers,
    PROVIDERS_TAIL,
    CLIENTS_HEAD,
    clientTables(matrix),
    TASKS_HEAD,
    mappedTable(),
    taskTables(tasks),
    MEMBERS_HEAD,
    ...tables,
  ].join('')
}
