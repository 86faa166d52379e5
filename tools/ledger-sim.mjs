import { install } from './install.mjs'
import { exitCodeOf, launch, startNode } from './processes.mjs'

const MAIN = 'server/src/ledger/simulator/main.ts'

await launch(() => exitCodeOf(startNode(install(), [MAIN, ...process.argv.slice(2)])))
