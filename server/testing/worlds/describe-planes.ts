import { beforeAll, beforeEach, describe } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { DATABASES, type DatabaseKind } from '../harness/databases.ts'
import { openOnce, openPerTest } from '../harness/open-once.ts'
import { openControlPlane, type Person } from './control-plane.ts'

type Open<World> = (kind: DatabaseKind) => Promise<World>
type Define<World> = (world: World, kind: DatabaseKind) => void

/** Runs tests on each database, against a world that they share as in `openOnce`. */
export function describeWorlds<World extends { close: () => unknown }>(
  open: Open<World>,
  title: string,
  define: Define<World>,
) {
  describe.each(DATABASES)(title, (kind) => {
    define(
      openOnce(() => open(kind)),
      kind,
    )
  })
}

/** The same on SQLite alone, for tests whose statements other tests run on PostgreSQL. */
export function describeWorld<World extends { close: () => unknown }>(
  open: Open<World>,
  title: string,
  define: Define<World>,
) {
  describe(title, () => {
    define(
      openOnce(() => open('sqlite')),
      'sqlite',
    )
  })
}

type Role = keyof typeof ROLE

type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>

type Plane<Name extends Role> = Record<Name, Person> & {
  plane: ControlPlane
  kind: DatabaseKind
}

type DefinePlane<Name extends Role> = (world: Plane<Name>) => void

/** Runs tests on each database, against a control plane with a logged-in person of each role. */
export const describePlanes = <Name extends Role>(
  title: string,
  roles: readonly Name[],
  define: DefinePlane<Name>,
) => describeWorlds(openControlPlane, title, withPeople(roles, define))

/** The same on SQLite alone, as in `describeWorld`. */
export const describePlane = <Name extends Role>(
  title: string,
  roles: readonly Name[],
  define: DefinePlane<Name>,
) => describeWorld(openControlPlane, title, withPeople(roles, define))

/** The same with a control plane and people of its own for each test. */
export const describeFreshPlanes = <Name extends Role>(
  title: string,
  roles: readonly Name[],
  define: DefinePlane<Name>,
) => describe.each(DATABASES)(title, (kind) => freshPlane(kind, roles, define))

/** The same on SQLite alone. */
export const describeFreshPlane = <Name extends Role>(
  title: string,
  roles: readonly Name[],
  define: DefinePlane<Name>,
) => describe(title, () => freshPlane('sqlite', roles, define))

const freshPlane = <Name extends Role>(
  kind: DatabaseKind,
  roles: readonly Name[],
  define: DefinePlane<Name>,
) =>
  withPeople(
    roles,
    define,
    beforeEach,
  )(
    openPerTest(() => openControlPlane(kind)),
    kind,
  )

function withPeople<Name extends Role>(
  roles: readonly Name[],
  define: DefinePlane<Name>,
  before: (run: () => Promise<void>) => void = beforeAll,
): Define<ControlPlane> {
  return (plane, kind) => {
    const people = roles.map((role) => [role, {}] as const)

    before(async () => {
      for (const [role, person] of people) {
        Object.assign(person, await plane.addPerson(ROLE[role]))
      }
    })

    // Safe because no test runs before the hook has filled the objects.
    define({ plane, kind, ...Object.fromEntries(people) } as Plane<Name>)
  }
}
