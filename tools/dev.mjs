import { findCommand, install } from './launcher/install.mjs'
import { exitCodeOf, launch, startNode } from './launcher/processes.mjs'

await launch(async () => {
  const node = install()
  const server = startNode(node, ['--watch', '--watch-preserve-output', 'server/src/main.ts'])
  const console = startNode(node, [findCommand('vite'), 'console'], {
    env: { TOLLGATE_SERVER: `http://127.0.0.1:${process.env.PORT ?? 3000}` },
  })
  const code = await Promise.race([exitCodeOf(server), exitCodeOf(console)])
  for (const child of [server, console]) child.kill('SIGTERM')
  return code
})
