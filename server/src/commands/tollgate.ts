/** The commands of the built product. The script `tollgate` next to it also has `start`. */
const COMMANDS: Readonly<Record<string, () => Promise<unknown>>> = {
  audit: () => import('./audit.ts'),
  backup: () => import('./backup.ts'),
  config: () => import('./config.ts'),
  doctor: () => import('./doctor.ts'),
  import: () => import('./import.ts'),
  'reset-root': () => import('./reset-root.ts'),
  restore: () => import('./restore.ts'),
}

// A command reads the arguments after its own name.
const [name = ''] = process.argv.splice(2, 1)
const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
if (load === undefined) {
  console.error(`use: tollgate start|${Object.keys(COMMANDS).join('|')} [ARGUMENTS]`)
  process.exitCode = 1
} else await load()
