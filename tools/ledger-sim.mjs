import { install } from './launcher/install.mjs'
import { exitCodeOf, launch, startNode } from './launcher/processes.mjs'

const MAIN = 'server/testing/simulator/main.ts'

await launch(() => exitCodeOf(startNode(install(), [MAIN, ...process.argv.slice(2)])))
