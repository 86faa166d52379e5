import { beforeAll, describe } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { DATABASES, type DatabaseKind } from '../harness/databases.ts'
import { openOnce } from '../harness/open-once.ts'
import { openControlPlane, type Person } from './control-plane.ts'

/** Runs tests on each database, against a world that they share as in `openOnce`. */
export function describeWorlds<World extends { close: () => unknown }>(
  open: (kind: DatabaseKind) => Promise<World>,
  title: string,
  define: (world: World, kind: DatabaseKind) => void,
) {
  describe.each(DATABASES)(title, (kind) => {
    define(
      openOnce(() => open(kind)),
      kind,
    )
  })
}

type Role = keyof typeof ROLE

type Planes<Name extends Role> = Record<Name, Person> & {
  plane: Awaited<ReturnType<typeof openControlPlane>>
  kind: DatabaseKind
}

/** The same for a control plane, with a logged-in person of each role. */
export function describePlanes<Name extends Role>(
  title: string,
  roles: readonly Name[],
  define: (world: Planes<Name>) => void,
) {
  describeWorlds(openControlPlane, title, (plane, kind) => {
    const people = roles.map((role) => [role, {}] as const)

    beforeAll(async () => {
      for (const [role, person] of people) {
        Object.assign(person, await plane.addPerson(ROLE[role]))
      }
    })

    // Safe because no test runs before the hook has filled the objects.
    define({ plane, kind, ...Object.fromEntries(people) } as Planes<Name>)
  })
}
