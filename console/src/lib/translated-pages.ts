/**
 * Translators of browsers replace texts by elements of their own. React then fails to remove the
 * text or to insert something before it, and the page is lost. The text that a translator put there
 * may stay, which is the smaller harm.
 */
export function tolerateTranslators() {
  const { insertBefore, removeChild } = Node.prototype
  Node.prototype.removeChild = function remove<Child extends Node>(this: Node, child: Child) {
    if (child.parentNode === this) removeChild.call(this, child)
    return child
  }
  Node.prototype.insertBefore = function insert<Child extends Node>(
    this: Node,
    child: Child,
    next: Node | null,
  ) {
    insertBefore.call(this, child, next?.parentNode === this ? next : null)
    return child
  }
}
