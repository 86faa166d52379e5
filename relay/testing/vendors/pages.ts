import type { Rule, StrictVendor } from './strict-vendor.ts'
import { VENDORS } from './vendors.ts'

/* The pages docs/reference/vendor-rules.md and docs/reference/vendor-rules/*.md. */

const HEAD = `# What vendors refuse

This page is for developers of the relay and for operators who look for the reason of a refusal. It
lists the vendors whose rules are known, with a page for each. \`npm run docs:vendors\` writes these
pages from \`relay/testing/vendors/*.rules.ts\`; a test fails when a page is stale.

Tests check the chats that Tollgate sends against these rules: the requests of the fixture pairs,
generated conversations, and the chats that gateway tests send to a scripted provider. A double of a
vendor answers with the refusal of the first rule that fires.
\`relay/testing/vendors/known-failures.json\` lists what Tollgate still sends although the vendor
refuses it.

| Sureness | The rule comes from |
|---|---|
| doc | pages of the vendor |
| src | an SDK or API description of the vendor, or the source of a maintained client |
| issue | refusals that users reported |
| guess | older knowledge; such a rule is checked only on demand |

| Vendor | Rules |
|---|--:|
`

export type Page = { readonly path: string; readonly text: string }

export const vendorPages = (vendors: readonly StrictVendor[] = VENDORS): Page[] => [
  { path: 'vendor-rules.md', text: HEAD + vendors.map(indexRow).join('') },
  ...vendors.map((vendor) => ({ path: `vendor-rules/${vendor.name}.md`, text: pageOf(vendor) })),
]

const indexRow = ({ name, title, rules }: StrictVendor) =>
  `| [${title}](vendor-rules/${name}.md) | ${rules.length} |\n`

const pageOf = ({ name, title, rules }: StrictVendor) => `# What ${title} refuses

This page lists the rules of \`${name}\` in the order in which they are checked;
[vendor-rules.md](../vendor-rules.md) explains the columns. \`npm run docs:vendors\` writes it.

| Rule | Refused | Status | Sureness | Source |
|---|---|--:|---|---|
${rules.map(ruleRow).join('')}`

const ruleRow = ({ id, text, refusal, sure, source }: Rule) =>
  `| ${[id, text.replaceAll('|', String.raw`\|`), refusal.status, sure, source].join(' | ')} |\n`
