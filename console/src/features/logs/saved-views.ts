import { z } from 'zod'

const viewsSchema = z.array(z.object({ name: z.string(), search: z.string() }))

export type SavedView = z.output<typeof viewsSchema>[number]

const VIEWS_MAX = 30

export function readViews(stored: string | null): SavedView[] {
  try {
    return viewsSchema.catch([]).parse(JSON.parse(stored ?? '[]'))
  } catch {
    return []
  }
}

/** A view of the same name is replaced; the oldest goes when there are too many. */
export const withView = (views: readonly SavedView[], view: SavedView): string =>
  JSON.stringify([...views.filter(({ name }) => name !== view.name), view].slice(-VIEWS_MAX))

export const withoutView = (views: readonly SavedView[], name: string): string =>
  JSON.stringify(views.filter((view) => view.name !== name))
