import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../launcher/install.mjs'
import { ledgerPage, readMarks } from './ledger-page.mjs'
import { RULE_GROUPS } from './ledger-rules.mjs'

const file = path.join(ROOT, 'docs/reference/ledger.md')
const marks = readMarks(path.join(ROOT, 'server/src'))

writeFileSync(file, ledgerPage(readFileSync(file, 'utf8'), RULE_GROUPS, marks))
