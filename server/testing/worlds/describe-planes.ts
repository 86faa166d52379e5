import { afterAll, beforeAll, describe } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { DATABASES, type DatabaseKind } from '../harness/databases.ts'
import { type ControlPlane, openControlPlane, type Person } from './control-plane.ts'

type Role = keyof typeof ROLE

type World<Name extends Role> = Record<Name, Person> & {
  plane: ControlPlane
  kind: DatabaseKind
}

/**
 * Runs tests on each database, against a control plane that they share, with a signed-in person of
 * each role. The objects of the world are empty until the first hook runs.
 */
export function describePlanes<Name extends Role>(
  title: string,
  roles: readonly Name[],
  define: (world: World<Name>) => void,
) {
  describe.each(DATABASES)(title, (kind) => {
    const plane: Partial<ControlPlane> = {}
    const people = roles.map((role) => [role, {}] as const)

    beforeAll(async () => {
      const opened = await openControlPlane(kind)
      Object.assign(plane, opened)
      for (const [role, person] of people) {
        Object.assign(person, await opened.addPerson(ROLE[role]))
      }
    })
    afterAll(() => plane.close?.())

    // Safe because no test runs before the hook has filled the objects.
    define({ plane, kind, ...Object.fromEntries(people) } as World<Name>)
  })
}
