import { pathFromRoot } from './path-from-root.mjs'

const QUOTA_COLUMNS = new Set([
  'quota',
  'quota_leased',
  'remain_quota',
  'used_quota',
  'request_count',
  'invite_balance',
  'budget_quota',
  'budget_period',
  'limit_quota',
  'spent',
])
const TABLES = new Set(['users', 'tokens', 'token_budgets'])
/** Only the ledger writes any column of these tables. */
const LEDGER_TABLES = new Set(['quota_leases', 'token_budgets', 'ledger_days', 'ledger_nodes'])
const WRITES = new Set([
  'insertInto',
  'updateTable',
  'deleteFrom',
  'bulkInsert',
  'bulkUpdate',
  'bulkDelete',
])
const RAW_WRITE =
  /\b(?:update|into)\s+"?(?:users|tokens|token_budgets)"?[\s\S]*\b(?:quota|quota_leased|remain_quota|used_quota|request_count|invite_balance|budget_quota|budget_period|limit_quota|spent)"?\s*=/i
const EXEMPT = /^server\/src\/ledger\/|\.test\.ts$|\/testing\//

/**
 * Only the ledger changes a quota or an inviter's earnings. This is a guard, not a proof: it
 * detects Kysely updates that name a quota column in the same statement, upserts, and SQL text.
 */
export const quotaOnlyInLedger = {
  create(context) {
    const file = pathFromRoot(context)
    if (!file.startsWith('server/src/') || EXEMPT.test(file)) return {}
    const message = 'only server/src/ledger writes a quota, a lease, its books or invite_balance'
    return {
      CallExpression(node) {
        if (isWriteToLedger(node)) context.report({ node, message })
        if (!startsWriteToOwner(node)) return
        for (const key of writtenKeys(chainAround(node))) {
          context.report({ node: key, message })
        }
      },
      TemplateLiteral(node) {
        const text = node.quasis.map((quasi) => quasi.value.raw).join('?')
        if (RAW_WRITE.test(text)) context.report({ node, message })
      },
      Literal(node) {
        if (typeof node.value === 'string' && RAW_WRITE.test(node.value)) {
          context.report({ node, message })
        }
      },
    }
  },
}

function isWriteToLedger({ callee, arguments: [table, columns] }) {
  if (!WRITES.has(callee.property?.name ?? callee.name)) return false
  if (LEDGER_TABLES.has(table?.value)) return true
  return callee.name === 'bulkUpdate' && quotaKeysWithin(columns).length > 0
}

function startsWriteToOwner(node) {
  const method = node.callee.property?.name
  return (
    (method === 'updateTable' || method === 'insertInto') && TABLES.has(node.arguments[0]?.value)
  )
}

/** The calls chained onto this call: `.set(…)`, `.onConflict(…)` and so on. */
function chainAround(node) {
  const calls = []
  let current = node
  while (current.parent?.type === 'MemberExpression' && current.parent.object === current) {
    const call = current.parent.parent
    if (call?.type !== 'CallExpression') break
    calls.push(call)
    current = call
  }
  return calls
}

function writtenKeys(calls) {
  return calls
    .filter((call) =>
      ['set', 'onConflict', 'onDuplicateKeyUpdate'].includes(call.callee.property.name),
    )
    .flatMap((call) => [
      ...call.arguments.slice(0, 1).filter((column) => QUOTA_COLUMNS.has(column.value)),
      ...call.arguments.flatMap(quotaKeysWithin),
    ])
}

function quotaKeysWithin(node) {
  if (
    node === null ||
    node === undefined ||
    typeof node !== 'object' ||
    typeof node.type !== 'string'
  )
    return []
  if (node.type === 'Property' && QUOTA_COLUMNS.has(node.key.name ?? node.key.value)) {
    return [node.key]
  }
  return Object.entries(node)
    .filter(([field]) => field !== 'parent')
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .flatMap(quotaKeysWithin)
}
