import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import path from 'node:path'
import { createConnection } from 'mysql2/promise'
import { memoryFolder } from '../harness/memory-folder.ts'

/** The shell ends the server and removes its folder when its input closes. */
const KEEPER_SCRIPT = `
folder=$1
trap '' PIPE
trap 'rm -rf "$folder"' EXIT
user=$(id -un)
mariadb-install-db --no-defaults --user="$user" --datadir="$folder/data" \\
  --auth-root-authentication-method=normal --skip-test-db >"$folder/log" 2>&1 || cat "$folder/log" >&2
/usr/sbin/mariadbd --no-defaults --user="$user" --datadir="$folder/data" --skip-networking \\
  --socket="$folder/socket" --pid-file="$folder/pid" --innodb-buffer-pool-size=16M \\
  --innodb-flush-log-at-trx-commit=0 >>"$folder/log" 2>&1 &
server=$!
for _ in $(seq 200); do [ -S "$folder/socket" ] && break; sleep 0.1; done
exec 2>>"$folder/log"
echo ready
cat >/dev/null
kill -9 $server
wait $server
`

/** A MariaDB of its own with an empty database, reached by Go's form of an address. */
export async function startMariadb() {
  const folder = mkdtempSync(path.join(memoryFolder(), 'tollgate-mariadb-'))
  const keeper = spawn('sh', ['-c', KEEPER_SCRIPT, 'sh', folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(keeper.stdout, 'data')
  const socketPath = path.join(folder, 'socket')
  execFileSync('mariadb', [
    `--socket=${socketPath}`,
    '-uroot',
    '-e',
    'create database oneapi character set utf8mb4',
  ])
  const connection = await createConnection({ socketPath, user: 'root', database: 'oneapi' })
  return {
    from: `root:@unix(${socketPath})/oneapi?charset=utf8mb4&parseTime=true`,
    run: async (sql: string, values: readonly (string | number | boolean | null)[] = []) =>
      void (await connection.query(sql, [...values])),
    close: async () => {
      await connection.end()
      keeper.stdin.end()
      await once(keeper, 'exit')
    },
  }
}
