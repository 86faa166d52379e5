/**
 * The items that are in use now, of which each request adds and removes one.
 *
 * A `Set` or a `Map` would replace its table every few removals, and each replaced table refers to
 * the next. Once V8 has moved one of them to its old space, it moves all later ones there too,
 * with whatever their items refer to, and has to mark the old space that much more often.
 */
export class Slots<Item extends object> {
  readonly #items: (Item | null)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#items.length - this.#free.length
  }

  /** Returns the slot of the item, for `remove`. */
  add(item: Item): number {
    const slot = this.#free.pop() ?? this.#items.length
    this.#items[slot] = item
    return slot
  }

  /** Empties a slot, once for each `add`. */
  remove(slot: number) {
    this.#items[slot] = null
    this.#free.push(slot)
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const item of this.#items) if (item !== null) yield item
  }
}
