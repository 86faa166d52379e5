import { descriptorOf } from '@tollgate/relay'
import { type Column, COLUMNS, TASK_COLUMNS } from './columns.ts'
import { CLIENTS, type Line, type Outcome } from './matrix.ts'
import type { MemberOutcome, MemberTable } from './members/run.ts'
import { TASK_CLIENTS, type TaskLine } from './tasks/run.ts'
import { MODELS } from './tasks/task-client.ts'

const HEAD = `# What each client can ask of each provider

This page is for customers and operators. It shows which requests of each client reach each
provider, and what is dropped or refused. \`npm run clients -- --write-docs\` writes it from a
run of the official clients through the gateway, against providers that accept and answer only
their own form. A test fails when this page is stale.

A client speaks one of four dialects, a channel belongs to a provider with its own form, and
every dialect works with every form:

* A parameter without an equivalent that would change the answer is refused with status 400
  before anything is sent, and costs nothing.
* Hints are dropped: penalties and seeds, what a provider of OpenAI's form is known to forbid
  (\`logprobs\` at Mistral), and the tools that OpenAI and Anthropic run themselves, which their
  own applications name in every request.
* Features that a provider bills in addition to tokens work as shown with the option
  \`UnpricedFeaturesEnabled\`, and are refused without it (\`operate/prices.md\`, *Features
  without a price*).

| Sign | Meaning |
|---|---|
| ✓ | passed on, and the answer is as the client expects |
| ≈ | passed on adapted; the number names what the provider gets instead |
| – | dropped: the provider does not get it, the answer comes all the same |
| ✗ | refused with status 400; the number names the message below the table |
| ! | passed on unchanged, because the client speaks the provider's own form, and the provider refuses it; the number names its rule below the table |
| one | passed on, but this provider calls one tool at a time, so the exchange takes more turns |
| none | the provider has no such endpoint: status 400, *No provider of the model … offers … here*, or 503 for a session of Realtime; unless another channel serves the model |
| address only | the provider answers and charges, but returns an address where this client accepts only data, which the request cannot ask for |
`

const PROVIDERS_HEAD = `
## The providers

| Column | Type of channel | Model that was asked |
|---|---|---|
`

const PROVIDERS_TAIL = `
Models of a provider differ in what they accept: the tables at the head of each
\`relay/src/providers/*/codec.ts\` list the limits of older and newer models. All other types of
channels speak OpenAI's form and get what *OpenAI* gets, without the members that their
descriptors name in \`dropFields\`; but *Google PaLM2* and *Knowledge base: AI Proxy* accept
text only. With a key \`bce-v3/…\` Baidu speaks OpenAI's form too, and so does Tencent with a
key of one part.

Mistral gets the role \`developer\` as \`system\`, and a new id for a tool call whose own id it
would refuse, in the call and in its result. If the last message is the assistant's, it is a
beginning to continue: Mistral gets it marked with \`prefix\`, and Moonshot with \`partial\` (but
not together with a request for JSON). Mistral repeats the beginning.
`

const CLIENTS_HEAD = `
## Official clients

Each row is a request as an application would make it. Text and streams arrive whole, usage is
the provider's, tools are called and their results returned until there is an answer, and an
image and a schema have to arrive in the provider's own form. Errors are of the client's own
class: for an unknown key, and for a channel whose key the provider refuses. *Thoughts sent
back*: whether a model that reasoned before it called a tool gets its reasoning again with the
result. *Session from elsewhere*: a session with reasoning and a tool call at Claude, Gemini and
Kimi continues at this provider.

An image that a model draws in its answer to a chat is in \`images\` of the message for clients
of chat completions, as at OpenRouter, an item \`image_generation_call\` for those of Responses,
and \`inlineData\` for Google's. Anthropic's Messages have no place for it, so it is left out
there, and also from Responses where the provider gives an address instead of the image. It is
charged all the same.
`

const TASKS_HEAD = `
## Images, audio, moderations and Realtime

The rows are as above. In addition, each request that is passed on leaves a row in the log with
its cost to the unit, by the tokens that the provider reports or else by the piece; a refused or
unserved request costs nothing. Clients name a voice that the provider has, and request speech in
events as WAV. Azure is called with its version \`2025-04-01-preview\`, as older versions edit
no images. \`@google/genai\` requests images of Vertex AI alone. *Realtime* is a session with a
written question, and *aloud* a session with a spoken question. Rerank has no official client
here; its tests are \`server/src/gateway/scenarios/endpoints/rerank.test.ts\`.

Models of other providers are mapped:

`

const MEMBERS_HEAD = `
## Member by member

Each member is added to an otherwise minimal request, and the request that reaches the
provider is compared.
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
    const lines = [...this.#numbers].map(([message, number]) => listItem(`${number}. ${message}`))
    return lines.length === 0 ? '' : `\n${lines.join('')}`
  }
}

/** Broken at 100 columns, with the further lines indented. */
function listItem(text: string): string {
  return `${text.replaceAll(/(.{1,96})(?: |$)/g, '$1\n    ').trimEnd()}\n`
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
    case 'address_only':
      return 'address only'
    case 'adapted':
      return `≈ ${notes.numberOf(`The provider gets ${outcome.message}`)}`
    case 'broken':
      return `! ${notes.numberOf(outcome.message)}`
    case 'refused':
      return `✗ ${notes.numberOf(outcome.message)}`
    case 'failed':
      return `FAILED ${notes.numberOf(outcome.message.replaceAll(/\s+/g, ' '))}`
  }
}

/** A table with a line for each name, and its notes. */
function table(
  lines: readonly { name: string; outcomes: readonly (Outcome | MemberOutcome)[] }[],
  columns: readonly Column[] = COLUMNS,
): string {
  const notes = new Notes()
  const head = `| ${['', ...columns.map(({ name }) => name)].join(' | ')} |\n`
  const rule = `|---|${columns.map(() => ':-:|').join('')}\n`
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
    return `\n### ${name}\n\n${table(rows)}`
  }).join('')
}

/** The same of what is not about text alone. */
export function taskTables(tasks: readonly TaskLine[]): string {
  return TASK_CLIENTS.map(({ name }) => {
    const lines = tasks.filter(({ client }) => client.name === name)
    const rows = lines.map(({ feature, outcomes }) => ({ name: feature.name, outcomes }))
    return `\n### ${name}\n\n${table(rows, TASK_COLUMNS)}`
  }).join('')
}

/** Which model of a provider stands for one of OpenAI's. */
function mappedTable(): string {
  const mapped = TASK_COLUMNS.filter(({ taskModels }) => taskModels !== undefined)
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
    return `\n### ${title}\n\n${table(rows)}`
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
