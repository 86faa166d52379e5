import type { ContentRules } from '../cards/model-card.ts'

export type OrderRules<Message> = {
  readonly roleOf: (message: Message) => unknown
  /** The message as one of the user. */
  readonly asUser: (message: Message) => Message
  /** Two messages of one role as one. */
  readonly joined: (first: Message, second: Message) => Message
  /** An answer to tool results. */
  readonly acknowledgement: Message
}

/**
 * The messages of a form, or of chat completions, in an order of roles that the vendor accepts. The
 * same list if it is accepted.
 */
export function inOrder<Message>(
  messages: readonly Message[],
  {
    system,
    takesUserAfterTool,
    takesRepeatedRoles,
  }: Pick<ContentRules, 'system' | 'takesUserAfterTool' | 'takesRepeatedRoles'>,
  rules: OrderRules<Message>,
): readonly Message[] {
  let ordered = messages
  if (system !== 'any') ordered = withOneSystem(ordered, system === 'first', rules)
  if (!takesUserAfterTool) ordered = withAnswersBetween(ordered, rules)
  return takesRepeatedRoles ? ordered : withRepeatsJoined(ordered, ['user', 'assistant'], rules)
}

/**
 * The leading system messages become one. Later ones become messages of the user, since moving
 * them to the front would change the beginning of the prompt, which vendors cache.
 */
function withOneSystem<Message>(
  messages: readonly Message[],
  takesFirst: boolean,
  rules: OrderRules<Message>,
): readonly Message[] {
  const isSystem = (message: Message) => rules.roleOf(message) === 'system'
  if (!messages.some(isSystem)) return messages
  const start = takesFirst ? messages.findIndex((message) => !isSystem(message)) : 0
  const leading = messages.slice(0, start === -1 ? messages.length : start)
  const rest = messages.slice(leading.length)
  const later = rest.map((message) => (isSystem(message) ? rules.asUser(message) : message))
  return [...withRepeatsJoined(leading, ['system'], rules), ...later]
}

/** Templates of Mistral's models demand an answer to tool results before the user speaks. */
const withAnswersBetween = <Message>(
  messages: readonly Message[],
  { roleOf, acknowledgement }: OrderRules<Message>,
): readonly Message[] =>
  messages.flatMap((message, at) => {
    const before = messages[at - 1]
    const isResult = before !== undefined && roleOf(before) === 'tool'
    return isResult && roleOf(message) === 'user' ? [acknowledgement, message] : [message]
  })

/** Templates of some models demand that user and assistant alternate. */
function withRepeatsJoined<Message>(
  messages: readonly Message[],
  roles: readonly unknown[],
  { roleOf, joined }: OrderRules<Message>,
): readonly Message[] {
  const runs: [Message, ...Message[]][] = []
  for (const message of messages) {
    const run = runs.at(-1)
    const role = roleOf(message)
    const isRepeat = run !== undefined && roleOf(run[0]) === role && roles.includes(role)
    if (isRepeat) run.push(message)
    else runs.push([message])
  }
  return runs.flatMap((run) => joinedRun(run, joined))
}

/** By pairs: joining message by message would copy the text before for each of thousands. */
function joinedRun<Message>(
  run: readonly Message[],
  joined: OrderRules<Message>['joined'],
): readonly Message[] {
  if (run.length < 2) return run
  const pairs = run.flatMap((message, at) => {
    if (at % 2 === 1) return []
    const next = run[at + 1]
    return [next === undefined ? message : joined(message, next)]
  })
  return joinedRun(pairs, joined)
}
